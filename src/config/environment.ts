import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { maskAddress } from "./address.ts";
import type { FileRequest } from "./config-file.ts";
import { meansSame, nearestInSpelling } from "./nearest-word.ts";
import { listOptions, type Option } from "./option-list.ts";
import { type ReadFile, readValue } from "./read-text.ts";
import { type Setting, splitGroup } from "./settings.ts";
import { isSecret } from "./shown-value.ts";
import { readYaml } from "./yaml-text.ts";

/** What was found in variables, in the files that they name, and in systemd's credentials. */
interface Environment {
  settings: Setting[];
  problems: string[];
  warnings: string[];
  read: ReadFile[];
}

export async function readEnvironment({ env, cwd, signal }: FileRequest): Promise<Environment> {
  const found: Environment = { settings: [], problems: [], warnings: warnOfUnknown(env), read: [] };
  const credentials = await listCredentials(env, found);
  for (const option of listOptions().filter((one) => !isFileOfAnother(one))) {
    const given = await readOption(option, { env, cwd, signal, credentials, found });
    if (given) addSettings(option, given, found);
  }
  return found;
}

/** VIGIE_MQTT_PASSWORD_FILE is `mqtt.password_file`, and the file of `mqtt.password`: it is read as the latter. */
function isFileOfAnother({ variable }: Option): boolean {
  return listOptions().some((other) => `${other.variable}_FILE` === variable);
}

interface Source {
  env: NodeJS.ProcessEnv;
  cwd: string;
  signal: AbortSignal | undefined;
  credentials: ReadonlySet<string>;
  found: Environment;
}

interface Given {
  /** As messages name it. */
  name: string;
  text: string;
}

/** The variable (`VIGIE_MQTT_URL`), else the file that is named by `VIGIE_MQTT_URL_FILE`, else the credential. */
async function readOption(option: Option, source: Source): Promise<Given | undefined> {
  const { env, cwd, credentials } = source;
  const text = env[option.variable];
  if (text) return { name: option.variable, text };
  const name = `${option.variable}_FILE`;
  const file = env[name];
  if (file) {
    const shown = isSecret(option.path) && !/^\.{0,2}\//.test(file) ? PERHAPS_A_PASSWORD : maskAddress(file);
    const given = await readGivenFile({ name, file: resolve(cwd, file), shown }, source);
    if (given) return given;
  }
  if (!credentials.has(option.credential)) return undefined;
  const credential = join(env["CREDENTIALS_DIRECTORY"] ?? "", option.credential);
  return readGivenFile(
    { name: `credential ${option.credential}`, file: credential, shown: credential },
    source,
  );
}

const PERHAPS_A_PASSWORD =
  "a text that is not shown, as it may be the password itself: a path begins with / or ./";

/** undefined where the file is empty, or cannot be read, which is a problem. */
async function readGivenFile(
  { name, file, shown }: { name: string; file: string; shown: string },
  { signal, found }: Source,
): Promise<Given | undefined> {
  try {
    const { text, read } = await readValue(file, signal);
    found.read.push(read);
    return text === "" ? undefined : { name, text };
  } catch (error) {
    const why = describeDiskError(error);
    found.problems.push(`${name}: expected a file that can be read, got ${shown} (${why})`);
    return undefined;
  }
}

async function listCredentials(env: NodeJS.ProcessEnv, found: Environment): Promise<Set<string>> {
  const folder = env["CREDENTIALS_DIRECTORY"];
  if (!folder) return new Set();
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    const why = describeDiskError(error);
    found.warnings.push(`CREDENTIALS_DIRECTORY: expected a folder that can be read, got ${folder} (${why})`);
    return new Set();
  }
}

/** Where the option takes a text, the text is the value (`0123`, `true`, `off`); else it is YAML, as in the file. */
function addSettings(option: Option, { name, text }: Given, found: Environment): void {
  const origin = { name, path: option.path };
  if (takesText(option, text)) {
    found.settings.push({ path: option.path, value: text, origin });
    return;
  }
  const { value, faults } = readYaml(text);
  found.settings.push(...splitGroup(option.path, value, origin));
  found.problems.push(...faults.map(({ expected, got }) => `${name}: expected ${expected}, got ${got}`));
}

function takesText({ schema }: Option, text: string): boolean {
  const [issue] = schema.safeParse(text).error?.issues ?? [];
  const isOfType = issue?.code !== "invalid_type" && issue?.code !== "invalid_union";
  return isOfType || issue.path.length > 0;
}

/** Only a warning: Kubernetes sets variables such as VIGIE_PORT for a service that is named vigie. */
function warnOfUnknown(env: NodeJS.ProcessEnv): string[] {
  const names = ["VIGIE_CONFIG", ...listOptions().map(({ variable }) => variable)];
  const known = [...names, ...listOptions().map(({ variable }) => `${variable}_FILE`)];
  const unknown = Object.keys(env).filter((name) => name.startsWith("VIGIE_") && !known.includes(name));
  return unknown.toSorted().map((name) => {
    const near = findMeant(name, known) ?? nearestInSpelling(name, known, Number.POSITIVE_INFINITY);
    return `${name}: no option has this name, so it is ignored (the nearest name is ${near})`;
  });
}

/** `VIGIE_MQTT_URL` of `VIGIE_MQTT_HOST` and of `VIGIE_BROKER`; `VIGIE_MQTT_PASSWORD_FILE` of `VIGIE_PASSWORD_FILE`. */
function findMeant(name: string, known: readonly string[]): string | undefined {
  const single = listOptions().filter(({ isGroup }) => !isGroup);
  const ofGroup = single.find(({ path, variable }) => {
    const group = variable.slice(0, -lastKey(path).length);
    return name.startsWith(group) && meansSame(name.slice(group.length), lastKey(path));
  });
  const sameEnd = known.find((variable) => variable.endsWith(name.slice("VIGIE".length)));
  const elsewhere = single.find(({ path }) => meansSame(name.slice("VIGIE_".length), lastKey(path)));
  return ofGroup?.variable ?? sameEnd ?? elsewhere?.variable;
}

function lastKey(path: Option["path"]): string {
  return path.at(-1) ?? "";
}
