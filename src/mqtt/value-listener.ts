import { createHash } from "node:crypto";
import type { ValuesEvent } from "../core/loop/event.ts";
import type { HeardValue, HeardValues, KeptValues } from "../core/rules/value-readings.ts";
import { type ClockWithTimers, readClocks, TOLERATED_JUMP } from "../runtime/clock.ts";
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
  /** At most once a second, so that a value that flaps turns no rule more often. */
  post: (event: ValuesEvent) => void;
}

/** Hears the values that other programs in the building publish, over the publisher's connection. */
export interface ValueListener extends ConnectionUser {
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
  /** By topic, of the payload that it was made of. */
  const hashes = new Map<string, { payload: string; hash: string }>();
  const emptied = new Set<string>();
  let clocks = readClocks(clock);
  let hasHeardAll = topics.size === 0;
  let current: BrokerLink | undefined;
  const stopping = new AbortController();
  const report = createReport(clock, () => {
    followClock();
    options.post({ kind: "values", heard: new Map(heard), kept: keep(), isSettled: hasHeardAll });
  });

  /**
   * Where the clock was set back, values stay as old as they are: those of a dead device must not become young again. Where it
   * went forward, they are older by that: the machine may have been suspended.
   */
  const followClock = () => {
    const before = clocks;
    clocks = readClocks(clock);
    const jump = Math.round(clocks.now - before.now - (clocks.steady - before.steady));
    if (jump >= -TOLERATED_JUMP) return;
    for (const [topic, value] of heard) heard.set(topic, { ...value, at: value.at + jump });
  };
  const take = ({ topic, payload, retain }: ReceivedMessage) => {
    if (!topics.has(topic) || stopping.signal.aborted) return;
    followClock();
    if (isTooLarge(payload)) {
      problemLog.starts(
        `value ${topic}`,
        `Ignored a message of more than 64 KB on ${topic}, to which a rule listens`,
      );
      return;
    }
    if (payload === "") emptied.add(topic);
    if (payload === "") heard.delete(topic);
    else heard.set(topic, { payload, at: retain ? firstHeard(topic, payload) : clock.now() });
    report.soon();
  };
  /** The broker sends what it holds at each connection, also when its device died long ago. */
  const firstHeard = (topic: string, payload: string) => {
    const before = heard.get(topic);
    if (before) return before.payload === payload ? before.at : clock.now();
    const keptValue = keptOf(topic);
    return keptValue?.hash === hashOf(payload) ? keptValue.at : clock.now();
  };
  /** What the state file held at the start counts until the topic is emptied. */
  const keptOf = (topic: string) =>
    (Object.hasOwn(kept, topic) && !emptied.has(topic) ? kept[topic] : null) ?? null;
  /** For the state file. */
  const keep = (): KeptValues =>
    Object.fromEntries(
      [...topics].map((topic): [string, KeptValues[string]] => {
        const value = heard.get(topic);
        if (value) return [topic, { hash: hashFor(topic, value.payload), at: value.at }];
        return [topic, keptOf(topic)];
      }),
    );
  /** Most values are the same as a second ago. */
  const hashFor = (topic: string, payload: string): string => {
    const known = hashes.get(topic);
    if (known?.payload === payload) return known.hash;
    const hash = hashOf(payload);
    hashes.set(topic, { payload, hash });
    return hash;
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
    hasHeardAll = true;
    report.soon();
  };
  return {
    take,
    connected: (link) => {
      current = link;
      const hadHeardAll = hasHeardAll;
      hasHeardAll = topics.size === 0;
      // Rules on values keep their verdicts until the broker has sent what it holds.
      if (hadHeardAll && !hasHeardAll) report.now();
      void settle(link);
    },
    stop: () => {
      stopping.abort();
      // What waits for the end of its second is not lost.
      report.flush();
    },
  };
}

/** Calls `tell` at most once a second. */
function createReport(clock: ClockWithTimers, tell: () => void) {
  let last = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  const report = () => {
    cancel = undefined;
    last = clock.steady();
    tell();
  };
  const soon = () => {
    cancel ??= clock.after(Math.max(0, last + BETWEEN_REPORTS - clock.steady()), report);
  };
  return {
    soon,
    /** At once if that is possible. */
    now: () => {
      if (!cancel && clock.steady() >= last + BETWEEN_REPORTS) report();
      else soon();
    },
    /** Tells at once what waits. */
    flush: () => {
      if (!cancel) return;
      cancel();
      report();
    },
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
