import { z } from "zod";
import { parseJson } from "../core/contract/parse-json.ts";
import { inventId } from "../runtime/random-id.ts";
import { runAfterTimeout, sleep } from "../runtime/wait.ts";
import { ConnectionLost } from "./broker-errors.ts";
import {
  type Connection,
  type ConnectOptions,
  connect,
  type ReceivedMessage,
  type SubscribeHow,
} from "./connection.ts";
import type { Message, MessageSource } from "./publish-queue.ts";

export interface BaseConnectionOptions extends Omit<ConnectOptions, "onMessage"> {
  base: string;
  random: () => number;
  /** Called with each message below the base topic but this connection's own pings; the topic is without the base. */
  onMessage: (message: ReceivedMessage) => void;
  /** Called with each other message. */
  onOutsideMessage?: (message: ReceivedMessage) => void;
}

/** One connection as seen from a base topic: topics and filters are those below it. */
export interface BaseConnection extends Omit<Connection, "ping" | "unsubscribe"> {
  /**
   * Resolves when a message to `owner/ping` has come back: by then all that the broker had to send before has arrived.
   * Needs a subscription to `owner/ping`. Rejects with ConnectionLost, also where this user may not read.
   */
  waitForEcho: () => Promise<void>;
  /** Resolves when all retained messages of the subscriptions so far have arrived. Needs what `waitForEcho` needs. */
  waitForRetained: () => Promise<void>;
  /** The same connection for full topic names. */
  link: (options: LinkOptions) => BrokerLink;
}

export interface LinkOptions {
  /** Called before retained messages are read; resolves when `owner/ping` is subscribed to. */
  whenPingsReadable: () => Promise<unknown>;
}

/** One connection, for topics outside of the base topic. */
export interface BrokerLink extends Pick<Connection, "version" | "closed" | "unsubscribe"> {
  /** Resolves when acknowledged; rejects with ConnectionLost or PublishRefused. */
  publish: (message: Message) => Promise<void>;
  /** A topic is subscribed to once a connection, as it is first asked for: a later subscription would replace the first. */
  subscribe: (filter: string, how?: SubscribeHow) => Promise<void>;
  /** Resolves when what the broker holds for the subscriptions so far has arrived. Rejects with ConnectionLost. */
  waitForRetained: () => Promise<void>;
  /**
   * Subscribes to these filters, outside of the base topic, and resolves with the payload of each topic that the broker
   * holds there. Topics of other subscriptions that arrive meanwhile may be among them.
   */
  readRetained: (filters: readonly string[]) => Promise<Map<string, string>>;
}

export async function openBaseConnection(options: BaseConnectionOptions): Promise<BaseConnection> {
  const { base, random, onMessage, onOutsideMessage, ...rest } = options;
  const below = `${base}/`;
  const echoes = new Map<string, Echo>();
  const readers = new Set<(message: ReceivedMessage) => void>();
  let received = 0;
  let retained = 0;
  const connection = await connect({
    ...rest,
    onMessage: (message) => {
      received += 1;
      if (message.retain) retained += 1;
      if (!message.topic.startsWith(below)) {
        for (const read of readers) read(message);
        onOutsideMessage?.(message);
        return;
      }
      const topic = message.topic.slice(below.length);
      const echo = topic === OWNER_PING ? echoes.get(pingId(message.payload)) : undefined;
      if (echo) echo.arrived();
      else onMessage({ ...message, topic });
    },
  });
  const { version, closed, close, subscribe, unsubscribe } = connection;
  void closed.then((why) => {
    const lost = new ConnectionLost(`The connection to the broker is gone: ${why}`);
    for (const { failed } of echoes.values()) failed(lost);
  });
  const publish = (source: MessageSource) =>
    connection.publish(() => {
      const message = typeof source === "function" ? source() : source;
      return message && { ...message, topic: `${base}/${message.topic}` };
    });
  const waitForEcho = () =>
    awaitEcho(echoes, inventId(random), {
      sendPing: (id) => publish({ topic: OWNER_PING, payload: JSON.stringify({ id }), retain: false }),
      hurryBroker: connection.ping,
      received: () => received,
    });
  /** Some brokers send retained messages late. Repeat until no retained message arrived between two echoes. */
  const waitForRetained = async () => {
    for (let round = 0; round < MOST_ECHOES; round += 1) {
      const before = retained;
      await waitForEcho();
      if (retained === before) return;
    }
  };
  const readRetained = async (filters: readonly string[], { whenPingsReadable }: LinkOptions) => {
    const found = new Map<string, string>();
    const read = ({ topic, payload }: ReceivedMessage) => found.set(topic, payload);
    readers.add(read);
    try {
      await Promise.all([whenPingsReadable(), ...filters.map((filter) => subscribe(filter))]);
      await waitForRetained();
      return found;
    } finally {
      readers.delete(read);
    }
  };
  const subscribed = new Map<string, Promise<void>>();
  const subscribeOnce = (filter: string, how?: SubscribeHow) => {
    const subscription = subscribed.get(filter) ?? subscribe(filter, how);
    subscribed.set(filter, subscription);
    return subscription;
  };
  return {
    version,
    publish,
    subscribe: (filter, how) => subscribe(`${base}/${filter}`, how),
    waitForEcho,
    waitForRetained,
    closed,
    close,
    link: (linkOptions) => ({
      version,
      publish: connection.publish,
      subscribe: subscribeOnce,
      unsubscribe,
      waitForRetained: async () => {
        await linkOptions.whenPingsReadable();
        await waitForRetained();
      },
      readRetained: (filters) => readRetained(filters, linkOptions),
      closed,
    }),
  };
}

