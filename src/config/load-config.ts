import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import type { Output } from "../core/outputs/output.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import type { Config } from "./config.ts";
import {
  type ConfigFile,
  DEFAULT_PLACES,
  type FileRequest,
  readConfigFile,
  stateDirectory,
} from "./config-file.ts";
import { configSchema } from "./config-schema.ts";
import { isWithin, outsideOfBase } from "./conflict.ts";
import { A_SERVICE, lacksUser } from "./conflicts.ts";
import { readEnvironment } from "./environment.ts";
import { firstLookOutputs } from "./first-look-outputs.ts";
import { findUnreadableOutputFiles } from "./http-output-warnings.ts";
import { DEFAULT_INSTANCE } from "./id-word.ts";
import { findLoopbackWarnings } from "./loopback-warnings.ts";
import { listOptions } from "./option-list.ts";
import { ConfigError, describeExpectation, describeIssues, type Problem, sayProblem } from "./problems.ts";
import { type ReadFile, readValue } from "./read-text.ts";
import { findKey } from "./rule-references.ts";
import { applySettings, type Setting, setValue, splitGroup } from "./settings.ts";
import { type Path, showPath, showValue } from "./shown-value.ts";
import { findWarnings } from "./warnings.ts";

export interface LoadRequest extends FileRequest {
  /** From the form of the Home Assistant app: it counts more than the file, and less than variables. */
  form?: readonly Setting[] | undefined;
  /** From the command line, in the shape of the file. */
  overrides?: object | undefined;
  inContainer?: boolean | undefined;
}

export interface LoadedConfig {
  config: Config;
  /** What it was made of, in the shape of the file. It holds secrets. */
  given: unknown;
  /** The configuration file; null where everything came from variables. */
  file: string | null;
  /** Every file that was read: a change of one may change the configuration. */
  read: ReadFile[];
  warnings: string[];
  /** What is wrong with what was read, where another configuration is in force in its place; empty: nothing. */
  refused: readonly string[];
  /** Nobody has named a broker yet, so that vigie tries a usual address. */
  brokerIsUnknown: boolean;
}

/**
 * Reads the file and the environment, puts them together (command line over environment over form over file over default), and
 * checks the result. Throws ConfigError with every problem when anything is wrong.
 */
export async function loadConfig(request: LoadRequest): Promise<LoadedConfig> {
  const { env, cwd, form = [], overrides = {}, inContainer = isContainer() } = request;
  const file = await readConfigFile(request);
  const environment = await readEnvironment(request);
  if (file.problems.length > 0) throw new ConfigError([...file.problems, ...environment.problems]);

  const commandLine = splitGroup([], overrides, { name: "command line", path: [] });
  const { settings, unused } = dropPasswordWithoutUser(file, [
    ...form,
    ...environment.settings,
    ...commandLine,
  ]);
  const values = addFirstLook(addStateDirectory(applySettings(file.value, settings), env)) ?? {};
  const { given, ...password } = await readPasswordFile(values, settings, request);
  const missing = isEmpty(file) ? findMissing(file, settings, request) : [];

  // jitless: each schema is used once, and compiling functions for it would take longer than it saves.
  const parsed = configSchema.safeParse(given, { error: describeExpectation, jitless: true });
  const config = parsed.data && withAbsolutePaths(parsed.data, cwd);
  const found = [
    ...describeIssues(parsed.error?.issues ?? [], given),
    ...password.problems,
    ...(await findUnreadableFiles(given, cwd)),
    ...findOwnTopics(given),
  ];
  // Of an option that is missing, a conflict of its default says nothing.
  const isSaid = ({ path }: Problem) =>
    missing.length > 0 && path.join(".") === "service.base_url" && valueAt(given, path) === undefined;
  const problems = inOrder(
    found.filter((problem) => !isSaid(problem)),
    file,
    settings,
  ).map((problem) => sayProblem(placeOf(problem, file, settings), withPlaces(problem, file, settings)));

  const refused = [...missing, ...problems, ...environment.problems];
  if (!config || refused.length > 0) throw new ConfigError(refused);
  const doubtful = [
    ...findWarnings(config, inContainer),
    ...(inContainer ? await findLoopbackWarnings(config) : []),
    ...(await findUnreadableOutputFiles(config)),
  ];
  const warnings = doubtful.map(({ path, id, words }) => {
    const name = id === undefined ? "" : ` ${id}`;
    const place = `${placeOf({ path: asWritten(path, given), part: "value" }, file, settings)}${name}`;
    if (typeof words === "string") return `${place}: ${words}`;
    return isOfFrenchForm(path, form) ? `${place}\u00a0: ${words.fr}` : `${place}: ${words.en}`;
  });
  const read = [...(file.read === null ? [] : [file.read]), ...environment.read, ...password.read];
  return {
    config,
    given,
    file: file.path,
    read,
    warnings: [...environment.warnings, ...findUnusedValues(file, form), ...unused, ...warnings],
    refused: [],
    brokerIsUnknown: false,
  };
}

