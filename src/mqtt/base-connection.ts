import { z } from "zod";
import { parseJson } from "../core/contract/parse-json.ts";
import { OWNER } from "../core/topics/topic.ts";
import { inventId } from "../runtime/random-id.ts";
import { runAfterTimeout, sleep } from "../runtime/wait.ts";
import { ConnectionLost } from "./broker-errors.ts";
import type { Connect, Connection, ConnectOptions, ReceivedMessage, SubscribeHow } from "./connection.ts";
import type { Message, MessageSource } from "./publish-queue.ts";
import { watchSilence } from "./silence.ts";

export interface BaseConnectionOptions extends Omit<ConnectOptions, "post"> {
  connect: Connect;
  base: string;
  random: () => number;
  /** Whether this user is known to be allowed to read below the base topic; default false. */
  isReadable?: boolean;
  /** Each message, but this connection's own pings. */
  post: (message: BaseMessage) => void;
}

/** A message below the base topic, with the topic without the base; or one outside of it, with the whole topic. */
export interface BaseMessage extends ReceivedMessage {
  isOutside: boolean;
}

/** One connection as seen from a base topic: topics and filters are those below it. */
export interface BaseConnection extends Omit<Connection, "ping" | "cutOff"> {
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
  const { connect, base, random, post, ...rest } = options;
  const below = `${base}/`;
  const echoes = new Map<string, Echo>();
  const readers = new Set<(message: ReceivedMessage) => void>();
  /** Without those of QoS 0: they arrive also when the broker sends no other any more. */
  let received = 0;
  let retained = 0;
  let { isReadable = false } = options;
  const connection = await connect({
    ...rest,
    mostBytes: (topic) => (topic.startsWith(below) ? MOST_BYTES : Number.POSITIVE_INFINITY),
    post: (message) => {
      if (message.qos !== 0) received += 1;
      if (message.retain) retained += 1;
      if (!message.topic.startsWith(below)) {
        for (const read of readers) read(message);
        post({ ...message, isOutside: true });
        return;
      }
      const topic = message.topic.slice(below.length);
      const echo = topic === OWNER_PING ? echoes.get(pingId(message.payload)) : undefined;
      if (echo) echo.arrived();
      else post({ ...message, topic, isOutside: false });
    },
  });
  const { version, closed, subscribe, unsubscribe } = connection;
  /** Of all pings whose return nobody awaits. */
  const askingId = inventId(random);
  echoes.set(askingId, { arrived: () => undefined, failed: () => undefined });
  /** An acknowledgement that was dropped is not sent again. That of a ping counts for it. */
  const silence = watchSilence(FIRST_PAUSE, () =>
    connection.publish({ ...pingOf(base, askingId), isUrgent: true }),
  );
  void closed.then((why) => {
    silence.end();
    const lost = new ConnectionLost(`The connection to the broker is gone: ${why}`);
    for (const { failed } of echoes.values()) failed(lost);
  });
  const send = async (source: MessageSource, answered = isAnswered(source)) => {
    const published = connection.publish(source);
    await (answered ? silence.awaitAnswer(published) : published);
  };
  const publish = (source: MessageSource) =>
    send(() => {
      const message = typeof source === "function" ? source() : source;
      return message && { ...message, topic: `${base}/${message.topic}` };
    }, isAnswered(source));
  const sendPing = (id: string, more: Partial<Message> = {}) => send({ ...pingOf(base, id), ...more });
  const waitForEcho = async () => {
    try {
      await awaitEcho(echoes, inventId(random), {
        sendPing,
        hurryBroker: connection.ping,
        received: () => received,
      });
      isReadable = true;
    } catch (error) {
      if (isReadable && error instanceof NotReadable && (await isStalled()))
        connection.cutOff("the broker sends vigie no message of QoS 1 any more");
      throw error;
    }
  };
  /**
   * During a flood mosquitto may stop to send this connection messages of QoS 1 (see `isSessionKept`). The next connection gets them
   * again. If pings of QoS 0 come back one after the other, and none of QoS 1 that was sent before, it is not only slow.
   */
  const isStalled = async () => {
    const before = received;
    for (let round = 0; round < ENOUGH_ROUNDS; round += 1)
      if (!(await comesBack()) || received !== before) return false;
    return true;
  };
  /** Whether a ping of QoS 0 comes back. */
  const comesBack = async () => {
    const id = inventId(random);
    let cancel: () => void = () => undefined;
    try {
      return await new Promise<boolean>((resolve) => {
        echoes.set(id, { arrived: () => resolve(true), failed: () => resolve(false) });
        cancel = runAfterTimeout(ROUND_LIMIT, () => resolve(false));
        sendPing(id, { qos: 0, isUrgent: true }).catch(() => resolve(false));
      });
    } finally {
      cancel();
      echoes.delete(id);
    }
  };
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
    unsubscribe: (filter) => unsubscribe(`${base}/${filter}`),
    waitForEcho,
    waitForRetained,
    closed,
    close: (how) => {
      silence.end();
      return connection.close(how);
    },
    link: (linkOptions) => ({
      version,
      publish: (message) => send(message),
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

/** Whether its acknowledgement counts for earlier messages of QoS 1. A function returns a message of QoS 1. */
function isAnswered(source: MessageSource): boolean {
  return typeof source === "function" || (source.qos ?? 1) === 1;
}

function pingOf(base: string, id: string): Message {
  return { topic: `${base}/${OWNER_PING}`, payload: JSON.stringify({ id }), retain: false };
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
  /** How many messages of QoS 1 have arrived. */
  received: () => number;
}

async function awaitEcho(
  echoes: Map<string, Echo>,
  id: string,
  { sendPing, hurryBroker, received }: EchoWays,
): Promise<void> {
  const over = new AbortController();
  const cancelLimit = runAfterTimeout(ECHO_LIMIT, () => echoes.get(id)?.failed(new NotReadable()));
  let isBack = false;
  const echo = new Promise<void>((resolve, reject) => {
    echoes.set(id, { arrived: resolve, failed: reject });
  }).then(() => {
    isBack = true;
  });
  // Where the connection ends before the acknowledgement, the ping rejects as well, and nobody awaits this.
  echo.catch(() => undefined);
  try {
    const sent = sendPing(id);
    sent.catch(() => undefined);
    await Promise.race([echo, sent]);
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
  throw new NotReadable();
}

class NotReadable extends ConnectionLost {
  constructor() {
    super(
      "The broker accepts messages from vigie and sends none back. Check that this user may also read below the base topic",
    );
  }
}

/** A question to the owner of the base topic, which it answers on `owner/pong`. It is the echo message, too. */
export const OWNER_PING = "owner/ping";
export const OWNER_PONG = "owner/pong";

/** Read in this order: a broker may hold more topics than it sends at once, and those of other vigies must be known by then. */
export const RETAINED = [`+/${OWNER}`, "#"];

/** Of a payload below the base topic: vigie's own are shorter, and whoever wrote another one may have made it long. */
const MOST_BYTES = 64 * 1024;
const FIRST_PAUSE = 5_000;
const ENOUGH_PINGS = 8;
const BETWEEN_PINGS = 1_000;
const ENOUGH_ROUNDS = 8;
const ROUND_LIMIT = 10_000;
/** For a broker that sends other messages all the time, and never the echo. */
const ECHO_LIMIT = 120_000;
const MOST_ECHOES = 20;
