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
   * What is to be in force. Where what was read is refused, that is the configuration before it, or the last one that ran for a
   * minute; throws ConfigError where there is none.
   */
  load: () => Promise<LoadedConfig>;
  /** Asks the Supervisor for the broker; whether it names another one than what was loaded last has. */
  askBroker: () => Promise<boolean>;
  /** Of the form; of messages about it. */
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
  let kept = await readKept(path, log);
  /** As the Supervisor named it last, also before the last start. */
  let named = kept?.broker ?? undefined;
  /** As it was when a configuration was loaded last. */
  let loadedWith: NamedBroker | undefined;
  let cancelWriting: () => void = () => undefined;
  /** One write after the other: on a disk that hangs, an older one must not end last. */
  let writing = Promise.resolve();
  let said = "";
  let saidOfKept = "";

  const load = async (): Promise<LoadedConfig> => {
    const follows = { path: file, fingerprint: await readFingerprint(file) };
    const loaded = await loadRead().catch(async (error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      const before = await loadKept();
      if (!before) throw error;
      sayOnce(error.problems);
      return { ...before, refused: error.problems };
    });
    if (loaded.refused.length === 0) said = "";
    // It may come into being.
    const others = loaded.read.filter((one) => one.path !== file);
    return { ...loaded, read: [...others, follows] };
  };

  const loadRead = async (): Promise<LoadedConfig> => {
    if ("problems" in filledIn) throw new ConfigError(filledIn.problems);
    const own = formSettings(filledIn.form, existsSync(file));
    const loaded = await loadWith(own, [FILE]);
    const given = applySettings(loaded.given, namedBrokerSettings(own, {}));
    keep({ given: given as Kept["given"], broker: loadedWith ?? null });
    return loaded;
  };

  /** Without the file, which is perhaps what is wrong; with the broker of today. */
  const loadKept = async (): Promise<LoadedConfig | undefined> => {
    if (!kept) return undefined;
    const own = splitGroup([], kept.given, { name: "last-good.json", path: [] });
    return loadWith(own, []).catch((error: unknown) => {
      // Another vigie wrote it, which knew other options.
      if (!(error instanceof ConfigError)) throw error;
      const problems = error.problems.join("; ");
      if (problems !== saidOfKept) log.warn(cannotBeUsed(path, problems));
      saidOfKept = problems;
      return undefined;
    });
  };

  const loadWith = async (own: readonly Setting[], places: readonly string[]): Promise<LoadedConfig> => {
    loadedWith = named;
    const ofBroker = namedBrokerSettings(own, named ?? USUAL_BROKER);
    const brokerIsUnknown = ofBroker.length > 0 && named === undefined;
    return { ...(await loadConfig({ ...request, form: [...own, ...ofBroker], places })), brokerIsUnknown };
  };

  const keep = (next: Kept) => {
    if (JSON.stringify(next) === JSON.stringify(kept)) return;
    kept = next;
    writeInAMinute(next);
  };

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

  /** The broker is asked for again and again, and each time all is read. */
  const sayOnce = (problems: readonly string[]) => {
    const text = problems.join("\n");
    if (text === said) return;
    said = text;
    for (const problem of problems) log.error(`Configuration: ${problem}`);
    log.warn("The configuration is refused; the last one that was right is in force in its place");
  };

  const askBroker = async (): Promise<boolean> => {
    if ("form" in filledIn && filledIn.form.broker_address !== undefined) return false;
    const answer = await options.askSupervisor();
    if (request.signal?.aborted) return false;
    if (!("broker" in answer)) {
      const why =
        "none" in answer
          ? "Home Assistant has no MQTT broker: install the app Mosquitto broker, and start it"
          : `Home Assistant's Supervisor does not name the broker: ${answer.failed}`;
      problemLog.starts("supervisor", `${why}. vigie asks again until it does`);
      return false;
    }
    problemLog.isOver("supervisor", `Home Assistant names the broker ${answer.broker.url}`);
    named = answer.broker;
    return !isDeepStrictEqual(named, loadedWith);
  };

  return { load, askBroker, language: () => filledIn.language, file };
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
