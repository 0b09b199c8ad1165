import type { MqttConfig } from "../config/config.ts";
import { inventId } from "../runtime/random-id.ts";
import {
  type BaseConnection,
  type BrokerLink,
  OWNER_PING,
  OWNER_PONG,
  openBaseConnection,
} from "./base-connection.ts";
import { type BrokerAddress, readAddress } from "./broker-address.ts";
import { ConnectFailed } from "./broker-errors.ts";
import { clientId, type ReceivedMessage, type Version } from "./connection.ts";
import { closedWithoutAnswer, refusesVersion } from "./explain-connect-failure.ts";
import { isCommandTopic } from "./read-command.ts";

export interface ShortConnectionOptions {
  broker: MqttConfig;
  instance: string;
  random: () => number;
  signal: AbortSignal;
  /** Called with each message outside of the base topic. */
  onOutsideMessage?: (message: ReceivedMessage) => void;
}

/**
 * A short connection with a random client id and no will: it does not close the connection of a running vigie. Commands and
 * each start of the publisher use it.
 */
export interface ShortConnection
  extends Pick<BaseConnection, "version" | "publish" | "waitForEcho" | "closed" | "close"> {
  address: BrokerAddress;
  /** The payload of each topic that the broker holds below the base topic, or below this filter. */
  read: (filter?: string) => Promise<Map<string, string>>;
  /** The last payload of a topic that `read` subscribed to; undefined: none. */
  latest: (topic: string) => string | undefined;
  /** Calls back with each later message below the filters that were read before. Returns how to stop. */
  listen: (listener: (message: ReceivedMessage) => void) => () => void;
  /** The same connection for topics outside of the base topic. */
  link: BrokerLink;
}

export async function openShortConnection(options: ShortConnectionOptions): Promise<ShortConnection> {
  const { broker, random, signal, instance } = options;
  const address = await readAddress(broker);
  const payloads = new Map<string, string>();
  const listeners = new Set<(message: ReceivedMessage) => void>();
  const connection = await negotiateVersion((version) =>
    openBaseConnection({
      address,
      version,
      base: broker.base_topic,
      clientId: clientId(instance, `visit-${inventId(random)}`),
      session: null,
      random,
      signal,
      ...(options.onOutsideMessage && { onOutsideMessage: options.onOutsideMessage }),
      onMessage: (message) => {
        notePayload(payloads, message);
        for (const listener of listeners) listener(message);
      },
    }),
  );
  closeOnAbort(connection, signal);
  const { subscribe } = connection;
  return {
    ...connection,
    address,
    read: async (filter = "#") => {
      await subscribe(filter);
      await connection.waitForRetained();
      return new Map(payloads);
    },
    latest: (topic) => payloads.get(topic),
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

/**
 * On MQTT 3.1.1 a message that arrives live does not say whether it was sent retained. So each counts as retained but those
 * that vigie and its commands never retain.
 */
function notePayload(payloads: Map<string, string>, { topic, payload, retain }: ReceivedMessage): void {
  if (payload === "") payloads.delete(topic);
  else if (retain || !isNeverRetained(topic)) payloads.set(topic, payload);
}

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
