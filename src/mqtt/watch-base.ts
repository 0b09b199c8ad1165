import type { Instant } from "../core/calendar/tariff.ts";
import { quotePayload, shorten } from "../core/log/quote-payload.ts";
import type { Command, ReceivedCommand } from "../core/loop/command.ts";
import {
  AVAILABILITY,
  OWNER,
  type Owner,
  secondsLeft,
  type Topic,
  type Topics,
} from "../core/topics/topic.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { askClaimants, type OtherOwnerEvent, type UncheckedEvent } from "./ask-claimants.ts";
import {
  type BaseConnection,
  type BaseMessage,
  OWNER_PING,
  OWNER_PONG,
  RETAINED,
} from "./base-connection.ts";
import type { ReceivedMessage } from "./connection.ts";
import { areMostBases, isNested, isOrphan, noteNestedBase, sayMostBases } from "./nested-bases.ts";
import { readOwner } from "./owner.ts";
import { isCommandTopic, readCommand, stateTopics } from "./read-command.ts";
import type { TopicSender } from "./topic-sender.ts";

/** With the topic below the base topic on which it arrived. */
export interface CommandEvent extends ReceivedCommand {
  kind: "command";
}

/** What the broker holds is checked. */
interface CheckedEvent {
  kind: "checked";
}

export interface WatchOptions {
  connection: Pick<
    BaseConnection,
    "version" | "publish" | "subscribe" | "unsubscribe" | "waitForEcho" | "waitForRetained"
  > & {
    closed: Promise<unknown>;
  };
  sender: TopicSender;
  me: Owner;
  clock: Pick<ClockWithTimers, "now" | "steady" | "after">;
  /** With a limit: others can cause these lines. */
  log: Log;
  problemLog: ProblemLog;
  signal: AbortSignal;
  post: (event: CommandEvent | OtherOwnerEvent | UncheckedEvent | CheckedEvent) => void;
}

export interface BaseWatch {
  /** Messages outside of the base topic belong to other programs, and count for nothing. */
  take: (message: BaseMessage) => void;
  /** Subscribes, and resolves when all that the broker holds below the base topic is checked. */
  checkRetained: () => Promise<void>;
}

/**
 * Watches all that is below the base topic: commands, pings, another owner, retained messages that vigie did not write. A
 * message that differs is compared only after an echo: until then it may be vigie's own, or a later one may be on its way.
 */
