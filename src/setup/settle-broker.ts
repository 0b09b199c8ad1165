import { resolve } from "node:path";
import { parseBrokerAddress, splitCredentials, typedBrokerAddress } from "../config/address.ts";
import { readValue } from "../config/read-text.ts";
import { type BrokerError, ConnectFailed, PublishRefused, SubscribeRefused } from "../mqtt/broker-errors.ts";
import { atMost } from "../runtime/wait.ts";
import {
  type BrokerProblem,
  brokerDetail,
  explainBroker,
  type FoundBroker,
  type GivenBroker,
  seesHomeAssistant,
  type WatchedBroker,
  watchBroker,
  withoutTls,
  withTls,
} from "./broker.ts";
import { type Setup, SetupFailed } from "./context.ts";
import { withDetail } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";

/** A broker that answers; what is said of it tells a refused login, a wrong port and TLS apart. */
export async function settleBroker(setup: Setup, found: Promise<FoundBroker[]>): Promise<WatchedBroker> {
  const { person, words } = setup;
  const { ask, say, signal } = person;
  let given = await givenBroker(setup);
  for (;;) {
    const tried = given ?? (await withAccess(await askAddress(setup, await found), setup));
    say("wait", `${tried.url}…`);
    try {
      const broker = await watchBroker(tried, signal);
      say("good", `${tried.url} ${words.broker_open(broker.version)}`);
      await sayWhoIsThere(broker, setup);
      return broker;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectFailed)) throw error;
      const { problem, sentence } = await explainConnection(error, tried, setup);
      say("bad", sentence);
      if (!ask) throw new SetupFailed(sentence);
      given = await askAgain(problem, tried, setup);
    }
  }
}

/** Why the broker does not do what is asked, in the words of the person. */
export async function explainBrokerError(
  error: BrokerError,
  { topic, report = topic }: { topic: string; report?: string | undefined },
  given: GivenBroker,
  setup: Setup,
): Promise<string> {
  const { words } = setup;
  if (error instanceof ConnectFailed) return (await explainConnection(error, given, setup)).sentence;
  if (error instanceof PublishRefused) return words.may_not_send(topic);
  if (error instanceof SubscribeRefused) return words.may_not_read(report);
  return words.broker_cut_off;
}

/** Why there is no connection. */
async function explainConnection(
  error: ConnectFailed,
  given: GivenBroker,
  { words, person }: Pick<Setup, "words" | "person">,
): Promise<{ problem: BrokerProblem; sentence: string }> {
  const problem = await explainBroker(error, given, person.signal);
  const isWithoutUser = problem === "login" && given.username === undefined;
  const why = isWithoutUser ? words.broker_wants_user : words.broker_problem[problem];
  const detail = problem === "ca_file_unread" ? words.disk(error.cause) : brokerDetail(problem, error);
  return { problem, sentence: withDetail(`${given.url} ${why}`, detail) };
}

/** What the options say; undefined: nothing. */
async function givenBroker(setup: Setup): Promise<GivenBroker | undefined> {
  const { options, words } = setup;
  if (options.broker === undefined) return undefined;
  const url = readAddress(options.broker);
  if (url === undefined) throw new SetupFailed(`--broker: ${words.not_a_broker}`, { isUsage: true });
  return withAccess(url, setup);
}

/** With the user, the password and the certificates that are options. */
async function withAccess(url: string, { options, words, io, person }: Setup): Promise<GivenBroker> {
  const { ask } = person;
  const given = splitCredentials(url);
  const { username = given.username, caFile } = options;
  const passwordFile = options.passwordFile && resolve(io.cwd, options.passwordFile);
  if (passwordFile && username === undefined && !ask)
    throw new SetupFailed(words.not_answering("--username"), { isUsage: true });
  const password = passwordFile ? await readPassword(passwordFile, words) : given.password;
  const isAsked = username !== undefined && password === undefined;
  return {
    ...given,
    username: username ?? (passwordFile && (await askUsername(ask, words))),
    password: isAsked ? await ask?.typeSecret(words.password) : password,
    passwordFile,
    ...(caFile !== undefined && { tls: { ca_file: resolve(io.cwd, caFile) } }),
  };
}

async function askUsername(
  ask: Setup["person"]["ask"],
  words: Setup["words"],
  usual?: string,
): Promise<string | undefined> {
  const check = (text: string) => (text === "" ? words.not_empty : undefined);
  return ask?.type(words.username, { usual, check });
}

async function readPassword(file: string, words: Setup["words"]): Promise<string> {
  try {
    return (await readValue(file)).text;
  } catch (error) {
    throw new SetupFailed(words.password_unread(file, words.disk(error)), { isUsage: true });
  }
}

async function askAddress(
  { person: { ask, say }, words }: Setup,
  found: readonly FoundBroker[],
): Promise<string> {
  if (!ask) throw new SetupFailed(words.not_answering("--broker"), { isUsage: true });
  const choices = found.map(({ url, wantsLogin }) => ({
    value: url,
    label: url,
    hint: wantsLogin ? words.broker_wants_login : undefined,
  }));
  const other = { value: null, label: words.broker_other };
  const chosen = choices.length === 0 ? null : await ask.choose(words.which_broker, [...choices, other]);
  if (chosen !== null) return chosen;
  if (choices.length === 0) say("note", words.no_broker_found);
  const check = (text: string) => (readAddress(text) === undefined ? words.not_a_broker : undefined);
  return readAddress(await ask.type(words.broker_address, { check })) ?? "";
}

/** undefined: it is no address of a broker. */
function readAddress(text: string): string | undefined {
  const url = typedBrokerAddress(text);
  return parsePart({ mqtt: { url } }).config && parseBrokerAddress(url) ? url : undefined;
}

/** The same broker with another answer; undefined: another broker. */
async function askAgain(
  problem: BrokerProblem,
  tried: GivenBroker,
  { person: { ask }, words, io }: Setup,
): Promise<GivenBroker | undefined> {
  if (!ask) return undefined;
  switch (problem) {
    case "login": {
      const isSame = tried.username === undefined || (await ask.agree(words.type_again));
      if (!isSame) return undefined;
      const username = await askUsername(ask, words, tried.username);
      const password = await ask.typeSecret(words.password);
      return { ...tried, username, password, passwordFile: undefined };
    }
    case "wants_tls":
    case "no_tls": {
      const url = problem === "wants_tls" ? withTls(tried.url) : withoutTls(tried.url);
      const isExposed = problem === "no_tls" && tried.password !== undefined;
      const question = isExposed ? words.use_plain_address(url) : words.use_address(url);
      return (await ask.agree(question, !isExposed)) ? { ...tried, url } : undefined;
    }
    case "unknown_authority":
    case "ca_file_unread": {
      const file = await ask.type(words.ca_file);
      return file === "" ? undefined : { ...tried, tls: { ca_file: resolve(io.cwd, file) } };
    }
    default:
      return undefined;
  }
}

async function sayWhoIsThere(broker: WatchedBroker, { person: { say }, words }: Setup): Promise<void> {
  if (broker.isBlind) return say("note", words.may_not_look);
  // What the broker holds comes at once.
  await atMost(broker.looked, HOLDS_WITHIN);
  say("note", seesHomeAssistant(broker.seen) ? words.home_assistant : words.no_home_assistant);
}

const HOLDS_WITHIN = 500;