/** The form says these options, and its fields have French names. */
function isOfFrenchForm(path: Path, form: readonly Setting[]): boolean {
  const isFrench = form.some(
    (setting) => setting.path.join(".") === "homeassistant.language" && setting.value === "fr",
  );
  return isFrench && form.some((setting) => setting.path.every((key, index) => key === path[index]));
}

/** The service and the broker of the file, where the form has others. A file that begins as the shipped one has those of a first look. */
function findUnusedValues(file: ConfigFile, form: readonly Setting[]): string[] {
  return form.flatMap(({ path, value, origin }) => {
    const given = valueAt(file.value, path);
    const isUnused = given !== undefined && value !== undefined && given !== value;
    if (!isUnused || path.at(-1) === "language" || ["simulator", "embedded"].includes(String(given)))
      return [];
    const place = joinPlace(file.place(path, "value"), path);
    return [`${place}: the form counts here, and not the file (${origin.name})`];
  });
}

/**
 * A password from outside of the file without a user, as when systemd still hands one over at a broker without login: with it
 * alone the broker would close the connection.
 */
function dropPasswordWithoutUser(file: ConfigFile, given: readonly Setting[]) {
  if (!lacksUser(applySettings(file.value, given))) return { settings: given, unused: [] };
  const isPassword = ({ path, value }: Setting) =>
    ["mqtt.password", "mqtt.password_file"].includes(path.join(".")) && value !== undefined;
  const unused = given.filter(isPassword).map(({ path, origin }) => {
    const place = joinPlace(origin.name, path.slice(origin.path.length));
    return `${place}: this password is not used, because there is no user: set mqtt.username, or remove the password`;
  });
  const settings = given.map((setting) => (isPassword(setting) ? { ...setting, value: undefined } : setting));
  return { settings, unused };
}

/** Outputs may be written as `{ list: [ … ] }`. */
function asWritten([first, ...rest]: Path, given: unknown): Path {
  const isInGroup = first === "outputs" && !Array.isArray(valueAt(given, ["outputs"]));
  return [...(first === undefined ? [] : [first]), ...(isInGroup ? ["list"] : []), ...rest];
}

function addStateDirectory(given: unknown, env: NodeJS.ProcessEnv): unknown {
  const folder = stateDirectory(env);
  const isGiven = valueAt(given, ["state"]) !== undefined;
  return isGiven || !folder ? given : setValue(given, ["state"], folder);
}

interface GivenPassword {
  given: unknown;
  read: ReadFile[];
  problems: Problem[];
}

/**
 * Puts the content of `mqtt.password_file` in place of the path. A password from outside of the file counts more, and the
 * embedded broker asks for none.
 */