export function watchBase(options: WatchOptions): BaseWatch {
  const { connection, sender, me, clock, log, problemLog, signal, post } = options;
  const fail = (error: unknown) => post({ kind: "unchecked", error });
  /** Topic to its last message, of as many as there is room for. */
  const unexpected = new Map<string, ReceivedMessage>();
  let room = MOST_NOTED;
  /** For others there was no room: they are read again when those noted are judged. */
  let isMore = false;
  /** Messages of this minute since vigie's own topics were read, but for what came for that reading. */
  let arrived = 0;
  /** When this minute began, by the steady clock. */
  let countedSince = Number.NEGATIVE_INFINITY;
  let isOwnPlanned = false;
  let isOwnDue = false;
  /** Topics of vigie's own that are being read, and of which nothing came so far. */
  const unread = new Set<string>();
  let pause = FIRST_PAUSE;
  let isPausing = false;
  let isReadPlanned = false;
  /** Characters of the long topics that are being cleared. */
  let clearing = 0;
  /** One that was cleared since the last reading; empty: none was. */
  let cleared = "";
  /** `before` was cleared before this reading, `isBack` tells whether it came again; `others` counts topics that are not vigie's. */
  let reading = { before: "", isBack: false, others: 0 };
  /** Topics of vigie's own on which a message arrived as it was published, not as one that the broker held. */
  const live = new Set<string>();
  const nested = new Set<string>();
  /** On MQTT 5 a message that is not retained changes nothing of what the broker holds. MQTT 3.1.1 does not tell. */
  const mayBeHeld = ({ retain }: ReceivedMessage) => retain || connection.version === 4;
  /** Whether the broker is known to hold something else. */
  const isOutdated = (message: ReceivedMessage) => {
    const { topic, retain } = message;
    // On MQTT 3.1.1 it is what the broker held at a subscription. Some brokers send that after what was published since.
    return mayBeHeld(message) ? connection.version === 4 && retain && live.has(topic) : unexpected.has(topic);
  };
  const logged = new Set<string>();
  let isWaiting = false;
  /** A message of QoS 0 has arrived, and it is awaited whether one of QoS 1 follows. */
  let isQos1Awaited = false;
  let hasQos1Arrived = false;
  let isEchoDue = false;
  const closing = new AbortController();
  void connection.closed.then(() => closing.abort());
  /** Aborts when nothing is watched any more. */
  const over = AbortSignal.any([signal, closing.signal]);
  let lastAttempt = Number.NEGATIVE_INFINITY;

  const judgeNoted = async () => {
    // What arrives during the echo may be followed by vigie's own value: it is judged after the next one.
    const noted = [...unexpected];
    await connection.waitForEcho();
    judge(noted.filter(([topic, message]) => unexpected.get(topic) === message));
    const wanted = sender.wanted();
    cleared = noted.find(([topic]) => isOrphan(topic, wanted, nested))?.[0] ?? cleared;
  };
  const forget = (topic: string) => {
    if (unexpected.delete(topic)) room += topic.length + EACH;
  };
  /**
   * No vigie publishes a topic as long as this one. So it is neither judged nor noted: many of them would not fit into
   * memory, and all the others would be read once more for each few that were cleared. With QoS 0: an acknowledgement would
   * wait behind all that the broker sends.
   */
  const clearAtOnce = (topic: string) => {
    if (clearing >= MOST_CLEARING) return wantMore();
    if (clearing === 0) logOrphans([topic], log);
    cleared = topic;
    clearing += topic.length;
    const sent = connection.publish({ topic, payload: "", retain: true, qos: 0 });
    void sent.catch(fail).finally(() => {
      clearing -= topic.length;
    });
  };
  const wantMore = () => {
    // The reading after the pause brings it.
    if (!isPausing) isMore = true;
  };
  const noteForJudgement = (message: ReceivedMessage, wanted: Topics) => {
    const { topic, retain } = message;
    if (topic === reading.before) reading.isBack = true;
    if (retain && !wanted.has(topic)) reading.others += 1;
    if (topic.length > LONGEST_TOPIC) return clearAtOnce(topic);
    if (room <= 0 && !wanted.has(topic)) return wantMore();
    unexpected.set(topic, note(message, wanted));
    room -= topic.length + EACH;
  };
  const judge = (messages: readonly [string, ReceivedMessage][]) => {
    const noted = new Map(messages);
    for (const topic of noted.keys()) forget(topic);
    const owner = noted.get(OWNER);
    const claim = owner && mayBeHeld(owner) ? readOwner(owner.payload) : null;
    if (claim && claim.incarnation !== me.incarnation) {
      noted.delete(OWNER);
      claimants.claim(claim);
    }
    const wanted = sender.wanted();
    const topics = [...noted.keys()];
    // Where the wanted value is not acknowledged yet, it is still on its way.
    const foreign = topics.filter((topic) => {
      const [value, message] = [wanted.get(topic), noted.get(topic)];
      return value && message && !isWanted(message, value, clock.now()) && sender.isAssumedRight(topic);
    });
    const orphans = topics.filter((topic) => isOrphan(topic, wanted, nested));
    logForeign(foreign, logged, log);
    logOrphans(orphans, log);
    sender.resend([...foreign, ...orphans]);
  };
  const claimants = askClaimants({
    ...options,
    post: (event) => {
      if (event.kind !== "rewrite owner") return post(event);
      if (over.aborted) return;
      logForeign([OWNER], logged, log);
      sender.resend([OWNER]);
    },
  });
  const judgeAfterEcho = async () => {
    if (clock.steady() - lastAttempt < BETWEEN_JUDGEMENTS) await sleep(BETWEEN_JUDGEMENTS, signal, clock);
    lastAttempt = clock.steady();
    await sender.allAcknowledged();
    await judgeNoted();
    isEchoDue = false;
    if (isOwnDue) await readOwn();
    if (isMore) await readMore();
    post({ kind: "checked" });
  };
  /**
   * Reads each topic of vigie's own by its name: of all that is below the base topic, a broker may send the topics of others
   * only. One that the broker does not hold is sent again.
   */
  const readOwn = async () => {
    await sender.allAcknowledged();
    await connection.waitForEcho();
    // What the broker holds now is newer than what arrived before.
    live.clear();
    // What arrives from now on leads to another reading.
    arrived = 0;
    isOwnPlanned = false;
    isOwnDue = false;
    const names = [...sender.wanted().keys()];
    for (const name of names) unread.add(name);
    try {
      const subscribing = names.map((name) => connection.subscribe(name));
      // Each is answered before any is ended.
      await Promise.allSettled(subscribing);
      await Promise.all(subscribing);
      await connection.waitForRetained();
      const wanted = sender.wanted();
      sender.resend([...unread].filter((name) => isLasting(wanted.get(name), clock.now())));
    } catch (error) {
      isOwnDue = true;
      throw error;
    } finally {
      unread.clear();
      await Promise.all(names.map((name) => connection.unsubscribe(name)));
    }
  };
  /**
   * What was cleared does not come again. If it does, clearing is paused, or the broker refuses it: vigie waits longer each time.
   * What is read may fill the broker's queue, so that it drops commands: vigie reads for half of the time at most.
   */
  const readMore = async () => {
    await sender.allAcknowledged();
    await connection.waitForEcho();
    // What came by then may be cleared already. What is not comes again.
    for (const topic of unexpected.keys()) if (!sender.wanted().has(topic)) forget(topic);
    isMore = false;
    const began = clock.steady();
    await readRetained().catch((error: unknown) => {
      isMore = true;
      throw error;
    });
    const isInVain = isMore && (reading.isBack || reading.before === "");
    pause = isInVain ? Math.min(2 * pause, LONGEST_PAUSE) : FIRST_PAUSE;
    if (!isMore) return;
    isMore = false;
    isPausing = true;
    void readAfter(Math.max(pause, clock.steady() - began));
  };
  const readAfter = (delay: number) => sleep(delay, over, clock).then(judgeMore, () => undefined);
  const judgeMore = () => {
    isPausing = false;
    isMore = true;
    if (!isWaiting) void judgeUntilNoneIsLeft();
  };
  const planRead = async () => {
    if (isReadPlanned) return;
    isReadPlanned = true;
    await readAfter(BEFORE_READING);
    isReadPlanned = false;
  };
  /** On MQTT 3.1.1 a message that arrives live does not tell whether the broker holds it. Only what is read tells. */
  const readIfMayBeHeld = ({ topic, payload }: ReceivedMessage) => {
    if (connection.version === 4 && payload !== "" && !sender.wanted().has(topic)) void planRead();
  };
  const readRetained = async () => {
    reading = { before: cleared, isBack: false, others: 0 };
    cleared = "";
    // What the broker holds now is newer than what arrived before.
    live.clear();
    for (const filter of RETAINED) await connection.subscribe(filter);
    await connection.waitForRetained();
    if (reading.others >= MOST_OTHERS) judgeMore();
  };
  /**
   * A broker drops messages to vigie without a word when MOST_READY others are on their way. These arrive, and soon one after the
   * other: so among fewer messages than that within a minute, vigie reads its own topics once more. Those of many quiet hours
   * are no reason: a rule on a value may turn each second.
   */
  const countArrival = () => {
    const now = clock.steady();
    if (now >= countedSince + COUNTED_FOR) {
      arrived = 0;
      countedSince = now;
    }
    arrived += 1;
    if (arrived < BEFORE_OWN || isOwnPlanned) return;
    isOwnPlanned = true;
    void planRead();
    sleep(BEFORE_READING_OWN, over, clock).then(
      () => {
        isOwnDue = true;
        if (!isWaiting) void judgeUntilNoneIsLeft();
      },
      () => undefined,
    );
  };
  /** A failure is followed by another attempt: the noted topics must not stay wrong until the next connection. */
  const judgeUntilNoneIsLeft = async () => {
    isWaiting = true;
    while ((unexpected.size > 0 || isMore || isOwnDue || isEchoDue) && !over.aborted)
      await judgeAfterEcho().catch(fail);
    isWaiting = false;
  };
  /**
   * A broker that had too much to send may send messages of QoS 0 only from then on, and no commands of QoS 1. If one of QoS 0 is
   * not followed by any of QoS 1, such as what vigie publishes after a command, vigie asks for an echo.
   */
  const noteQos = ({ qos }: ReceivedMessage) => {
    hasQos1Arrived ||= qos !== 0;
    if (qos !== 0 || isQos1Awaited) return;
    isQos1Awaited = true;
    hasQos1Arrived = false;
    sleep(BEFORE_ECHO, over, clock).then(
      () => {
        isQos1Awaited = false;
        if (hasQos1Arrived) return;
        isEchoDue = true;
        if (!isWaiting) void judgeUntilNoneIsLeft();
      },
      () => undefined,
    );
  };
  const compare = (message: ReceivedMessage) => {
    const { topic, retain } = message;
    if (isOutdated(message)) return;
    const wanted = sender.wanted();
    if (!retain && wanted.has(topic)) live.add(topic);
    forget(topic);
    if (isExpected(message, wanted, clock.now())) {
      if (topic === OWNER && mayBeHeld(message)) claimants.settle();
      return;
    }
    noteForJudgement(message, wanted);
    if (!isWaiting) void judgeUntilNoneIsLeft();
  };
  const noteNested = (message: ReceivedMessage) => {
    if (!mayBeHeld(message)) return;
    const base = noteNestedBase(message.topic, message.payload, nested);
    if (base !== undefined) tellNested(base, nested, problemLog);
  };
  return {
    take: (message) => {
      const { topic, retain } = message;
      if (message.isOutside) return;
      noteQos(message);
      if (!(retain && unread.delete(topic))) countArrival();
      noteNested(message);
      if (retain) return compare(message);
      if (topic === OWNER_PING) return answerPing(options);
      if (topic === OWNER_PONG) return claimants.takePong(message);
      readIfMayBeHeld(message);
      if (!isCommandTopic(topic)) return compare(message);
      if (!isNested(topic, nested)) handleCommand(message, options);
    },
    checkRetained: async () => {
      await sender.allAcknowledged();
      await readRetained();
      if (unexpected.size > 0) await judgeNoted();
      post({ kind: "checked" });
    },
  };
}

