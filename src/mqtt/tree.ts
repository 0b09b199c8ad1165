import { deadline, sleep } from "../runtime/wait.ts";
import { ConnectionLost } from "./broker-errors.ts";
import {
  type CloseOptions,
  type Connection,
  type ConnectOptions,
  connect,
  type ReceivedMessage,
  type Version,
} from "./connection.ts";
import type { BrokerLink } from "./connection-users.ts";
import type { Compose } from "./outbox.ts";
import { PING, readPing } from "./owner.ts";
import { untilQuiet } from "./until-quiet.ts";

export interface TreeOptions extends Omit<ConnectOptions, "onMessage"> {
  base: string;
  random: () => number;
  /** Hears what arrives below the base, from the first moment on; not one's own echoes. */
  ear: (message: ReceivedMessage) => void;
  /** Hears what arrives from elsewhere. */
  beyond?: (message: ReceivedMessage) => void;
}

/** A connection as seen from a base topic: names are those below it. */
export interface Tree {
  version: Version;
  publish: (compose: Compose) => Promise<void>;
  subscribe: (filter: string, kept?: boolean) => Promise<void>;
  /** When it resolves, all that the broker held for us at the call has been heard. Only where subscribed. */
  echo: () => Promise<void>;
  closed: Promise<string>;
  close: (options?: CloseOptions) => Promise<void>;
  /** The same connection for topics outside of the base; `subscribed` resolves when a subscription covers the echo. */
  link: (subscribed: () => Promise<unknown>) => BrokerLink;
}

export async function openTree({ base, random, ear, beyond, ...options }: TreeOptions): Promise<Tree> {
  const echoes = new Map<string, () => void>();
  const readers = new Set<(message: ReceivedMessage) => void>();
  let arrived = 0;
  const onMessage = (message: ReceivedMessage) => {
    arrived += 1;
    if (!message.topic.startsWith(`${base}/`)) {
      for (const read of readers) read(message);
      return beyond?.(message);
    }
    const topic = message.topic.slice(base.length + 1);
    const own = topic === PING ? echoes.get(readPing(message.payload) ?? "") : undefined;
    if (own) own();
    else ear({ ...message, topic });
  };
  const connection = await connect({ ...options, onMessage });
  const publish: Tree["publish"] = (compose) =>
    connection.publish(() => {
      const message = compose();
      return message && { ...message, topic: `${base}/${message.topic}` };
    });
  const echo = async () => {
    const id = randomId(random);
    let isHeard = false;
    const heard = new Promise<void>((resolve) => echoes.set(id, resolve)).then(() => {
      isHeard = true;
    });
    const ask = () => publish(() => ({ topic: PING, payload: JSON.stringify({ id }), retain: false }));
    const over = new AbortController();
    try {
      await ask();
      // mosquitto holds the echo back until its acknowledgement has arrived, which TCP tells 40 ms later unasked. Where
      // the echo came first, a nudge's own answer would hold back what comes next.
      if (!isHeard) connection.nudge();
      const answered = Promise.race([heard, silence(ask, () => arrived, over.signal)]);
      await within(answered, connection, options.signal);
    } finally {
      over.abort();
      echoes.delete(id);
    }
  };
  const { version, closed, close } = connection;
  const readRetained = async (filters: readonly string[], subscribed: () => Promise<unknown>) => {
    const found = new Map<string, string>();
    let retained = 0;
    const read = ({ topic, payload, retain }: ReceivedMessage) => {
      if (retain) retained += 1;
      found.set(topic, payload);
    };
    readers.add(read);
    try {
      await Promise.all([subscribed(), ...filters.map((filter) => connection.subscribe(filter))]);
      await untilQuiet(echo, () => retained);
      return found;
    } finally {
      readers.delete(read);
    }
  };
  return {
    version,
    publish,
    subscribe: (filter, kept) => connection.subscribe(`${base}/${filter}`, kept),
    echo,
    closed,
    close,
    link: (subscribed) => ({
      version,
      publish: (message) => connection.publish(() => message),
      subscribe: connection.subscribe,
      readRetained: (filters) => readRetained(filters, subscribed),
      closed,
    }),
  };
}

/** Letters and digits of one's own, unlike those of any other. */
export function randomId(random: () => number): string {
  return Array.from({ length: 3 }, () => Math.floor(random() * 2 ** 24).toString(36)).join("");
}

/**
 * Rejects when the broker has taken one question after the other and handed out nothing at all meanwhile: it does not let
 * this user hear. A slow one shows by what it does hand out, a frozen one takes no question.
 */
async function silence(ask: () => Promise<void>, arrived: () => number, signal: AbortSignal): Promise<never> {
  let unheard = 0;
  while (unheard < ENOUGH_QUESTIONS) {
    const before = arrived();
    await sleep(BETWEEN_QUESTIONS, signal);
    await ask();
    unheard = arrived() === before ? unheard + 1 : 0;
  }
  throw new ConnectionLost(UNHEARD);
}

/** The echo is an answer of the broker: it ends with it or with the connection, and is not waited for for ever. */
async function within(heard: Promise<void>, { closed }: Connection, parent: AbortSignal): Promise<void> {
  const limit = deadline(ECHO_LIMIT, parent, () => new ConnectionLost(UNHEARD));
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(limit.signal.reason);
    if (limit.signal.aborted) stop();
    else limit.signal.addEventListener("abort", stop, { once: true });
  });
  const lost = closed.then((why) => {
    throw new ConnectionLost(`The connection to the broker is gone: ${why}`);
  });
  try {
    await Promise.race([heard, lost, aborted]);
  } finally {
    limit.clear();
  }
}

const ENOUGH_QUESTIONS = 8;
const BETWEEN_QUESTIONS = 1_000;
const ECHO_LIMIT = 120_000;
const UNHEARD = "The broker does not hand out what it takes: may this user read below the base topic, too?";
