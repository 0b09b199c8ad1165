import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { valueAt } from "../runtime/value-at.ts";
import { applySettings, type Setting, spreadGroup, withValue } from "./apply-settings.ts";
import type { Config } from "./config.ts";
import { type ConfigFile, type FileRequest, PLACES, readConfigFile } from "./config-file.ts";
import { configSchema } from "./config-schema.ts";
import { isContainer } from "./container.ts";
import { readEnvironment } from "./environment.ts";
import { listOptions, type Path } from "./list-options.ts";
import { ConfigError, describeIssues, expectation, type Problem, pathText, shown } from "./problems.ts";
import { whyUnreadable } from "./read-file.ts";
import { findWarnings } from "./warnings.ts";

export interface LoadRequest extends FileRequest {
  /** From the command line, in the shape of the file. */
  overrides?: object | undefined;
  inContainer?: boolean | undefined;
}

export interface LoadedConfig {
  config: Config;
  /** The configuration file; null where everything came from variables. */
  file: string | null;
  /** Every file that was read, absolute: a change of one may change the configuration. */
  read: string[];
  warnings: string[];
}

/** Command line over environment over file over default; refused whole (ConfigError) when anything is wrong. */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  const { env, cwd, overrides = {}, inContainer = isContainer() } = request;
  const file = await readConfigFile(request);
  const environment = await readEnvironment(env, cwd);
  const fromLine = spreadGroup([], overrides, { name: "command line", path: [] });
  const settings = [...environment.settings, ...fromLine];
  const read = [...file.read, ...environment.read];
  if (file.problems.length > 0) throw new ConfigError([...file.problems, ...environment.problems], read);
  const given = withState(applySettings(file.value, settings), env);
  const { config, problems } = await judge(given, cwd, (problem) => placed(problem, file, settings));
  const refusals = [...missingWithoutFile(file, settings, request), ...environment.problems, ...problems];
  if (config === undefined || refusals.length > 0) throw new ConfigError(refusals, read);
  const warnings = [...environment.warnings, ...findWarnings(config, inContainer)];
  return { config, file: file.path, read, warnings };
}

async function judge(
  given: unknown,
  cwd: string,
  text: (problem: Problem) => string,
): Promise<{ config?: Config; problems: string[] }> {
  const parsed = configSchema.safeParse(given ?? {}, { error: expectation });
  if (!parsed.success) return { problems: describeIssues(parsed.error.issues, given).map(text) };
  const config = { ...parsed.data, state: resolve(cwd, parsed.data.state) };
  const tls = withAbsolutePaths(config.mqtt.tls, cwd);
  const unreadable = await findUnreadable(tls);
  return { config: { ...config, mqtt: { ...config.mqtt, tls } }, problems: unreadable.map(text) };
}

type Tls = Config["mqtt"]["tls"];
const TLS_FILES = ["ca_file", "cert_file", "key_file"] as const;

function withAbsolutePaths(tls: Tls, cwd: string): Tls {
  const paths = TLS_FILES.flatMap((name) =>
    tls[name] === undefined ? [] : [[name, resolve(cwd, tls[name])]],
  );
  return { ...tls, ...Object.fromEntries(paths) };
}

async function findUnreadable(tls: Tls): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const name of TLS_FILES) {
    const file = tls[name];
    const path = ["mqtt", "tls", name];
    const failure = file === undefined ? undefined : await failureToRead(file);
    if (!failure) continue;
    const got = `${shown(file, path)} (${whyUnreadable(failure)})`;
    problems.push({ path, part: "value", expected: "a file that can be read", got });
  }
  return problems;
}

async function failureToRead(path: string): Promise<NodeJS.ErrnoException | undefined> {
  return access(path, constants.R_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
}

/** systemd names the state folder in a variable of its own; of several, the first. */
function withState(given: unknown, env: NodeJS.ProcessEnv): unknown {
  const [folder] = env["STATE_DIRECTORY"]?.split(":") ?? [];
  const isGiven = valueAt(given, ["state"]) !== undefined;
  return isGiven || !folder ? given : withValue(given, ["state"], folder);
}

function placed(
  { path, part, expected, got }: Problem,
  file: ConfigFile,
  settings: readonly Setting[],
): string {
  return `${placeOf(path, part, file, settings)}: expected ${expected}, got ${got}`;
}

function placeOf(path: Path, part: Problem["part"], file: ConfigFile, settings: readonly Setting[]): string {
  const from = settings.findLast((setting) => isPrefix(setting.path, path))?.from;
  if (from) return joined(from.name, path.slice(from.path.length));
  if (file.path !== null) return joined(file.place(path, part), path);
  const option = listOptions().findLast((one) => isPrefix(one.path, path));
  return option ? joined(option.variable, path.slice(option.path.length)) : joined("configuration", path);
}

function joined(name: string, path: Path): string {
  return path.length === 0 ? name : `${name} ${pathText(path)}`;
}

function isPrefix(path: Path, of: Path): boolean {
  return path.every((key, index) => key === of[index]);
}

/** Nobody's container invents days or talks to itself because a file was not mounted. */
function missingWithoutFile(
  file: ConfigFile,
  settings: readonly Setting[],
  { places = PLACES }: LoadRequest,
): string[] {
  if (file.path !== null) return [];
  const needed = { VIGIE_SERVICE_BASE_URL: "service.base_url", VIGIE_MQTT_URL: "mqtt.url" };
  return Object.entries(needed)
    .filter(([, option]) => !settings.some(({ path }) => path.join(".") === option))
    .map(
      ([variable]) =>
        `${variable}: expected an address, got nothing, and there is no configuration file (${places.join(", ")})`,
    );
}