/** The payload is kept only if it is compared: whoever wrote it may have made it long. */
function note(message: ReceivedMessage, wanted: Topics): ReceivedMessage {
  const { topic, payload } = message;
  const isCompared = topic === OWNER || wanted.has(topic);
  return { ...message, payload: isCompared && payload.length <= LONGEST_COMPARED ? payload : "" };
}

function isExpected(message: ReceivedMessage, wanted: Topics, now: Instant): boolean {
  const { topic, payload, retain } = message;
  const value = wanted.get(topic);
  if (value) return isWanted(message, value, now);
  // Do not clear an empty payload: vigie's own clearing arrives as one, and answering it would not end.
  return payload === "" || !retain;
}

/** Of a copy of vigie's own value that expires early nothing would be left. */
function isWanted({ payload, expiry }: ReceivedMessage, value: Topic, now: Instant): boolean {
  const left = secondsLeft(value, now) ?? Number.POSITIVE_INFINITY;
  return payload === value.payload && (expiry === undefined || expiry + TOLERATED_EXPIRY >= left);
}

/** Whether the broker has no reason to have dropped it. */
function isLasting(value: Topic | undefined, now: Instant): boolean {
  return value !== undefined && (value.expires === undefined || value.expires > now);
}

/** Each topic is logged once a connection. `availability` is written by the will of an earlier session of vigie's own, too. */
function logForeign(topics: readonly string[], logged: Set<string>, log: Log): void {
  if (topics.includes(AVAILABILITY)) log.info("availability was not online: vigie publishes online again");
  const fresh = topics.filter((topic) => topic !== AVAILABILITY && !logged.has(topic));
  for (const topic of fresh) logged.add(topic);
  if (fresh.length > 0)
    log.warn(`Another program wrote to ${list(fresh)}: vigie publishes its own values again`);
}

