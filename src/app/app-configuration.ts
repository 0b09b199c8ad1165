import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { parseBrokerAddress } from "../config/address.ts";
import { type ReadForm, readForm } from "../config/form-options.ts";
import { formSettings, type NamedBroker, namedBrokerSettings } from "../config/form-settings.ts";
import { FORM_WORDS, type FormWords } from "../config/form-words.ts";
import { type LoadedConfig, type LoadRequest, loadConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import { readFingerprint } from "../config/read-text.ts";
import { applySettings, type Setting, splitGroup } from "../config/settings.ts";
import type { Language } from "../core/calendar/day-in-words.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { describeDiskError, hasCode } from "../runtime/disk-errors.ts";
import { codeOf } from "../runtime/error-code.ts";
import { NotAFile, readOwnFile, removeTemporaryFiles, replaceFile } from "../runtime/files.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { valueAt } from "../runtime/value-at.ts";
import type { SupervisorAnswer } from "./ask-supervisor.ts";

/** Where the app of Home Assistant has its configuration from: the form, a file beside it, and the broker that the Supervisor names. */
export interface AppConfiguration {
  /**
   * What is to be in force. If what was read is refused, that is the configuration before it, or the last one that ran for a
   * minute; throws ConfigError if there is none.
   */
  load: () => Promise<LoadedConfig>;
  /** Asks the Supervisor for the broker; whether it names another one than what was loaded last has. */
  askBroker: () => Promise<boolean>;
  /** The language of the form, and of messages about it. */
  language: () => Language;
  /** Which the form does not cover. It need not exist. */
  file: string;
}

interface AppConfigurationOptions {
  /** The folder of the form's options, and of what is kept here. */
  folder: string;
  request: Pick<LoadRequest, "env" | "cwd" | "signal" | "inContainer">;
  askSupervisor: () => Promise<SupervisorAnswer>;
  log: Log;
  problemLog: ProblemLog;
  clock: Pick<ClockWithTimers, "after">;
}

/** A configuration that was right: what it was made of but for what the Supervisor names, and the broker that it named last. */
type Kept = z.output<typeof keptSchema>;

export async function openAppConfiguration(options: AppConfigurationOptions): Promise<AppConfiguration> {
  const { folder, request, log, problemLog, clock } = options;
  const path = join(folder, "last-good.json");
  const file = resolve(request.cwd, FILE);
  const filledIn = await readOptions(join(folder, "options.json"));
  const kept = await openKept(path, { log, problemLog, clock });
  /** As the Supervisor named it last, also before the last start. */
  let named = kept.get()?.broker ?? undefined;
  /** As it was when a configuration was loaded last. */
  let loadedWith: NamedBroker | undefined;
  const sayRefused = createSayOnce((problems) => logRefused(log, problems));
  const sayUnusable = createSayOnce((problems) => log.warn(cannotBeUsed(path, problems.join("; "))));

  const load = async (): Promise<LoadedConfig> => {
    const follows = { path: file, fingerprint: await readFingerprint(file) };
    const loaded = await loadRead().catch(loadKept);
    sayRefused(loaded.refused);
    // It may come into being.
    return { ...loaded, read: [...loaded.read.filter((one) => one.path !== file), follows] };
  };

  const loadRead = async (): Promise<LoadedConfig> => {
    if ("problems" in filledIn) throw new ConfigError(filledIn.problems);
    const own = formSettings(filledIn.form, existsSync(file));
    const loaded = await loadWith(own, [FILE]);
    const given = applySettings(loaded.given, namedBrokerSettings(own, {})) as Kept["given"];
    kept.set({ given, broker: loadedWith ?? null });
    return loaded;
  };

  /** In place of what is refused: without the file, which is perhaps what is wrong; with the broker of today. */
  const loadKept = async (refused: unknown): Promise<LoadedConfig> => {
    const before = kept.get();
    if (!(refused instanceof ConfigError) || !before) throw refused;
    const own = splitGroup([], before.given, { name: "last-good.json", path: [] });
    try {
      return { ...(await loadWith(own, [])), refused: refused.problems };
    } catch (error) {
      // Another vigie wrote it, which knew other options.
      if (!(error instanceof ConfigError)) throw error;
      sayUnusable(error.problems);
      throw refused;
    }
  };

  const loadWith = async (own: readonly Setting[], places: readonly string[]): Promise<LoadedConfig> => {
    loadedWith = named;
    const ofBroker = namedBrokerSettings(own, named ?? USUAL_BROKER);
    const brokerIsUnknown = ofBroker.length > 0 && named === undefined;
    return { ...(await loadConfig({ ...request, form: [...own, ...ofBroker], places })), brokerIsUnknown };
  };

  const askBroker = async (): Promise<boolean> => {
    if ("form" in filledIn && filledIn.form.broker_address !== undefined) return false;
    const answer = await askForBroker(options);
    named = answer ?? named;
    return answer !== null && !isDeepStrictEqual(answer, loadedWith);
  };

  return { load, askBroker, language: () => filledIn.language, file };
}

function logRefused(log: Log, problems: readonly string[]): void {
  for (const problem of problems) log.error(`Configuration: ${problem}`);
  log.warn("The configuration is refused; the last one that was right is in force in its place");
}

/** The same problems only once: the broker is asked for again and again, and each time all is read. */
function createSayOnce(say: (problems: readonly string[]) => void): (problems: readonly string[]) => void {
  let said = "";
  return (problems) => {
    const text = problems.join("\n");
    if (text === said) return;
    said = text;
    if (problems.length > 0) say(problems);
  };
}

/** The broker that the Supervisor names; null: it names none, which the log says, or the app is to stop. */
async function askForBroker({
  askSupervisor,
  request,
  problemLog,
}: AppConfigurationOptions): Promise<NamedBroker | null> {
  const answer = await askSupervisor();
  if (request.signal?.aborted) return null;
  if (!("broker" in answer)) {
    const why =
      "none" in answer
        ? "Home Assistant has no MQTT broker: install the app Mosquitto broker, and start it"
        : `Home Assistant's Supervisor does not name the broker: ${answer.failed}`;
    problemLog.starts("supervisor", `${why}. vigie asks again until it does`);
    return null;
  }
  problemLog.isOver("supervisor", `Home Assistant names the broker ${answer.broker.url}`);
  return answer.broker;
}

/** The last configuration that was right, and ran for a minute. */
async function openKept(
  path: string,
  { log, problemLog, clock }: Pick<AppConfigurationOptions, "log" | "problemLog" | "clock">,
): Promise<{ get: () => Kept | undefined; set: (next: Kept) => void }> {
  let kept = await readKept(path, log);
  let cancelWriting: () => void = () => undefined;
  /** One write after the other: on a disk that hangs, an older one must not end last. */
  let writing = Promise.resolve();
  const writeInAMinute = (next: Kept) => {
    cancelWriting();
    cancelWriting = clock.after(A_MINUTE, () => {
      writing = writing.then(() => write(next));
    });
  };
  /** A newer configuration has a minute of its own: only the newest is written, and only its write is tried again. */
  const write = async (next: Kept) => {
    if (next !== kept) return;
    try {
      await replaceFile(path, JSON.stringify(next), { durable: true });
      problemLog.isOver("last-good", `The configuration is kept in ${path}`);
    } catch (error) {
      const why = describeDiskError(error);
      problemLog.starts("last-good", `The configuration cannot be kept in ${path}: ${why}`);
      if (next === kept) writeInAMinute(next);
    }
  };
  return {
    get: () => kept,
    set: (next) => {
      if (JSON.stringify(next) === JSON.stringify(kept)) return;
      kept = next;
      writeInAMinute(next);
    },
  };
}

/** Once for each start: only then does the Supervisor write them. */
async function readOptions(path: string): Promise<ReadForm> {
  try {
    return readForm(String(await readOwnFile(path, LARGEST)));
  } catch (error) {
    return { language: "fr", problems: [FORM_WORDS.fr.unreadable(path, reasonOf(error, FORM_WORDS.fr))] };
  }
}

function reasonOf(error: unknown, t: FormWords): string {
  if (hasCode(error, "ENOENT")) return t.missing;
  if (hasCode(error, "EACCES", "EPERM")) return t.not_allowed;
  if (error instanceof NotAFile || hasCode(error, "EISDIR")) return t.no_file;
  return t.disk_error(codeOf(error));
}

async function readKept(path: string, log: Log): Promise<Kept | undefined> {
  try {
    await removeTemporaryFiles(path);
    const read = keptSchema.parse(JSON.parse(String(await readOwnFile(path, LARGEST))));
    await protect(path, log);
    return read;
  } catch (error) {
    const isNone = hasCode(error, "ENOENT");
    const why =
      error instanceof z.ZodError || error instanceof SyntaxError
        ? "it is damaged"
        : describeDiskError(error);
    if (!isNone) log.warn(cannotBeUsed(path, why));
    return undefined;
  }
}

function cannotBeUsed(path: string, why: string): string {
  return `The configuration that was kept in ${path} cannot be used: ${why}`;
}

/** It holds a password. Whoever restored it by hand may have left it open to all. */
async function protect(path: string, log: Log): Promise<void> {
  try {
    await chmod(path, 0o600);
  } catch (error) {
    log.warn(`Other users may read the passwords in ${path}: ${describeDiskError(error)}`);
  }
}

const namedBroker = z.object({
  url: z.string(),
  username: z.string().optional(),
  password: z.string().optional(),
});
const keptSchema = z.object({
  /** Invented days and the embedded broker are no part of the app. */
  given: z
    .record(z.string(), z.unknown())
    .refine((given) => valueAt(given, ["mqtt", "url"]) !== "embedded")
    .refine((given) => valueAt(given, ["service", "base_url"]) !== "simulator")
    .refine((given) => valueAt(given, ["official", "source"]) !== "simulator"),
  /** One that cannot be an address is none: the usual one is tried. */
  broker: namedBroker
    .nullable()
    .transform((broker) => (broker && isAddressOfBroker(broker.url) ? broker : null)),
});

/** As `askSupervisor` writes it. */
function isAddressOfBroker(url: string): boolean {
  return /^mqtts?:\/\/[\w.-]+:[1-9]\d*$/.test(url) && parseBrokerAddress(url) !== undefined;
}

/** In a container, whose working folder is the root: /config/vigie.yaml. */
const FILE = "./config/vigie.yaml";
/** Where Home Assistant's own broker is, once it is installed. */
const USUAL_BROKER: NamedBroker = { url: "mqtt://core-mosquitto:1883" };
const A_MINUTE = 60_000;
/** Bytes: of the form, and of what is kept. */
const LARGEST = 4 * 1024 * 1024;