async function readPasswordFile(
  given: unknown,
  settings: readonly Setting[],
  { cwd, signal }: LoadRequest,
): Promise<GivenPassword> {
  const path = ["mqtt", "password_file"];
  const file = valueAt(given, path);
  const asItIs = { given, read: [], problems: [] };
  if (typeof file !== "string") return asItIs;
  const isElsewhere = settings.some((setting) => setting.path.join(".") === "mqtt.password");
  const isAsked = (valueAt(given, ["mqtt", "url"]) ?? "embedded") !== "embedded" && !isElsewhere;
  if (!isAsked) return { ...asItIs, given: setValue(given, path, undefined) };
  if (file === "" || valueAt(given, ["mqtt", "password"])) return asItIs;
  try {
    const { text, read } = await readValue(resolve(cwd, file), signal);
    const withPassword = setValue(setValue(given, ["mqtt", "password"], text), path, undefined);
    return { given: withPassword, read: [read], problems: [] };
  } catch (error) {
    const got = `${showValue(file, path)} (${describeDiskError(error)})`;
    return { ...asItIs, problems: [{ path, part: "value", expected: "a file that can be read", got }] };
  }
}

/** In a first look there are devices to look at, unless `outputs` is set. */
function addFirstLook(given: unknown): unknown {
  const isSimulated = (valueAt(given, ["service", "base_url"]) ?? "simulator") === "simulator";
  const isEmbedded = (valueAt(given, ["mqtt", "url"]) ?? "embedded") === "embedded";
  const isGiven = valueAt(given, ["outputs"]) !== undefined;
  const outputs = firstLookOutputs(listAt(given, ["rules"]).map((rule) => valueAt(rule, ["id"])));
  return isGiven || !isSimulated || !isEmbedded || outputs.length === 0
    ? given
    : setValue(given, ["outputs"], outputs);
}

/** No file, or one without options: of 0 bytes, or with comments only. */
function isEmpty({ value }: ConfigFile): boolean {
  return value === undefined || value === null;
}

/**
 * Without a file, no default for these: a container whose file was not mounted must not run on invented days, nor a vigie
 * whose file was emptied by a full disk or a power cut.
 */
function findMissing(
  file: ConfigFile,
  settings: readonly Setting[],
  { form = [], places = DEFAULT_PLACES }: LoadRequest,
): string[] {
  // The form names both, but no rules and devices beside a file: an emptied one would remove them all.
  if (file.path !== null && form.length > 0)
    return [
      `${file.place([], "value")}: expected rules or other options, got an empty file. Write them into it, or remove it: then the rules and devices of the form count`,
    ];
  const missing = NEEDED.filter(({ option }) => !settings.some(({ path }) => path.join(".") === option));
  if (missing.length === 0)
    return file.isBlank
      ? [
          `${file.place([], "value")}: expected options or a comment, got an empty file. Write them into it, or remove it: then the variables alone count`,
        ]
      : [];
  if (file.path !== null) {
    const options = missing.map(({ option }) => option).join(" and ");
    const variables = missing.map(({ variable }) => variable).join(" and ");
    return [
      `${file.place([], "value")}: expected ${options}, got an empty file. Write them into it (for a first look: service: { base_url: simulator } and mqtt: { url: embedded }), or set ${variables}`,
    ];
  }
  return missing.map(
    ({ variable, expected }) =>
      `${variable}: expected ${expected}, got nothing, and there is no configuration file (${places.join(", ")})`,
  );
}

const NEEDED = [
  { variable: "VIGIE_SERVICE_BASE_URL", option: "service.base_url", expected: A_SERVICE },
  { variable: "VIGIE_MQTT_URL", option: "mqtt.url", expected: "the address of a broker" },
];

function withAbsolutePaths(config: Config, cwd: string): Config {
  const tls = { ...config.mqtt.tls };
  for (const name of TLS_FILES) {
    if (tls[name] !== undefined) tls[name] = resolve(cwd, tls[name]);
  }
  const outputs = { ...config.outputs, list: config.outputs.list.map((one) => withAbsoluteFiles(one, cwd)) };
  return { ...config, state: resolve(cwd, config.state), mqtt: { ...config.mqtt, tls }, outputs };
}

function withAbsoluteFiles(output: Output, cwd: string): Output {
  if (!output.access) return output;
  const { secret_file, ca_file } = output.access;
  const access = {
    ...output.access,
    ...(secret_file !== undefined && { secret_file: resolve(cwd, secret_file) }),
    ...(ca_file !== undefined && { ca_file: resolve(cwd, ca_file) }),
  };
  return { ...output, access };
}

