import type { MqttConfig } from "../config/config.ts";
import { OWNER } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/wait.ts";
import { type Address, readAddress } from "./broker-address.ts";
import type { Goodbye, Received, Version } from "./connection.ts";
import type { Link } from "./guests.ts";
import { negotiate } from "./negotiate-version.ts";
import type { Message } from "./outbox.ts";
import { clientId, type Owner, PING, PONG, readOwner } from "./owner.ts";
import { openTree, randomId, type Tree } from "./tree.ts";
import { untilQuiet } from "./until-quiet.ts";

export interface VisitOptions {
  broker: MqttConfig;
  instance: string;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  /** Hears what arrives from outside of the base. */
  beyond?: (message: Received) => void;
}

/** A short connection with a client id of its own and no will: it looks, and disturbs nobody. */
export interface Visit {
  version: Version;
  address: Address;
  /** All that is retained below the base, or below this filter, by its name. */
  read: (filter?: string) => Promise<Map<string, string>>;
  /** From then on hears what changes there; only what was read before is heard. Returns its stop. */
  follow: (ear: (message: Received) => void) => () => void;
  publish: (message: Message) => Promise<void>;
  /** The same connection for topics outside of the base. */
  link: Link;
  /** The owner as read last; undefined: none. */
  owner: () => string | undefined;
  /** Asks whoever owns the base; null: nobody answers. */
  askOwner: () => Promise<Owner | null>;
  /** Reads who owns the base and asks whether it lives. */
  livingOwner: () => Promise<Owner | null>;
  closed: Promise<string>;
  leave: (words?: Goodbye) => Promise<void>;
}

export async function openVisit(options: VisitOptions): Promise<Visit> {
  const { broker, random, clock, signal } = options;
  const address = await readAddress(broker);
  const heard = new Map<string, string>();
  const ears = new Set<(message: Received) => void>();
  let retained = 0;
  const ear = (message: Received) => {
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
      ...(options.beyond && { beyond: options.beyond }),
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
  const follow = (one: (message: Received) => void) => {
    ears.add(one);
    return () => ears.delete(one);
  };
  const askOwner = () => ask(tree.echo, follow, { clock, signal });
  return {
    version: tree.version,
    address,
    read,
    follow,
    askOwner,
    closed: tree.closed,
    leave: tree.leave,
    link: { ...tree.link, echo: async () => tree.subscribe(PING).then(tree.echo) },
    publish: (message) => tree.publish(() => message),
    owner: () => heard.get(OWNER),
    livingOwner: async () => (readOwner((await read(`${OWNER}/#`)).get(OWNER)) ? askOwner() : null),
  };
}

/** A broker that froze answers nothing that is still open: who is told to stop does not wait for it. */
function cutOff(tree: Tree, signal: AbortSignal): void {
  const cut = () => void tree.leave();
  signal.addEventListener("abort", cut, { once: true });
  void tree.closed.then(() => signal.removeEventListener("abort", cut));
}

function note(heard: Map<string, string>, { topic, payload, retain }: Received): void {
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
  follow: Visit["follow"],
  { clock, signal }: Pick<VisitOptions, "clock" | "signal">,
): Promise<Owner | null> {
  let answer: Owner | null = null;
  const stop = follow(({ topic, payload }) => {
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
