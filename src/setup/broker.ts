import { ORIGIN } from "../core/discovery/describe-device.ts";
import { readAddress } from "../mqtt/broker-address.ts";
import { ConnectFailed } from "../mqtt/broker-errors.ts";
import { type Connection, clientId, connect, type ReceivedMessage } from "../mqtt/connection.ts";
import { failureKind } from "../mqtt/explain-connect-failure.ts";
import { negotiateVersion } from "../mqtt/short-connection.ts";
import { inventId } from "../runtime/random-id.ts";
import { deadline, sleep } from "../runtime/wait.ts";
import { isDeviceList } from "./find-devices.ts";
import { type NetworkProblem, networkDetail, networkProblem } from "./network-problem.ts";
import { parsePart } from "./parse-part.ts";

/** A broker as it is written below `mqtt` in the configuration. */
export interface GivenBroker {
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  /** The file in which the password was found; undefined: the person has typed it, or it stands in the address. */
  passwordFile?: string | undefined;
  tls?: { ca_file?: string; verify?: boolean };
}

interface OpenOptions {
  /** Ends the wait for an answer. */
  signal: AbortSignal;
  /** Milliseconds. */
  limit?: number;
  post?: (message: ReceivedMessage) => void;
}

/** A connection without a will, which does not reconnect. Rejects with ConnectFailed. */
export async function openBroker(given: GivenBroker, options: OpenOptions): Promise<Connection> {
  const { signal, limit = CONNECT_LIMIT, post = () => undefined } = options;
  const over = deadline(limit, signal, () => new ConnectFailed("no answer", "TIMEOUT"));
  try {
    const { passwordFile: _, ...mqtt } = given;
    const { config, problems } = parsePart({ mqtt });
    if (!config) throw new ConnectFailed(problems.join("; "), "ADDRESS");
    const address = await readAddress(config.mqtt);
    return await negotiateVersion((version) =>
      connect({
        address,
        version,
        clientId: clientId("setup", inventId(Math.random)),
        session: null,
        mostBytes: (topic) => (isDeviceList(topic) ? MOST_BYTES_OF_LIST : MOST_BYTES),
        post,
        signal: over.signal,
      }),
    );
  } finally {
    over.clear();
  }
}

/** A broker whose messages are looked at. */
export interface WatchedBroker {
  given: GivenBroker;
  version: Connection["version"];
  /** The last payload of each topic that was seen so far. */
  seen: ReadonlyMap<string, string>;
  /** This user may not look at all topics. */
  isBlind: boolean;
  /** Resolves when topics were looked at for ten seconds, from the beginning. */
  looked: Promise<void>;
  /** Looks for ten seconds more. */
  look: () => Promise<void>;
  close: () => Promise<void>;
}

/** Rejects with ConnectFailed. */
export async function watchBroker(given: GivenBroker, signal: AbortSignal): Promise<WatchedBroker> {
  const seen = new Map<string, string>();
  let room = MOST_SEEN;
  const post = ({ topic, payload }: ReceivedMessage) => {
    const before = seen.get(topic);
    const more = payload.length + (before === undefined ? topic.length : -before.length);
    if (more > room) return;
    room -= more;
    seen.set(topic, payload);
  };
  const connection = await openBroker(given, { signal, post });
  // An access list may refuse it, and some brokers then end the connection.
  const isBlind = await connection.subscribe("#", "newest only").then(
    () => false,
    () => true,
  );
  const { version, close } = connection;
  const look = () => sleep(LOOKING, signal).catch(() => undefined);
  return { given, version, seen, isBlind, looked: look(), look, close };
}

/** Why a broker cannot be used. */
export type BrokerProblem =
  | NetworkProblem
  | "login"
  | "wants_tls"
  | "not_mqtt"
  | "busy"
  | "refused"
  | "ca_file_unread";

/**
 * A port that closes the connection without a word may be one that wants TLS, or that has none: then the other way works. It is
 * tried without user and password: nobody has agreed to send them that way.
 */
export async function explainBroker(
  { code }: ConnectFailed,
  { url }: GivenBroker,
  signal: AbortSignal,
): Promise<BrokerProblem> {
  const problem = problemOf(code);
  if (problem !== "closed") return problem;
  const isPlain = /^(mqtt|ws):/.test(url);
  const other = isPlain ? { url: withTls(url), tls: { verify: false } } : { url: withoutTls(url) };
  if (!(await findBroker(other, { signal }))) return problem;
  return isPlain ? "wants_tls" : "no_tls";
}

function problemOf(code: ConnectFailed["code"]): BrokerProblem {
  // These two codes are vigie's own, and not of the system.
  if (code === "FILE") return "ca_file_unread";
  if (code === "NOT_MQTT") return "not_mqtt";
  if (typeof code === "string") return networkProblem(code);
  switch (failureKind(code)) {
    case "closed":
      return "closed";
    case "bad_password":
    case "not_authorised":
      return "login";
    case "unavailable":
    case "busy":
    case "quota":
    case "too_often":
      return "busy";
    default:
      return "refused";
  }
}

/** What helps in any language; null: nothing does. */
export function brokerDetail(problem: BrokerProblem, { code, cause }: ConnectFailed): string | null {
  return problem === "refused" ? `CONNACK ${code}` : networkDetail(problem, cause);
}

/** `mqtts://` of `mqtt://`, on the same port. */
export function withTls(url: string): string {
  const { protocol, port } = new URL(url);
  const host = url.slice(protocol.length);
  const usual = protocol === "mqtt:" && port === "" ? `${host.replace(/\/$/, "")}:1883` : host;
  return `${protocol.slice(0, -1)}s:${usual}`;
}

export function withoutTls(url: string): string {
  return url.replace(/^(mqtt|ws)s:/, "$1:");
}

/** Where brokers usually are. One is offered only if it answers. */
const USUAL_BROKERS = [
  "mqtt://127.0.0.1:1883",
  "mqtt://core-mosquitto:1883",
  "mqtt://homeassistant.local:1883",
];

export interface FoundBroker {
  url: string;
  wantsLogin: boolean;
}

export async function findBrokers(signal: AbortSignal, urls = USUAL_BROKERS): Promise<FoundBroker[]> {
  const found = await Promise.all(urls.map((url) => findBroker({ url }, { signal, limit: FIND_LIMIT })));
  return found.filter((one) => one !== undefined);
}

/** undefined where none answers. */
async function findBroker(broker: GivenBroker, options: OpenOptions): Promise<FoundBroker | undefined> {
  const { url } = broker;
  try {
    await (await openBroker(broker, options)).close();
    return { url, wantsLogin: false };
  } catch (error) {
    const wantsLogin = error instanceof ConnectFailed && problemOf(error.code) === "login";
    return wantsLogin ? { url, wantsLogin } : undefined;
  }
}

/** Whether Home Assistant, or what writes messages for it, was seen. What a vigie has written says nothing. */
export function seesHomeAssistant(seen: ReadonlyMap<string, string>): boolean {
  return [...seen].some(
    ([topic, payload]) =>
      topic.startsWith("homeassistant/") && !payload.includes(`"origin":{"name":"${ORIGIN}"`),
  );
}

const CONNECT_LIMIT = 10_000;
const FIND_LIMIT = 2_000;
const LOOKING = 10_000;
/** Characters: whoever writes to this broker may have written more than there is room for. */
const MOST_SEEN = 20_000_000;
const MOST_BYTES = 4_096;
const MOST_BYTES_OF_LIST = 2_000_000;
