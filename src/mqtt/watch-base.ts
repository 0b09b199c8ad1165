import { AVAILABILITY, OWNER } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { sleep } from "../runtime/wait.ts";
import type { ReceivedMessage } from "./connection.ts";
import type { Ledger } from "./ledger.ts";
import { isNested, isOrphan, nestedBase } from "./nested-bases.ts";
import { type Owner, PING, PONG, readOwner } from "./owner.ts";
import { type Command, isCommandTopic, readCommand, stateTopics } from "./read-command.ts";
import type { Sender } from "./topic-sender.ts";
import type { Tree } from "./tree.ts";
import { untilQuiet } from "./until-quiet.ts";

/** The words as they came, and what they mean. */
export type OnCommand = (topic: string, payload: string, command: Command) => void;

export interface WatchOptions {
  tree: Tree;
  ledger: Ledger;
  sender: Sender;
  me: Owner;
  clock: Pick<Clock, "steady">;
  log: Log;
  signal: AbortSignal;
  onCommand: OnCommand;
  onForeignOwner: (owner: Owner) => void;
  /** Looking came to nothing: the connection ended, or the broker does not let vigie look. */
  failed: (error: unknown) => void;
}

export interface Watch {
  hear: (message: ReceivedMessage) => void;
  /** Subscribes and looks through what the broker holds; resolves when that is judged. */
  start: () => Promise<void>;
}

/**
 * Watches what is below the base. Nothing is judged as it arrives: it may be an echo, or be overtaken by what is on its
 * way. What surprises is kept until a message of one's own has come back after it: then the last word is known.
 */
export function createWatch(options: WatchOptions): Watch {
  const { tree, ledger, sender, clock, signal } = options;
  const odd = new Map<string, string>();
  const nested = new Set<string>();
  const judge = createJudge(options, odd, nested);
  let retained = 0;
  let looking = false;
  let lastLook = Number.NEGATIVE_INFINITY;

  const settle = async () => {
    looking = true;
    while (odd.size > 0) {
      if (clock.steady() - lastLook < BETWEEN_LOOKS) await sleep(BETWEEN_LOOKS, signal);
      await sender.idle();
      await tree.echo();
      judge();
      lastLook = clock.steady();
    }
    looking = false;
  };
  const weigh = (message: ReceivedMessage) => {
    if (isAsWanted(message, ledger)) odd.delete(message.topic);
    else {
      odd.set(message.topic, message.payload);
      if (!looking) settle().catch(options.failed);
    }
  };
  const hear = (message: ReceivedMessage) => {
    noteNested(message, nested);
    if (message.retain) retained += 1;
    const act = message.retain ? undefined : actionOn(message.topic);
    if (!act) weigh(message);
    else if (!isNested(message.topic, nested)) act(message, options);
  };
  const start = async () => {
    await sender.idle();
    await tree.subscribe("#");
    await untilQuiet(tree.echo, () => retained);
    judge();
  };
  return { hear, start };
}

function noteNested({ topic, payload }: ReceivedMessage, nested: Set<string>): void {
  const base = nestedBase(topic);
  if (base === undefined) return;
  if (payload === "") nested.delete(base);
  else nested.add(base);
}

type Action = (message: ReceivedMessage, options: WatchOptions) => void;

/** What is said and not kept: a question, an answer to one, a command. */
function actionOn(topic: string): Action | undefined {
  if (topic === PING) return answer;
  if (topic === PONG) return () => undefined;
  return isCommandTopic(topic) ? obey : undefined;
}

function isAsWanted({ topic, payload, retain }: ReceivedMessage, ledger: Ledger): boolean {
  const value = ledger.wanted().get(topic);
  if (value) return payload === value.payload;
  // An empty payload is no orphan: one's own clearing comes back, too.
  return payload === "" || !retain;
}

/** Judges by the last word on each topic, and by what is wanted now. */
function createJudge(
  { ledger, sender, me, log, onForeignOwner }: WatchOptions,
  odd: Map<string, string>,
  nested: ReadonlySet<string>,
): () => void {
  const said = new Set<string>();
  return () => {
    const wanted = ledger.wanted();
    const entries = [...odd];
    odd.clear();
    const owner = readOwner(entries.find(([topic]) => topic === OWNER)?.[1]);
    if (owner && owner.incarnation !== me.incarnation) return onForeignOwner(owner);
    const topics = entries.map(([topic]) => topic);
    const foreign = entries
      .filter(
        ([topic, payload]) =>
          wanted.has(topic) && wanted.get(topic)?.payload !== payload && ledger.holds(topic),
      )
      .map(([topic]) => topic);
    const orphans = topics.filter((topic) => isOrphan(topic, wanted, nested));
    sayForeign(foreign, said, log);
    sayOrphans(orphans, log);
    ledger.doubt([...foreign, ...orphans]);
    sender.wake();
  };
}

function sayForeign(topics: readonly string[], said: Set<string>, log: Log): void {
  if (topics.includes(AVAILABILITY)) log.info("Somebody else's word on availability is answered with online");
  const fresh = topics.filter((topic) => topic !== AVAILABILITY && !said.has(topic));
  for (const topic of fresh) said.add(topic);
  if (fresh.length > 0) log.warn(`Somebody else wrote to ${list(fresh)}: sent again`);
}

function sayOrphans(topics: readonly string[], log: Log): void {
  const commands = topics.filter(isCommandTopic);
  const rest = topics.filter((topic) => !isCommandTopic(topic));
  if (commands.length > 0) {
    log.warn(
      `Refused and cleared ${list(commands)}: a retained command is an old wish; send commands without retain`,
    );
  }
  if (rest.length > 0) log.info(`Cleared what nobody keeps any more: ${list(rest)}`);
}

function list(topics: readonly string[]): string {
  const more = topics.length > MOST_NAMED ? ` and ${topics.length - MOST_NAMED} more` : "";
  return `${topics.slice(0, MOST_NAMED).join(", ")}${more}`;
}

function answer(_question: ReceivedMessage, { tree, me, failed }: WatchOptions): void {
  tree.publish(() => ({ topic: PONG, payload: JSON.stringify(me), retain: false })).catch(failed);
}

function obey({ topic, payload }: ReceivedMessage, { ledger, sender, log, onCommand }: WatchOptions): void {
  if (payload === "") return;
  const read = readCommand(topic, payload);
  const states = stateTopics(topic).filter((state) => ledger.wanted().has(state));
  if ("command" in read && (states.length > 0 || !isOfRule(read.command))) {
    onCommand(topic, payload, read.command);
    return;
  }
  const expected = "expected" in read ? read.expected : "a rule of the configuration that has this";
  log.warn(`Expected ${expected}, got '${payload.slice(0, 60)}' on ${topic}`);
  if (states.length === 0) return;
  ledger.doubt(states);
  sender.wake();
}

/** What no rule has is not published either. */
function isOfRule({ kind }: Command): boolean {
  return kind === "enabled" || kind === "threshold";
}

const BETWEEN_LOOKS = 250;
const MOST_NAMED = 5;
