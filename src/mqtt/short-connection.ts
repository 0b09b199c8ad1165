import type { MqttConfig } from "../config/config.ts";
import { OWNER } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/wait.ts";
import { type Address, readAddress } from "./broker-address.ts";
import type { CloseOptions, ReceivedMessage, Version } from "./connection.ts";
import type { BrokerLink } from "./connection-users.ts";
import { negotiate } from "./negotiate-version.ts";
import type { Message } from "./outbox.ts";
import { clientId, type Owner, PING, PONG, readOwner } from "./owner.ts";
import { openTree, randomId, type Tree } from "./tree.ts";
import { untilQuiet } from "./until-quiet.ts";

export interface ShortConnectionOptions {
  broker: MqttConfig;
  instance: string;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
}

/** A short connection with a random client id and no will: it disturbs no running vigie. Commands use it, and a start. */
export interface ShortConnection {
  version: Version;
  address: Address;
  /** All that is retained below the base, or below this filter, by its name. */
  read: (filter?: string) => Promise<Map<string, string>>;
  /** Calls back with each later message below the filters that were read before. Returns how to stop. */
  listen: (listener: (message: ReceivedMessage) => void) => () => void;
  publish: (message: Message) => Promise<void>;
  /** The same connection for topics outside of the base topic. */
  link: BrokerLink;
  /** The payload of `owner` as it was read last; undefined: none. */
  ownerPayload: () => string | undefined;
  /** Asks the owner of the base topic for an answer; null: none came. */
  pingOwner: () => Promise<Owner | null>;
  /** Reads who owns the base topic and asks whether it runs; null: nobody does. */
  findLivingOwner: () => Promise<Owner | null>;
  closed: Promise<string>;
  close: (options?: CloseOptions) => Promise<void>;
}

export async function openShortConnection(options: ShortConnectionOptions): Promise<ShortConnection> {
  const { broker, random, clock, signal } = options;
  const address = await readAddress(broker);
  const heard = new Map<string, string>();
  const ears = new Set<(message: ReceivedMessage) => void>();
  let retained = 0;
  const ear = (message: ReceivedMessage) => {
    if (message.retain) retained += 1;
    note(heard, message);
    for (const one of ears) one(message);
  };
  const tree = await negotiate((version) =>
    openTree({
      address,
      version,
      base: broker.base_topic,
      random,
      ear,
      signal,
      clientId: clientId(options.instance, `visit-${randomId(random)}`),
      session: null,
      keepalive: KEEPALIVE,
    }),
  );
  cutOff(tree, signal);
  const read = async (filter = "#") => {
    await tree.subscribe(filter);
    await untilQuiet(tree.echo, () => retained);
    return new Map(heard);
  };
  const listen = (one: (message: ReceivedMessage) => void) => {
    ears.add(one);
    return () => ears.delete(one);
  };
  const pingOwner = () => ask(tree.echo, listen, { clock, signal });
  return {
    version: tree.version,
    address,
    read,
    listen,
    pingOwner,
    closed: tree.closed,
    close: tree.close,
    link: tree.link(() => tree.subscribe(PING)),
    publish: (message) => tree.publish(() => message),
    ownerPayload: () => heard.get(OWNER),
    findLivingOwner: async () => (readOwner((await read(`${OWNER}/#`)).get(OWNER)) ? pingOwner() : null),
  };
}

/** A broker that froze answers nothing that is still open: who is told to stop does not wait for it. */
function cutOff(tree: Tree, signal: AbortSignal): void {
  const cut = () => void tree.close();
  signal.addEventListener("abort", cut, { once: true });
  void tree.closed.then(() => signal.removeEventListener("abort", cut));
}

function note(heard: Map<string, string>, { topic, payload, retain }: ReceivedMessage): void {
  if (payload === "") heard.delete(topic);
  else if (retain || !(topic === PING || topic === PONG || topic === "event" || topic.endsWith("/set"))) {
    heard.set(topic, payload);
  }
}

/**
 * Silence means dead. It counts only while the broker is seen to carry one's own questions: several must have come back
 * and some time have passed, so that neither a stall here nor a fast clock takes the living for dead.
 */
async function ask(
  echo: () => Promise<void>,
  listen: ShortConnection["listen"],
  { clock, signal }: Pick<ShortConnectionOptions, "clock" | "signal">,
): Promise<Owner | null> {
  let answer: Owner | null = null;
  const stop = listen(({ topic, payload }) => {
    if (topic === PONG) answer ??= readOwner(payload);
  });
  const start = clock.steady();
  try {
    for (let echoes = 1; ; echoes += 1) {
      await echo();
      if (answer) return answer;
      if (echoes >= ENOUGH_ECHOES && clock.steady() - start >= SILENCE) return null;
      await sleep(BETWEEN_QUESTIONS, signal);
      if (answer) return answer;
    }
  } finally {
    stop();
  }
}

const KEEPALIVE = 60;
const SILENCE = 2_000;
const ENOUGH_ECHOES = 8;
const BETWEEN_QUESTIONS = 250;
