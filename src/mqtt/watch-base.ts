import { AVAILABILITY, OWNER, type Topics } from "../core/topics/topic.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { sleep } from "../runtime/wait.ts";
import { type BaseConnection, OWNER_PING, OWNER_PONG } from "./base-connection.ts";
import type { ReceivedMessage } from "./connection.ts";
import { isNested, isOrphan, noteNestedBase } from "./nested-bases.ts";
import { type Owner, readOwner } from "./owner.ts";
import { type Command, isCommandTopic, readCommand, stateTopics } from "./read-command.ts";
import type { TopicSender } from "./topic-sender.ts";

/** The command, and the topic below the base topic on which it arrived. */
export type OnCommand = (topic: string, command: Command) => void;

export interface WatchOptions {
  connection: Pick<
    BaseConnection,
    "version" | "publish" | "subscribe" | "waitForEcho" | "waitForRetained"
  > & {
    closed: Promise<unknown>;
  };
  sender: TopicSender;
  me: Owner;
  clock: Pick<ClockWithTimers, "steady" | "after">;
  log: Log;
  signal: AbortSignal;
  onCommand: OnCommand;
  onForeignOwner: (owner: Owner) => void;
  /** What the broker holds cannot be checked now: the connection ended, the broker is slow, or does not let vigie read. */
  onFailure: (error: unknown) => void;
  /** What the broker holds is checked. */
  onSuccess: () => void;
}

export interface BaseWatch {
  /** Takes each message below the base topic. */
  onMessage: (message: ReceivedMessage) => void;
  /** Subscribes, and resolves when all that the broker holds below the base topic is checked. */
  checkRetained: () => Promise<void>;
}

/**
 * Watches all that is below the base topic: commands, pings, another owner, retained messages that vigie did not write. A
 * message that differs is compared only after an echo: until then it may be vigie's own, or a later one may be on its way.
 */
export function watchBase(options: WatchOptions): BaseWatch {
  const { connection, sender, me, clock, log, signal, onForeignOwner, onFailure, onSuccess } = options;
  /** Topic to its last message. */
  const unexpected = new Map<string, ReceivedMessage>();
  /** Topics of vigie's own on which a message arrived as it was published, not as one that the broker held. */
  const live = new Set<string>();
  const nested = new Set<string>();
  const logged = new Set<string>();
  let isWaiting = false;
  let isClosed = false;
  void connection.closed.then(() => {
    isClosed = true;
  });
  let lastAttempt = Number.NEGATIVE_INFINITY;

  const judgeNoted = async () => {
    // What arrives during the echo may be followed by vigie's own value: it is judged after the next one.
    const noted = [...unexpected];
    await connection.waitForEcho();
    judge(noted.filter(([topic, message]) => unexpected.get(topic) === message));
  };
  const judge = (messages: readonly [string, ReceivedMessage][]) => {
    const payloads = new Map(messages.map(([topic, { payload }]) => [topic, payload]));
    for (const topic of payloads.keys()) unexpected.delete(topic);
    const owner = readOwner(payloads.get(OWNER));
    if (owner && owner.incarnation !== me.incarnation) return onForeignOwner(owner);
    const wanted = sender.wanted();
    const topics = [...payloads.keys()];
    // Where the wanted value is not acknowledged yet, it is still on its way.
    const foreign = topics.filter((topic) => {
      const value = wanted.get(topic);
      return value && value.payload !== payloads.get(topic) && sender.isAssumedRight(topic);
    });
    const orphans = topics.filter((topic) => isOrphan(topic, wanted, nested));
    logForeign(foreign, logged, log);
    logOrphans(orphans, log);
    sender.resend([...foreign, ...orphans]);
  };
  const judgeAfterEcho = async () => {
    if (clock.steady() - lastAttempt < BETWEEN_JUDGEMENTS) await sleep(BETWEEN_JUDGEMENTS, signal, clock);
    lastAttempt = clock.steady();
    await sender.allAcknowledged();
    await judgeNoted();
    onSuccess();
  };
  /** A failure is followed by another attempt: the noted topics must not stay wrong until the next connection. */
  const judgeUntilNoneIsLeft = async () => {
    isWaiting = true;
    while (unexpected.size > 0 && !(isClosed || signal.aborted)) await judgeAfterEcho().catch(onFailure);
    isWaiting = false;
  };
  const compare = (message: ReceivedMessage) => {
    const { topic, retain } = message;
    const wanted = sender.wanted();
    // On MQTT 3.1.1 it is what the broker held at a subscription. Some brokers send that after what was published since.
    if (connection.version === 4 && retain && live.has(topic)) return;
    if (!retain && wanted.has(topic)) live.add(topic);
    if (isExpected(message, wanted)) {
      unexpected.delete(topic);
      return;
    }
    unexpected.set(topic, message);
    if (!isWaiting) void judgeUntilNoneIsLeft();
  };
  return {
    onMessage: (message) => {
      const { topic, payload, retain } = message;
      noteNestedBase(topic, payload, nested);
      if (retain) return compare(message);
      if (topic === OWNER_PING) return answerPing(options);
      if (topic === OWNER_PONG) return;
      if (!isCommandTopic(topic)) return compare(message);
      if (!isNested(topic, nested)) handleCommand(message, options);
    },
    checkRetained: async () => {
      await sender.allAcknowledged();
      await connection.subscribe("#");
      await connection.waitForRetained();
      if (unexpected.size > 0) await judgeNoted();
      onSuccess();
    },
  };
}

