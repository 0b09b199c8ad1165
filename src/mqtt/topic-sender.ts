import { type Change, diffTopics } from "../core/topics/diff-topics.ts";
import { AVAILABILITY, OWNER, secondsLeft, type Topic, type Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { BaseConnection } from "./base-connection.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";

export interface TopicSenderOptions {
  /** The payload of `owner`. */
  owner: string;
  clock: Pick<Clock, "now">;
  problemLog: ProblemLog;
  post: (event: AllAcknowledgedEvent) => void;
}

/** The broker has acknowledged every topic and event. */
export interface AllAcknowledgedEvent {
  kind: "all acknowledged";
}

/** Makes the topics on the broker equal to the wanted ones, over one connection after the other. */
export interface TopicSender {
  /** What the broker should hold from now on, and nothing else. Returns at once. */
  setTopics: (topics: Topics) => void;
  /** Published once, not retained, after the topics that were set before or in the same synchronous step. */
  publishEvent: (event: object) => void;
  /** Publishes every topic once more, though nothing changed. */
  republishAll: () => void;
  /** From now on no topic is cleared, until the returned function is called. */
  pauseClearing: () => () => void;
  /** Resolves when the broker has acknowledged every topic that was set, `online`, and every event. */
  allAcknowledged: () => Promise<void>;
  /** Sends over this connection until it closes. Topics are set by then; on the broker only `owner` is known to be right. */
  start: (connection: SenderConnection) => void;
  /** What the broker should hold by now, with `owner` and, once all else is acknowledged, `online`. */
  wanted: () => Topics;
  /** Whether the broker holds the payload that is wanted now, as far as is known: it was acknowledged or refused. */
  isAssumedRight: (topic: string) => boolean;
  /** The broker holds something else there: these topics are sent again, or cleared where they are not wanted. */
  resend: (topics: Iterable<string>) => void;
}

export interface SenderConnection {
  publish: BaseConnection["publish"];
  closed: Promise<unknown>;
  /** Called before `online` is published; never rejects. */
  subscribeToCommands: () => Promise<void>;
}

export const OFFLINE = "offline";
const ONLINE: [string, Topic] = [AVAILABILITY, { payload: "online" }];

/** What was sent over one connection. */
interface Progress extends SenderConnection {
  /** What the broker holds, as far as is known: acknowledged, refused (not sent again), or WRONG_ON_BROKER. */
  assumedOnBroker: Map<string, Topic>;
  /** Applied at the next plan: an acknowledgement that arrives later would overwrite it. */
  toResend: Set<string>;
  /** Topic to the reason. */
  refused: Map<string, string>;
  isOnlineWanted: boolean;
  isRunning: boolean;
  /** Set when something changed during a run; the run then checks again. */
  isWoken: boolean;
}

export function createTopicSender(options: TopicSenderOptions): TopicSender {
  const { clock, problemLog, post } = options;
  const owner: [string, Topic] = [OWNER, { payload: options.owner }];
  const events: string[] = [];
  const waiting: (() => void)[] = [];
  let topics: Topics = new Map();
  let wanted: Topics = new Map([owner]);
  let isClearingPaused = false;
  let current: Progress | undefined;

  const updateWanted = () => {
    wanted = new Map([...topics, owner, ...(current?.isOnlineWanted ? [ONLINE] : [])]);
  };
  const planChanges = ({ assumedOnBroker, toResend }: Progress) => {
    for (const topic of toResend) assumedOnBroker.set(topic, WRONG_ON_BROKER);
    toResend.clear();
    const changes = diffTopics(assumedOnBroker, wanted);
    return isClearingPaused ? changes.filter(({ kind }) => kind !== "clear") : changes;
  };
  /** Sends nothing if `wanted` has changed since the plan; a new plan follows, so that its last topic arrives last. */
  const send = async (
    { topic }: Change,
    planned: Topics,
    { publish, assumedOnBroker, refused }: Progress,
  ) => {
    const value = planned.get(topic);
    let isSent = false;
    const refusal = await refusalOf(
      publish(() => {
        isSent = wanted === planned;
        return isSent
          ? { topic, payload: value?.payload ?? "", retain: true, ...expiry(value, clock) }
          : null;
      }),
    );
    if (!isSent) return;
    if (refusal === null) refused.delete(topic);
    else refused.set(topic, refusal);
    // A refused one counts as sent: sending it again would change nothing.
    if (value) assumedOnBroker.set(topic, value);
    else assumedOnBroker.delete(topic);
  };
  /** False when there is nothing to send. */
  const sendNext = async (progress: Progress): Promise<boolean> => {
    const changes = planChanges(progress);
    if (changes.length > 0) {
      const planned = wanted;
      await Promise.all(changes.map((change) => send(change, planned, progress)));
      logRefused(progress.refused, problemLog);
      return true;
    }
    // `online` is sent last: no entity becomes available with an old value, and commands are subscribed to before it.
    if (!progress.isOnlineWanted) {
      await progress.subscribeToCommands();
      progress.isOnlineWanted = true;
      updateWanted();
      return true;
    }
    const [event] = events;
    if (event === undefined) return false;
    await refusalOf(progress.publish({ topic: "event", payload: event, retain: false }));
    if (events[0] === event) events.shift();
    return true;
  };
  const run = async (progress: Progress) => {
    progress.isRunning = true;
    do progress.isWoken = false;
    while ((await sendNext(progress)) || progress.isWoken);
    progress.isRunning = false;
    for (const resolve of waiting.splice(0)) resolve();
    post({ kind: "all acknowledged" });
  };
  const wake = () => {
    if (!current) return;
    current.isWoken = true;
    if (!current.isRunning) run(current).catch(ignoreLostConnection);
  };
  const resend = (wrong: Iterable<string>) => {
    for (const topic of wrong) current?.toResend.add(topic);
    wake();
  };
  return {
    setTopics: (newest) => {
      topics = newest;
      updateWanted();
      wake();
    },
    publishEvent: (event) => {
      events.push(JSON.stringify(event));
      if (events.length > MOST_EVENTS) events.shift();
      // The topics that the event is about are set in the same synchronous step, and are published before it.
      queueMicrotask(wake);
    },
    republishAll: () => resend(wanted.keys()),
    pauseClearing: () => {
      isClearingPaused = true;
      return () => {
        isClearingPaused = false;
        wake();
      };
    },
    allAcknowledged: () =>
      current && !current.isRunning ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    start: (connection) => {
      const progress: Progress = {
        ...connection,
        assumedOnBroker: new Map([owner]),
        toResend: new Set(),
        refused: new Map(),
        isOnlineWanted: false,
        isRunning: false,
        isWoken: false,
      };
      current = progress;
      void connection.closed.then(() => {
        if (current === progress) current = undefined;
      });
      updateWanted();
      wake();
    },
    wanted: () => wanted,
    isAssumedRight: (topic) => current?.assumedOnBroker.get(topic)?.payload === wanted.get(topic)?.payload,
    resend,
  };
}

/** Computed when the message is sent: it may have waited. */
function expiry(value: Topic | undefined, clock: Pick<Clock, "now">): { expiry?: number } {
  const left = value && secondsLeft(value, clock.now());
  return left === undefined ? {} : { expiry: left };
}

async function refusalOf(publishing: Promise<void>): Promise<string | null> {
  try {
    await publishing;
    return null;
  } catch (error) {
    if (error instanceof PublishRefused) return error.message;
    throw error;
  }
}

function logRefused(refused: ReadonlyMap<string, string>, problemLog: ProblemLog): void {
  const [first] = refused.values();
  if (first === undefined) {
    problemLog.isOver("refused", "The broker accepts every message again");
    return;
  }
  const more = refused.size > 1 ? ` (and ${refused.size - 1} more)` : "";
  problemLog.starts("refused", `${first}${more}; the other topics are published`);
}

/** The reason is logged by the publisher. The next connection starts anew. */
function ignoreLostConnection(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}

/** Stands for another payload than the wanted one: no topic is ever wanted with this one. */
const WRONG_ON_BROKER: Topic = { payload: "" };
/** Older events are dropped. */
const MOST_EVENTS = 20;