/** Once, however often the connection is made again. */
function tellNested(base: string, nested: ReadonlySet<string>, problemLog: ProblemLog): void {
  problemLog.starts(
    "nested bases",
    `Another vigie publishes below ${quotePayload(base)}: vigie leaves these topics alone, and carries out no command there`,
  );
  if (areMostBases(nested)) problemLog.starts("most bases", sayMostBases("restart vigie"));
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
  return `${topics.slice(0, MOST_NAMED).map(shorten).join(", ")}${more}`;
}

function answerPing({ connection, me, post }: WatchOptions): void {
  connection
    .publish({ topic: OWNER_PONG, payload: JSON.stringify(me), retain: false })
    .catch((error: unknown) => post({ kind: "unchecked", error }));
}

function handleCommand({ topic, payload }: ReceivedMessage, { sender, log, post }: WatchOptions): void {
  if (payload === "") return;
  const wanted = sender.wanted();
  // No command has a longer topic, whatever others write.
  const shown = shorten(topic);
  const read = readCommand(shown, payload);
  const problem = "problem" in read ? read.problem : missingInRules(read.command, wanted);
  if ("command" in read && problem === undefined) {
    post({ kind: "command", topic, command: read.command });
    return;
  }
  log.warn(`${shown}: ${problem}`);
  sender.resend(stateTopics(shown).filter((state) => wanted.has(state)));
}

