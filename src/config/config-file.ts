import { dirname, relative, resolve } from "node:path";
import { describeDiskRemedy } from "../runtime/disk-errors.ts";
import { isAbsent, readText, whyUnreadable } from "./read-file.ts";
import { readYaml, type YamlText } from "./yaml-text.ts";

/** The configuration file: what it says and where, or what keeps it from being read. */
export interface ConfigFile {
  /** Absolute; null without a file. */
  path: string | null;
  value: unknown;
  problems: string[];
  read: string[];
  /** `config/vigie.yaml:3:5`. */
  place(path: readonly PropertyKey[], part: "key" | "value"): string;
}

export const PLACES = ["./config/vigie.yaml", "/data/vigie.yaml", "/etc/vigie/vigie.yaml"];
/** Its folder holds nothing but what is vigie's: there one may give it away. */
const OF_VIGIE_ALONE = "/data/vigie.yaml";

export interface FileRequest {
  /** From `--config`. */
  file?: string | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Where a file is looked for when none is named. */
  places?: readonly string[] | undefined;
}

/** The file that was named, which must be there; else the first that is there of the usual places. */
export async function readConfigFile({ file, env, cwd, places = PLACES }: FileRequest): Promise<ConfigFile> {
  const named = file ? { file, by: "--config" } : { file: env["VIGIE_CONFIG"], by: "VIGIE_CONFIG" };
  const candidates = named.file ? [named.file] : places;
  for (const candidate of candidates) {
    const path = resolve(cwd, candidate);
    const shown = shownPath(path, cwd);
    const found = await readText(path);
    if ("text" in found) return parsed(path, shown, readYaml(found.text));
    if (!named.file && isAbsent(found.failure)) continue;
    const by = named.file ? ` (named by ${named.by})` : "";
    const mend = path === OF_VIGIE_ALONE ? describeDiskRemedy(found.failure, dirname(path)) : "";
    const why = `${whyUnreadable(found.failure)}${mend}`;
    return nothing([`${shown}${by}: expected a file that can be read, got ${why}`]);
  }
  return nothing([]);
}

function parsed(path: string, shown: string, { value, faults, find }: YamlText): ConfigFile {
  const text = ({ line, column }: { line: number; column: number }) => `${shown}:${line}:${column}`;
  const problems = faults.map(({ at, expected, got }) => `${text(at)}: expected ${expected}, got ${got}`);
  return { path, value, problems, read: [path], place: (option, part) => text(find(option, part)) };
}

function nothing(problems: string[]): ConfigFile {
  return { path: null, value: undefined, problems, read: [], place: () => "configuration" };
}

/** From the working folder where that is shorter and as clear: in a container that is the root. */
function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return cwd === "/" || short.startsWith("..") ? path : short;
}