/** The embedded broker needs none of them: `vigie demo` takes the configuration of a house whose files are elsewhere. */
async function findUnreadableFiles(given: unknown, cwd: string): Promise<Problem[]> {
  if ((valueAt(given, ["mqtt", "url"]) ?? "embedded") === "embedded") return [];
  const problems: Problem[] = [];
  for (const name of TLS_FILES) {
    const path = ["mqtt", "tls", name];
    const file = valueAt(given, path);
    if (typeof file !== "string" || file === "") continue;
    const absolute = resolve(cwd, file);
    try {
      await access(absolute, constants.R_OK);
    } catch (error) {
      const got = `${showValue(absolute, path)} (${describeDiskError(error)})`;
      problems.push({ path, part: "value", expected: "a file that can be read", got });
    }
  }
  return problems;
}

/** A rule that listens to what vigie publishes could follow itself. */
function findOwnTopics(given: unknown): Problem[] {
  const base = valueAt(given, ["mqtt", "base_topic"]) ?? valueAt(given, ["instance"]) ?? DEFAULT_INSTANCE;
  if (typeof base !== "string" || base === "") return [];
  return listAt(given, ["rules"]).flatMap((rule, index) =>
    findKey(rule, "mqtt").flatMap((key): Problem[] => {
      const path = ["rules", index, ...key, "topic"];
      const topic = String(valueAt(given, path));
      if (!isWithin(topic, base)) return [];
      const expected = outsideOfBase(base);
      const advice = "Days, times and other rules have conditions of their own: day, period, rule";
      return [{ path, part: "value", expected, got: showValue(topic, path), advice }];
    }),
  );
}

const TLS_FILES = ["ca_file", "cert_file", "key_file"] as const;

/** `config/vigie.yaml:3:5 mqtt.url`, or the name of the variable that the value came from. */
function placeOf(
  { path, part }: Pick<Problem, "path" | "part">,
  file: ConfigFile,
  settings: readonly Setting[],
): string {
  const origin = settings.findLast((setting) => startsWith(path, setting.path))?.origin;
  if (origin) return joinPlace(origin.name, path.slice(origin.path.length));
  if (file.path !== null) return joinPlace(file.place(path, part), path);
  const option = listOptions().findLast((one) => startsWith(path, one.path));
  if (!option) return joinPlace("configuration", path);
  return joinPlace(option.variable, path.slice(option.path.length));
}

/** Adds what only the file shows: that a comment stands in place of the value, and the place at which the same stands already. */
function withPlaces(problem: Problem, file: ConfigFile, settings: readonly Setting[]): Problem {
  const { path, first, got } = problem;
  if (first)
    return { ...problem, got: `${got}, as at ${placeOf({ path: first, part: "value" }, file, settings)}` };
  const advice = "What follows # is a comment: put quotes around a text that begins with #";
  return file.isComment(path) ? { ...problem, advice } : problem;
}

/** As they stand in the file; then those from outside of it. */
function inOrder(
  problems: readonly Problem[],
  file: ConfigFile,
  settings: readonly Setting[],
): readonly Problem[] {
  const orderOf = ({ path, part }: Problem): readonly [layer: number, first: number, second: number] => {
    const setting = settings.findLastIndex((one) => startsWith(path, one.path));
    const { line, column } = file.find(path, part);
    return setting < 0 ? [0, line, column] : [1, setting, 0];
  };
  return problems
    .map((problem) => ({ problem, order: orderOf(problem) }))
    .sort(({ order: one }, { order: other }) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2])
    .map(({ problem }) => problem);
}

function joinPlace(place: string, path: Path): string {
  return path.length === 0 ? place : `${place} ${showPath(path)}`;
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((key, index) => key === path[index]);
}

/** Docker and Podman leave a file that says so. */
function isContainer(): boolean {
  return ["/.dockerenv", "/run/.containerenv"].some((mark) => existsSync(mark));
}
