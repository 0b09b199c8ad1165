import { createHash } from "node:crypto";
import type { HeardValue, HeardValues, KeptValues } from "../core/rules/value-readings.ts";
import { TOLERATED_JUMP } from "../runtime/alarm.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import type { BrokerLink } from "./base-connection.ts";
import { BrokerError, ConnectionLost } from "./broker-errors.ts";
import type { ReceivedMessage } from "./connection.ts";
import type { ConnectionUser } from "./owner-connection.ts";
import { subscribeIfAllowed } from "./subscribe-if-allowed.ts";

export interface ValueListenerOptions {
  /** The topics that `mqtt` conditions look at. */
  topics: readonly string[];
  /** What was heard before a reload. */
  heard?: HeardValues;
  /** From the state file. */
  kept: KeptValues;
  clock: ClockWithTimers;
  problemLog: ProblemLog;
  /** Something was heard, or all that the broker holds was: at most once a second. */
  onHeard: () => void;
}

/** Hears the values that other programs in the house publish, over the publisher's connection. */
export interface ValueListener extends ConnectionUser {
  heard: () => HeardValues;
  /**
   * False from the start, and from each new connection, until the broker has sent what it holds: at most 10 s on a
   * connection.
   */
  isSettled: () => boolean;
  /** For the state file. */
  keep: () => KeptValues;
  stop: () => void;
}

export function createValueListener(options: ValueListenerOptions): ValueListener {
  const { kept, clock, problemLog } = options;
  const topics = new Set(options.topics);
  const formerTopics = [...Object.keys(kept), ...(options.heard?.keys() ?? [])].filter(
    (one) => !topics.has(one),
  );
  const heard = new Map<string, HeardValue>();
  for (const [topic, value] of options.heard ?? []) if (topics.has(topic)) heard.set(topic, value);
  let clocks = { now: clock.now(), steady: clock.steady() };
  let isSettled = topics.size === 0;
  let current: BrokerLink | undefined;
  const stopping = new AbortController();
  const report = createReport(options);

  /**
   * Where the clock was set back, values stay as old as they are: those of a dead device must not become young again. Where it
   * went forward, they are older by that: the machine may have been suspended.
   */
  const followClock = () => {
    const before = clocks;
    clocks = { now: clock.now(), steady: clock.steady() };
    const jump = Math.round(clocks.now - before.now - (clocks.steady - before.steady));
    if (jump >= -TOLERATED_JUMP) return;
    for (const [topic, value] of heard) heard.set(topic, { ...value, at: value.at + jump });
  };
  const onMessage = ({ topic, payload, retain }: ReceivedMessage) => {
    if (!topics.has(topic) || stopping.signal.aborted) return;
    followClock();
    if (isTooLarge(payload)) {
      problemLog.starts(
        `value ${topic}`,
        `Ignored a message of more than 64 KB on ${topic}, to which a rule listens`,
      );
      return;
    }
    if (payload === "") heard.delete(topic);
    else heard.set(topic, { payload, at: retain ? firstHeard(topic, payload) : clock.now() });
    report.soon();
  };
  /** The broker sends what it holds at each connection, also when its device died long ago. */
  const firstHeard = (topic: string, payload: string) => {
    const before = heard.get(topic);
    if (before) return before.payload === payload ? before.at : clock.now();
    const keptValue = Object.hasOwn(kept, topic) ? kept[topic] : null;
    return keptValue?.hash === hashOf(payload) ? keptValue.at : clock.now();
  };
  const listen = async (link: BrokerLink) => {
    // A kept session has the subscriptions of its connections before.
    const ending = formerTopics.map((topic) => link.unsubscribe(topic));
    const beginning = [...topics].map((topic) => subscribeIfAllowed(link, topic, problemLog, "newest only"));
    await Promise.all([...ending, ...beginning]);
    await link.waitForRetained();
  };
  const settle = async (link: BrokerLink) => {
    const limit = sleep(SETTLE_LIMIT, stopping.signal).catch(() => undefined);
    try {
      await Promise.race([listen(link), limit]);
    } catch (error) {
      // The next connection waits anew: rules keep their verdicts until then.
      if (error instanceof ConnectionLost) return;
      if (!(error instanceof BrokerError)) throw error;
      await limit;
    }
    if (current !== link || stopping.signal.aborted) return;
    isSettled = true;
    report.soon();
  };
  return {
    onMessage,
    onConnection: (link) => {
      current = link;
      isSettled = topics.size === 0;
      void settle(link);
    },
    heard: () => {
      followClock();
      return heard;
    },
    isSettled: () => isSettled,
    keep: () => {
      followClock();
      const entries = [...topics].map((topic): [string, KeptValues[string]] => {
        const value = heard.get(topic);
        if (value) return [topic, { hash: hashOf(value.payload), at: value.at }];
        return [topic, (Object.hasOwn(kept, topic) ? kept[topic] : null) ?? null];
      });
      return Object.fromEntries(entries);
    },
    stop: () => {
      stopping.abort();
      report.stop();
    },
  };
}

/** Calls `onHeard` soon, and at most once a second. */
function createReport({ clock, onHeard }: Pick<ValueListenerOptions, "clock" | "onHeard">) {
  let last = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  return {
    soon: () => {
      cancel ??= clock.after(Math.max(0, last + BETWEEN_REPORTS - clock.steady()), () => {
        cancel = undefined;
        last = clock.steady();
        onHeard();
      });
    },
    stop: () => cancel?.(),
  };
}

function isTooLarge(payload: string): boolean {
  return payload.length > LARGEST || (payload.length > LARGEST / 3 && Buffer.byteLength(payload) > LARGEST);
}

function hashOf(payload: string): string {
  return createHash("sha256").update(payload).digest("base64url");
}

/** Bytes. */
const LARGEST = 64 * 1024;
const BETWEEN_REPORTS = 1_000;
const SETTLE_LIMIT = 10_000;