function isExpected({ topic, payload, retain }: ReceivedMessage, wanted: Topics): boolean {
  const value = wanted.get(topic);
  if (value) return payload === value.payload;
  // Do not clear an empty payload: vigie's own clearing arrives as one, and answering it would not end.
  return payload === "" || !retain;
}

/** Each topic is logged once a connection. `availability` is written by the will of an earlier session of vigie's own, too. */
function logForeign(topics: readonly string[], logged: Set<string>, log: Log): void {
  if (topics.includes(AVAILABILITY)) log.info("availability was not online: vigie publishes online again");
  const fresh = topics.filter((topic) => topic !== AVAILABILITY && !logged.has(topic));
  for (const topic of fresh) logged.add(topic);
  if (fresh.length > 0)
    log.warn(`Another program wrote to ${list(fresh)}: vigie publishes its own values again`);
}

function logOrphans(topics: readonly string[], log: Log): void {
  const commands = topics.filter(isCommandTopic);
  const rest = topics.filter((topic) => !isCommandTopic(topic));
  if (commands.length > 0) {
    log.warn(
      `Refused and cleared ${list(commands)}: a retained command would be carried out again after each restart. Send commands without retain`,
    );
  }
  if (rest.length > 0)
    log.info(`Within seconds vigie clears retained topics that it does not publish: ${list(rest)}`);
}

function list(topics: readonly string[]): string {
  const more = topics.length > MOST_NAMED ? ` and ${topics.length - MOST_NAMED} more` : "";
  return `${topics.slice(0, MOST_NAMED).join(", ")}${more}`;
}

function answerPing({ connection, me, onFailure }: WatchOptions): void {
  connection.publish({ topic: OWNER_PONG, payload: JSON.stringify(me), retain: false }).catch(onFailure);
}

function handleCommand({ topic, payload }: ReceivedMessage, { sender, log, onCommand }: WatchOptions): void {
  if (payload === "") return;
  const wanted = sender.wanted();
  const read = readCommand(topic, payload);
  const problem = "problem" in read ? read.problem : missingInRules(read.command, wanted);
  if ("command" in read && problem === undefined) {
    onCommand(topic, read.command);
    return;
  }
  log.warn(`${topic}: ${problem}`);
  sender.resend(stateTopics(topic).filter((state) => wanted.has(state)));
}

/** The published topics tell which rules and thresholds exist: each rule has `enabled`, some have `threshold`. */
function missingInRules(command: Command, wanted: Topics): string | undefined {
  if (!("rule" in command) || wanted.has(`rules/${command.rule}/${command.kind}`)) return undefined;
  const { rule, kind } = command;
  return wanted.has(`rules/${rule}/enabled`) ? `the rule ${rule} has no ${kind}` : `there is no rule ${rule}`;
}

const BETWEEN_JUDGEMENTS = 250;
const MOST_NAMED = 5;