function pingId(payload: string): string {
  return z.object({ id: z.string() }).safeParse(parseJson(payload)).data?.id ?? "";
}

/** A ping whose return is awaited. */
interface Echo {
  arrived: () => void;
  failed: (error: Error) => void;
}

interface EchoWays {
  sendPing: (id: string) => Promise<void>;
  /** Sends a packet that needs no acknowledgement. */
  hurryBroker: () => void;
  /** How many messages have arrived. */
  received: () => number;
}

async function awaitEcho(
  echoes: Map<string, Echo>,
  id: string,
  { sendPing, hurryBroker, received }: EchoWays,
): Promise<void> {
  const over = new AbortController();
  const cancelLimit = runAfterTimeout(ECHO_LIMIT, () => echoes.get(id)?.failed(notReadable()));
  let isBack = false;
  const echo = new Promise<void>((resolve, reject) => {
    echoes.set(id, { arrived: resolve, failed: reject });
  }).then(() => {
    isBack = true;
  });
  // Where the connection ends before the acknowledgement, the ping rejects as well, and nobody awaits this.
  echo.catch(() => undefined);
  try {
    await sendPing(id);
    // mosquitto sends the echo only when its acknowledgement has arrived here, which TCP confirms after 40 ms, or with
    // the next bytes that are sent. Where the echo came first, the answer to these bytes would delay what comes next.
    if (!isBack) hurryBroker();
    await Promise.race([echo, failWhenNothingArrives(() => sendPing(id), received, over.signal)]);
  } finally {
    over.abort();
    cancelLimit();
    echoes.delete(id);
  }
}

/**
 * Rejects when the broker has acknowledged one ping after the other and has sent nothing at all meanwhile: it lets this
 * user write and not read. A slow broker sends something, a frozen one acknowledges nothing.
 */
async function failWhenNothingArrives(
  sendPing: () => Promise<void>,
  received: () => number,
  signal: AbortSignal,
): Promise<never> {
  let pingsInVain = 0;
  while (pingsInVain < ENOUGH_PINGS) {
    const before = received();
    await sleep(BETWEEN_PINGS, signal);
    await sendPing();
    pingsInVain = received() === before ? pingsInVain + 1 : 0;
  }
  throw notReadable();
}

function notReadable(): ConnectionLost {
  return new ConnectionLost(
    "The broker accepts messages from vigie and sends none back. Check that this user may also read below the base topic",
  );
}

/** A question to the owner of the base topic, which it answers on `owner/pong`. It is the echo message, too. */
export const OWNER_PING = "owner/ping";
export const OWNER_PONG = "owner/pong";

const ENOUGH_PINGS = 8;
const BETWEEN_PINGS = 1_000;
/** For a broker that sends other messages all the time, and never the echo. */
const ECHO_LIMIT = 120_000;
const MOST_ECHOES = 20;
