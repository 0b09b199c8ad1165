import type { Added } from "./added-outputs.ts";
import { findBrokers, type GivenBroker } from "./broker.ts";
import { type Answers, configText } from "./compose-config.ts";
import { type Setup, SetupFailed, type SetupOptions } from "./context.ts";
import { isShipped, outputsIn } from "./file-before.ts";
import { personAtTerminal, type SetupIo, Stopped, scriptedPerson } from "./person.ts";
import { settleBroker } from "./settle-broker.ts";
import { settleOutputs } from "./settle-outputs.ts";
import { type Sources, settleSources, settleUntried } from "./settle-sources.ts";
import { findTarget, type Target, writeTarget } from "./target.ts";
import { languageOf, WHICH_LANGUAGE, WORDS, type Words } from "./words.ts";

/** `file`: the configuration that was written. */
export type SetupResult = { code: number; file?: undefined } | WrittenSetup;

export interface WrittenSetup {
  code: number;
  file: string;
  /** Holds the password, where there is one. */
  passwordFile: string | undefined;
  /** The sources that were kept although they did not answer. */
  untried: Sources["untried"];
  words: Words["check"];
  /** Says again what the check has found. */
  checkCommand: string;
  /** What is said at the end. */
  howToStart: string;
}

/** Asks, tries each answer at once, and writes the configuration. What cannot go on is said, and is in the exit code. */
export async function runSetup(options: SetupOptions, io: SetupIo): Promise<SetupResult> {
  let language = options.language ?? languageOf(io.env);
  const terminal = options.yes ? undefined : io.terminal;
  const person = terminal ? personAtTerminal(io, terminal, () => WORDS[language]) : scriptedPerson(io);
  const { ask, signal } = person;
  try {
    if (ask && options.language === undefined)
      language = await ask.choose(WHICH_LANGUAGE, LANGUAGES, language);
    return await setUp({ options, person, words: WORDS[language], language, io });
  } catch (error) {
    if (signal.aborted || error instanceof Stopped) {
      person.say("bad", WORDS[language].stopped);
      return { code: 1 };
    }
    if (!(error instanceof SetupFailed)) throw error;
    io.stderr.write(`vigie setup: ${error.message}\n`);
    return { code: error.isUsage ? 2 : 1 };
  } finally {
    person.leave();
  }
}

const LANGUAGES = [
  { value: "fr", label: "Français" },
  { value: "en", label: "English" },
] as const;

async function setUp(setup: Setup): Promise<SetupResult> {
  const { person, words, options, io } = setup;
  const { ask, say, signal } = person;
  requireAnswers(setup);
  if (ask) say("note", `${words.title}\n${words.hello}`);
  const target = await findTarget(options.config, io, words);
  await agreeToReplace(target, setup);
  // Looked for while the first questions are answered.
  const found = ask && options.broker === undefined ? findBrokers(signal) : Promise.resolve([]);
  const chosen = await settleSources(setup);
  if (chosen === null) return onlyLook(setup);
  const broker = await settleBroker(setup, found);
  const { outputs, secrets, areSure } = await settleOutputs({ setup, broker, target });
  await broker.close();
  const sources = await settleUntried(setup, chosen);
  if (sources === null) return onlyLook(setup);
  if (ask && !(await ask.agree(words.write(target.shown)))) throw new Stopped();
  signal.throwIfAborted();
  const written = await write({ ...sources, broker: broker.given, outputs, secrets }, target, setup);
  return { ...written, code: areSure ? 0 : 1 };
}

/** Invented days need no configuration. */
function onlyLook({ person, words }: Setup): SetupResult {
  if (!person.ask) throw new SetupFailed(words.only_look, { isUsage: true });
  person.say("note", words.only_look);
  return { code: 0 };
}

function requireAnswers({ person, options, words }: Setup): void {
  const missing = (["service", "broker"] as const).filter((name) => options[name] === undefined);
  if (person.ask || missing.length === 0) return;
  const names = missing.map((name) => `--${name}`).join(", ");
  throw new SetupFailed(words.not_answering(names), { isUsage: true });
}

type Settled = Pick<Added, "outputs" | "secrets"> & Sources & { broker: GivenBroker };

/** All files, and says so. */
async function write(settled: Settled, target: Target, setup: Setup): Promise<Omit<WrittenSetup, "code">> {
  const { person, words, language } = setup;
  const { password, passwordFile: found, ...broker } = settled.broker;
  const givenFile = target.handsPasswordOver ? undefined : found;
  const passwordFile = givenFile ?? target.password.path;
  const answers: Answers = {
    ...settled,
    broker,
    password: password ? { file: passwordFile, handedOver: target.handsPasswordOver } : undefined,
    language,
  };
  const text = configText(answers, {
    words: words.comments,
    explainedIn: target.explainedIn,
    hasSchema: target.hasSchema,
  });
  const newPassword = givenFile === undefined && password ? [{ ...target.password, text: password }] : [];
  const secrets = [...newPassword, ...settled.secrets];
  const copy = await writeTarget(target, { text, secrets }, words);
  person.say("good", words.written(target.shown));
  if (copy !== null) person.say("note", words.copied(copy));
  if (newPassword.length > 0) person.say("note", words.password_written(target.password.shown));
  for (const { shown } of settled.secrets) person.say("note", words.secret_written(shown));
  return {
    file: target.path,
    passwordFile: password ? passwordFile : undefined,
    untried: settled.untried,
    words: words.check,
    checkCommand: commandLine("check --live", target),
    howToStart: describeStart(target, words),
  };
}

/** Before anything else is asked. */
async function agreeToReplace(
  { before, shown, copy }: Target,
  { person, words, options, language }: Setup,
): Promise<void> {
  const { ask, say } = person;
  if (before === null) return;
  if (isShipped(before)) return say("note", words.file_shipped(shown, copy));
  if (!ask && !options.yes) throw new SetupFailed(words.file_exists_script(shown), { isUsage: true });
  const { devices, messages } = outputsIn(before, language);
  if (devices.length > 0) say("note", words.file_switches(shown, devices.join(", ")));
  if (messages.length > 0) say("note", words.file_tells(shown, messages.join(", ")));
  if (!ask) return;
  if (!(await ask.agree(words.file_exists(shown, copy), false))) throw new Stopped();
}

/** By where the configuration lies: in the checkout, in a container, or of the service. */
function commandLine(command: string, { path, shown, handsPasswordOver }: Target): string {
  if (handsPasswordOver) return `sudo vigie ${command}`;
  if (isInContainer(path)) return `docker exec vigie vigie ${command}`;
  return `npx vigie ${command}${isUsual(shown) ? "" : ` --config ${shown}`}`;
}

function isInContainer(path: string): boolean {
  return path.startsWith("/data/");
}

function isUsual(shown: string): boolean {
  return ["config/vigie.yaml", "./config/vigie.yaml"].includes(shown);
}

function describeStart(target: Target, words: Words): string {
  const { path, shown, handsPasswordOver } = target;
  const how = handsPasswordOver
    ? words.start_systemd
    : isInContainer(path)
      ? words.start_docker
      : words.start_npm(isUsual(shown) ? "" : ` -- --config ${shown}`);
  const attempts = words.start_try((color) => commandLine(`simulate ${color}`, target));
  return `\n${words.start_title}\n${how}\n\n${attempts}\n`;
}
