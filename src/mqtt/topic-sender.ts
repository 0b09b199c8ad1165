import { type Change, diffTopics } from "../core/topics/diff-topics.ts";
import { AVAILABILITY, OWNER, secondsLeft, type Topic, type Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { BaseConnection } from "./base-connection.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";

export interface TopicSenderOptions {
  publish: BaseConnection["publish"];
  /** The payload of `owner`, which is published already. */
  owner: string;
  /** Published once each, in order, when no topic is left to send; removed when acknowledged. */
  events: string[];
  /** While it is, topics that are not wanted any more stay. */
  isClearingPaused: () => boolean;
  /** Called before `online` is published; never rejects. */
  subscribeToCommands: () => Promise<void>;
  /** Every topic is acknowledged, `online` too. */
  onAllAcknowledged: () => void;
  clock: Pick<Clock, "now">;
  problemLog: ProblemLog;
}

/** Makes the topics on the broker equal to the wanted ones, over one connection. */
export interface TopicSender {
  /** What the broker should hold. Nothing is sent before `wake` is called. */
  setTopics: (topics: Topics) => void;
  /** Sends what is to be sent: topics that differ, events, and topics whose clearing was paused. */
  wake: () => void;
  /** What the broker should hold by now, with `owner` and, once all else is acknowledged, `online`. */
  wanted: () => Topics;
  /** Whether the broker has acknowledged the payload that is wanted now. */
  isAcknowledged: (topic: string) => boolean;
  /** The broker holds something else there: these topics are sent again, or cleared where they are not wanted. */
  resend: (topics: Iterable<string>) => void;
  /** Resolves when nothing is left to send. */
  whenIdle: () => Promise<void>;
}

export const OFFLINE = "offline";
const ONLINE: [string, Topic] = [AVAILABILITY, { payload: "online" }];

/** At first only `owner` counts as sent: a new connection publishes every topic once. */
export function createTopicSender(options: TopicSenderOptions): TopicSender {
  const { publish, events, clock, problemLog, isClearingPaused } = options;
  const owner: [string, Topic] = [OWNER, { payload: options.owner }];
  const acknowledged = new Map([owner]);
  // Noted until the next plan: an acknowledgement that is on its way must not undo it.
  const toResend = new Set<string>();
  const refused = new Map<string, string>();
  const idleWaiters: (() => void)[] = [];
  let topics: Topics | undefined;
  let isOnlineWanted = false;
  let wanted: Topics = new Map([owner]);
  let isRunning = false;
  // Called while the sender finds nothing to do: by now there may be something.
  let isWoken = false;

  const updateWanted = () => {
    wanted = new Map([...(topics ?? []), owner, ...(isOnlineWanted ? [ONLINE] : [])]);
  };
  const planChanges = () => {
    for (const topic of toResend) acknowledged.set(topic, UNKNOWN);
    toResend.clear();
    const changes = diffTopics(acknowledged, wanted);
    return isClearingPaused() ? changes.filter(({ kind }) => kind !== "clear") : changes;
  };
  /** Stops where other topics are wanted meanwhile: these get a plan of their own, so that its last topic arrives last. */
  const send = async ({ topic }: Change, planned: Topics) => {
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
    if (value) acknowledged.set(topic, value);
    else acknowledged.delete(topic);
  };
  /** False when there is nothing to send. */
  const sendNext = async (): Promise<boolean> => {
    const changes = planChanges();
    if (changes.length > 0) {
      const planned = wanted;
      await Promise.all(changes.map((change) => send(change, planned)));
      logRefused(refused, problemLog);
      return true;
    }
    // `online` is sent last: no entity becomes available with an old value, and who sees it can send commands.
    if (topics && !isOnlineWanted) {
      await options.subscribeToCommands();
      isOnlineWanted = true;
      updateWanted();
      return true;
    }
    const [event] = events;
    if (event === undefined || !isOnlineWanted) return false;
    await refusalOf(publish({ topic: "event", payload: event, retain: false }));
    if (events[0] === event) events.shift();
    return true;
  };
  const run = async () => {
    isRunning = true;
    do isWoken = false;
    while ((await sendNext()) || isWoken);
    isRunning = false;
    if (!isOnlineWanted) return;
    options.onAllAcknowledged();
    for (const resolve of idleWaiters.splice(0)) resolve();
  };
  return {
    setTopics: (newest) => {
      topics = newest;
      updateWanted();
    },
    wake: () => {
      isWoken = true;
      if (!isRunning) run().catch(ignoreLostConnection);
    },
    wanted: () => wanted,
    isAcknowledged: (topic) => acknowledged.get(topic)?.payload === wanted.get(topic)?.payload,
    resend: (wrong) => {
      for (const topic of wrong) toResend.add(topic);
    },
    whenIdle: () =>
      isOnlineWanted && !isRunning ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve)),
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

/** The connection itself says why it ended, and the next one has a sender of its own. */
function ignoreLostConnection(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}

/** What the broker holds instead of the wanted payload: no payload that is ever wanted. */
const UNKNOWN: Topic = { payload: "" };
