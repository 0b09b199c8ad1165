import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { maskAddress } from "./address.ts";
import { type Origin, type Setting, spreadGroup } from "./apply-settings.ts";
import { isSecret, listOptions, type Option } from "./list-options.ts";
import { nearest } from "./nearest-word.ts";
import { readText, whyUnreadable } from "./read-file.ts";
import { readYaml } from "./yaml-text.ts";

/** What variables, the files they name, and systemd's credentials say. */
interface Environment {
  settings: Setting[];
  problems: string[];
  warnings: string[];
  read: string[];
}

export async function readEnvironment(env: NodeJS.ProcessEnv, cwd: string): Promise<Environment> {
  const options = listOptions();
  const found: Environment = {
    settings: [],
    problems: [],
    warnings: unknownVariables(env, options),
    read: [],
  };
  const credentials = await listCredentials(env, found);
  for (const option of options) {
    const given =
      givenDirectly(env, option) ??
      (await givenByFile(env, option, cwd, found)) ??
      (credentials.has(option.credential) ? await givenAsCredential(env, option, found) : undefined);
    if (given) interpret(option, given, found);
  }
  return found;
}

interface Given {
  name: string;
  text: string;
}

function givenDirectly(env: NodeJS.ProcessEnv, { variable }: Option): Given | undefined {
  const text = env[variable];
  return text ? { name: variable, text } : undefined;
}

async function givenByFile(
  env: NodeJS.ProcessEnv,
  option: Option,
  cwd: string,
  found: Environment,
): Promise<Given | undefined> {
  const name = `${option.variable}_FILE`;
  const path = env[name];
  // Where a name means two things, the option's exact name wins.
  if (!path || listOptions().some(({ variable }) => variable === name)) return undefined;
  // Whoever puts the secret itself there must not see it in a message.
  const words = isSecret(option.path) ? "a file" : maskAddress(path);
  return readValue(name, resolve(cwd, path), words, found);
}

async function givenAsCredential(
  env: NodeJS.ProcessEnv,
  { credential }: Option,
  found: Environment,
): Promise<Given | undefined> {
  const path = join(env["CREDENTIALS_DIRECTORY"] ?? "", credential);
  return readValue(`credential ${credential}`, path, path, found);
}

async function readValue(
  name: string,
  path: string,
  words: string,
  found: Environment,
): Promise<Given | undefined> {
  const file = await readText(path);
  if ("failure" in file) {
    found.problems.push(
      `${name}: expected a file that can be read, got ${words} (${whyUnreadable(file.failure)})`,
    );
    return undefined;
  }
  found.read.push(path);
  const text = file.text.replace(/\r?\n$/, "");
  return text === "" ? undefined : { name, text };
}

async function listCredentials(env: NodeJS.ProcessEnv, found: Environment): Promise<Set<string>> {
  const folder = env["CREDENTIALS_DIRECTORY"];
  if (!folder) return new Set();
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    const why = whyUnreadable(error as NodeJS.ErrnoException);
    found.warnings.push(`CREDENTIALS_DIRECTORY: expected a folder that can be read, got ${folder} (${why})`);
    return new Set();
  }
}

/** A text stays a text where the option takes one (`0123`, `true`, `off`); else it is YAML, as in the file. */
function interpret(option: Option, { name, text }: Given, found: Environment): void {
  const from: Origin = { name, path: option.path };
  if (takesText(option, text)) {
    found.settings.push({ path: option.path, value: text, from });
    return;
  }
  const { value, faults } = readYaml(text);
  found.settings.push(...spreadGroup(option.path, value, from));
  found.problems.push(...faults.map(({ expected, got }) => `${name}: expected ${expected}, got ${got}`));
}

function takesText({ schema }: Option, text: string): boolean {
  const [issue] = schema.safeParse(text).error?.issues ?? [];
  const isOfType = issue?.code !== "invalid_type" && issue?.code !== "invalid_union";
  return isOfType || issue.path.length > 0;
}

function unknownVariables(env: NodeJS.ProcessEnv, options: readonly Option[]): string[] {
  const names = [...options.map(({ variable }) => variable), "VIGIE_CONFIG"];
  const known = new Set([...names, ...options.map(({ variable }) => `${variable}_FILE`)]);
  const unknown = Object.keys(env).filter((name) => name.startsWith("VIGIE_") && !known.has(name));
  return unknown.toSorted().map((name) => {
    const near = nearest(name.slice(0, 80), [...known], Number.POSITIVE_INFINITY);
    return `${name}: no option has this name, so it is ignored (the nearest is ${near})`;
  });
}