/** The published topics tell which rules and thresholds exist: each rule has `enabled`, some have `threshold`. */
function missingInRules(command: Command, wanted: Topics): string | undefined {
  if (!("rule" in command) || wanted.has(`rules/${command.rule}/${command.kind}`)) return undefined;
  const { rule, kind } = command;
  return wanted.has(`rules/${rule}/enabled`) ? `the rule ${rule} has no ${kind}` : `there is no rule ${rule}`;
}

const BETWEEN_JUDGEMENTS = 250;
/** mosquitto keeps so many messages ready unless it is told another number. */
const MOST_READY = 1_000;
/** What comes when vigie's own topics are read takes room, too, and is not counted. */
const BEFORE_OWN = MOST_READY / 2;
const COUNTED_FOR = 60_000;
const BEFORE_READING_OWN = 10_000;
const BEFORE_ECHO = 10_000;
/** If so many topics were read, the broker may hold more. */
const MOST_OTHERS = MOST_READY / 2;
const LONGEST_PAUSE = 600_000;
const FIRST_PAUSE = 1_000;
const BEFORE_READING = 600_000;
/** Characters of topics, and what each takes beside them. */
const MOST_NOTED = 2_000_000;
const EACH = 500;
/** A base topic has at most 200 characters, and all that any vigie publishes below it has fewer. */
const LONGEST_TOPIC = 1_000;
/** Characters. */
const MOST_CLEARING = 500_000;
/** vigie's own are shorter. */
const LONGEST_COMPARED = 16 * 1024;
/** Seconds: after a jump of the clock by less than a minute, topics are not sent again. */
const TOLERATED_EXPIRY = 120;
const MOST_NAMED = 5;
