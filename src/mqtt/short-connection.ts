import type { MqttConfig } from "../config/config.ts";
import { OWNER } from "../core/topics/topic.ts";
import { inventId } from "../runtime/random-id.ts";
import {
  type BaseConnection,
  type BrokerLink,
  OWNER_PING,
  OWNER_PONG,
  openBaseConnection,
  RETAINED,
} from "./base-connection.ts";
import { type BrokerAddress, readAddress } from "./broker-address.ts";
import { ConnectFailed } from "./broker-errors.ts";
import { type Connect, clientId, connect, type ReceivedMessage, type Version } from "./connection.ts";
import { closedWithoutAnswer, refusesVersion } from "./explain-connect-failure.ts";
import { isCommandTopic } from "./read-command.ts";

export interface ShortConnectionOptions {
  /** Default: to a real broker. */
  connect?: Connect | undefined;
  broker: MqttConfig;
  instance: string;
  random: () => number;
  signal: AbortSignal;
  /** Each message outside of the base topic. */
  post?: (message: ReceivedMessage) => void;
}

/**
 * A short connection with a random client id and no will: it does not close the connection of a running vigie. Commands and
 * each start of the publisher use it.
 */
export interface ShortConnection
  extends Pick<BaseConnection, "version" | "publish" | "waitForEcho" | "closed" | "close"> {
  /** How it was opened, and where to. */
  connect: Connect;
  address: BrokerAddress;
  /** The payload of each topic that the broker holds below the base topic. Brokers send so many at most: mosquitto about 1,000. */
  read: () => Promise<Map<string, string>>;
  /** Resolves when `latest` knows what the broker holds on `owner`. From then on pings and their answers arrive. */
  subscribeToOwner: () => Promise<void>;
  /** The last payload of a topic that was subscribed to; undefined: none. */
  latest: (topic: string) => string | undefined;
  /** Calls back with each later message of what was subscribed to. Returns how to stop. */
  listen: (listener: (message: ReceivedMessage) => void) => () => void;
  /** The same connection for topics outside of the base topic. */
  link: BrokerLink;
}

export async function openShortConnection(options: ShortConnectionOptions): Promise<ShortConnection> {
  const { broker, random, signal, instance, connect: open = connect } = options;
  const address = await readAddress(broker);
  const payloads: Payloads = { noted: new Map(), room: MOST_NOTED };
  const listeners = new Set<(message: ReceivedMessage) => void>();
  const connection = await negotiateVersion((version) =>
    openBaseConnection({
      connect: open,
      address,
      version,
      base: broker.base_topic,
      clientId: clientId(instance, `visit-${inventId(random)}`),
      session: null,
      random,
      signal,
      post: (message) => {
        if (message.isOutside) return options.post?.(message);
        notePayload(payloads, message, version);
        for (const listener of listeners) listener(message);
      },
    }),
  );
  closeOnAbort(connection, signal);
  const { subscribe } = connection;
  return {
    ...connection,
    connect: open,
    address,
    read: async () => {
      for (const filter of RETAINED) await subscribe(filter);
      await connection.waitForRetained();
      return new Map(payloads.noted);
    },
    // Not with a wildcard: of many topics below `owner` a broker sends the first thousand, maybe without `owner`.
    subscribeToOwner: async () => {
      for (const topic of [OWNER, OWNER_PING, OWNER_PONG]) await subscribe(topic);
      await connection.waitForRetained();
    },
    latest: (topic) => payloads.noted.get(topic),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    link: connection.link({ whenPingsReadable: () => subscribe(OWNER_PING) }),
  };
}

/** A frozen broker never answers. On abort, close without waiting. */
function closeOnAbort({ closed, close }: BaseConnection, signal: AbortSignal): void {
  const abort = () => void close();
  signal.addEventListener("abort", abort, { once: true });
  void closed.then(() => signal.removeEventListener("abort", abort));
}

/** Of what others may have written below the base topic, as much as there is room for. */
interface Payloads {
  noted: Map<string, string>;
  /** Characters. */
  room: number;
}

/**
 * On MQTT 3.1.1 a message that arrives live does not say whether it was sent retained. So each counts as retained but those
 * that vigie and its commands never retain.
 */
function notePayload(
  payloads: Payloads,
  { topic, payload, retain }: ReceivedMessage,
  version: Version,
): void {
  if (!retain && (version === 5 || isNeverRetained(topic))) return;
  const { noted } = payloads;
  const before = noted.get(topic);
  if (before !== undefined) payloads.room += topic.length + before.length;
  noted.delete(topic);
  if (payload === "" || (payloads.room <= 0 && topic !== OWNER)) return;
  noted.set(topic, payload);
  payloads.room -= topic.length + payload.length;
}

const MOST_NOTED = 16_000_000;

function isNeverRetained(topic: string): boolean {
  return [OWNER_PING, OWNER_PONG, "event"].includes(topic) || isCommandTopic(topic);
}

/**
 * MQTT 5 first, 3.1.1 where the broker refuses 5. Some brokers refuse by closing the connection without an answer. A proxy
 * whose broker is away does so, too. If 3.1.1 works, try 5 once more; use 3.1.1 only if 5 fails again.
 */
export async function negotiateVersion<Opened extends { close: () => Promise<void> }>(
  open: (version: Version) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open(5);
  } catch (failure) {
    if (!(failure instanceof ConnectFailed)) throw failure;
    if (refusesVersion(failure)) return open(4);
    if (!closedWithoutAnswer(failure)) throw failure;
    const old = await open(4).catch(() => {
      throw failure;
    });
    const modern = await open(5).catch(() => null);
    if (!modern) return old;
    await old.close();
    return modern;
  }
}
