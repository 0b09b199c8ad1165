import { dirname, relative, resolve } from "node:path";
import { describeDiskError, describeDiskRemedy, hasCode } from "../runtime/disk-errors.ts";
import { valueAt } from "../runtime/value-at.ts";
import { NO_FILE, type ReadFile, readText } from "./read-text.ts";
import type { Path } from "./shown-value.ts";
import type { Position } from "./yaml-faults.ts";
import { readYaml } from "./yaml-text.ts";

/** The content of the configuration file, or what keeps it from being read. */
export interface ConfigFile {
  /** Absolute; null without a file. */
  path: string | null;
  /** null without a file. */
  read: ReadFile | null;
  value: unknown;
  /** Not a word in it, not even a comment: a full disk or a power cut may have emptied it. */
  isBlank: boolean;
  problems: string[];
  /** Where an option stands: `config/vigie.yaml:3:5`. */
  place(path: Path, part: "key" | "value"): string;
  find(path: Path, part: "key" | "value"): Position;
  /** Whether a # right before its text makes a comment of this value: `payload: #off`. */
  isComment(path: Path): boolean;
}

export const DEFAULT_PLACES = ["./config/vigie.yaml", "/data/vigie.yaml", "/etc/vigie/vigie.yaml"];
/** Only vigie uses this folder (in a container), so that a message may advise to change the folder's owner. */
const IN_OWN_FOLDER = "/data/vigie.yaml";

export interface FileRequest {
  /** From `--config`. */
  file?: string | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Where to look for a file when none is named. */
  places?: readonly string[] | undefined;
  /** Ends the wait for a pipe. */
  signal?: AbortSignal | undefined;
}

/** Reads the file that is named, which must exist; else the first one that exists of the default places. */
export async function readConfigFile(request: FileRequest): Promise<ConfigFile> {
  const { file, env, places = DEFAULT_PLACES } = request;
  const named = file || env["VIGIE_CONFIG"];
  if (named) return readFileAt(named, ` (named by ${file ? "--config" : "VIGIE_CONFIG"})`, request);
  for (const place of places) {
    const found = await readFileAt(place, "", request);
    if (!found.isAbsent) return found;
  }
  return noFile([]);
}

async function readFileAt(place: string, namedBy: string, { cwd, signal }: FileRequest) {
  const path = resolve(cwd, place);
  const shown = shortPath(path, cwd);
  try {
    const { text, read } = await readText(path, { signal });
    const isBlank = read.fingerprint !== NO_FILE && text.trim() === "";
    return { ...parseFile(text, shown), path, read, isBlank, isAbsent: false };
  } catch (error) {
    const isAbsent = hasCode(error, "ENOENT", "ENOTDIR");
    const remedy = path === IN_OWN_FOLDER ? describeDiskRemedy(error, dirname(path)) : "";
    const why = `${describeDiskError(error)}${remedy}`;
    return { ...noFile([`${shown}${namedBy}: expected a file that can be read, but ${why}`]), isAbsent };
  }
}

/**
 * Only the state folder, for `vigie health`: it takes a fraction of the time, and another option that became wrong says
 * nothing about the vigie that runs. undefined where only the whole configuration can tell.
 */
export async function readStateFolder(request: FileRequest): Promise<string | undefined> {
  const { env, cwd } = request;
  const given = env["VIGIE_STATE"];
  if (given) return resolve(cwd, given);
  if (env["VIGIE_STATE_FILE"] || env["CREDENTIALS_DIRECTORY"]) return undefined;
  const { value, problems } = await readConfigFile(request);
  if (problems.length > 0) return undefined;
  const folder = valueAt(value, ["state"]) ?? stateDirectory(env) ?? DEFAULT_STATE;
  return typeof folder === "string" && folder !== "" ? resolve(cwd, folder) : undefined;
}

/** systemd names the state folder in $STATE_DIRECTORY; of several, the first is meant. */
export function stateDirectory(env: NodeJS.ProcessEnv): string | undefined {
  return env["STATE_DIRECTORY"]?.split(":")[0] || undefined;
}

export const DEFAULT_STATE = "./state";

function parseFile(
  text: string,
  shown: string,
): Pick<ConfigFile, "value" | "problems" | "place" | "find" | "isComment"> {
  const { value, faults, find } = readYaml(text);
  const problems = faults.map(
    ({ at, expected, got }) => `${shown}:${at.line}:${at.column}: expected ${expected}, got ${got}`,
  );
  const place: ConfigFile["place"] = (option, part) => {
    const { line, column } = find(option, part);
    return `${shown}:${line}:${column}`;
  };
  const isComment = (option: Path) => {
    const { line, column } = find(option, "key");
    const written = text.split("\n")[line - 1]?.slice(column - 1) ?? "";
    return valueAt(value, option) === null && /^[^\s:]+:\s+#\S/.test(written);
  };
  return { value, problems, place, find, isComment };
}

function noFile(problems: string[]): ConfigFile {
  return {
    path: null,
    read: null,
    value: undefined,
    isBlank: false,
    problems,
    place: () => "configuration",
    find: () => ({ line: 1, column: 1 }),
    isComment: () => false,
  };
}

/** Relative to the working folder, unless that is the root, as in a container, or the file is outside of it. */
function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return cwd === "/" || short === "" || short.startsWith("..") ? path : short;
}
