import { MINUTE } from "../calendar.ts";
import { isKind, type Kind, type Trace, type TraceEvent, within } from "../trace.ts";
import { onceForEach } from "./once-for-each.ts";

/** When vigie was connected to a broker that answers, and ran without an interruption; all files of secrets were there. */
export interface Calm {
  /** Since when it has been so; null: it is not so at this instant. */
  since: (steady: number) => number | null;
  /** It was so from the first instant to the second, and what came then is in the trace. */
  isThrough: (from: number, to: number) => boolean;
  /** For how many milliseconds it was so in this time. */
  connected: (from: number, to: number) => number;
  /** In this time the clock was not set, and the state file was not replaced. */
  isSure: (from: number, to: number) => boolean;
  /** The machine did not sleep: its clock for intervals stands still then. */
  isAwake: (from: number, to: number) => boolean;
  /**
   * All files of secrets were there in this time, and for so long before it that what could not be sent without one was tried again:
   * that may take ten minutes.
   */
  hasSecrets: (from: number, to: number) => boolean;
  /** The broker took each message at once in this time. */
  isBrokerQuick: (from: number, to: number) => boolean;
  /** No write that was under way in this time took long, and none failed. */
  isDiskQuick: (from: number, to: number) => boolean;
  /**
   * Each turn of a rule in this time is on vigie's topics: it never ran for long without a connection, the broker was quick, and so was
   * the disk. A slow broker gets the newest of several turns only.
   */
  isSeen: (from: number, to: number) => boolean;
  /** Milliseconds that something may take by then from vigie to the broker. */
  latency: (steady: number) => number;
  /** And back, with all that it waits for. */
  lag: (steady: number) => number;
}

export const readCalm = onceForEach(findCalm);

function findCalm({ events }: Trace): Calm {
  const times: { from: number; to: number }[] = [];
  const latencies = [{ steady: 0, milliseconds: 1 }];
  const doubts: number[] = [];
  const asleep: { from: number; to: number }[] = [];
  const withoutSecrets: { from: number; to: number }[] = [];
  const slow: { from: number; to: number }[] = [];
  const alone: { from: number; to: number }[] = [];
  let begun: number | null = null;
  let aloneSince: number | null = null;
  let isRunning = false;
  let isConnected = false;
  let isSuspended = false;
  let secretsGone = 0;
  const end = events.at(-1)?.steady ?? 0;
  for (const event of events) {
    const isChange = isKind(event, ...CHANGES);
    if (isKind(event, "connected")) isConnected = true;
    if (isKind(event, ...ENDS)) isConnected = false;
    if (isKind(event, "start")) isRunning = true;
    if (isKind(event, "stopped", "kill", "crash")) isRunning = false;
    if (isRunning && !isConnected) aloneSince ??= event.steady;
    else if (aloneSince !== null) {
      if (event.steady - aloneSince > SHORT) alone.push({ from: aloneSince, to: event.steady });
      aloneSince = null;
    }
    if (isKind(event, "suspend", "resume")) isSuspended = event.kind === "suspend";
    if (isKind(event, "suspend")) asleep.push({ from: event.steady, to: Number.POSITIVE_INFINITY });
    if (isKind(event, "resume")) asleep.at(-1)!.to = event.steady;
    if (isKind(event, "secret file")) {
      secretsGone += event.isThere ? -1 : 1;
      if (!event.isThere && secretsGone === 1)
        withoutSecrets.push({ from: event.steady, to: Number.POSITIVE_INFINITY });
      if (secretsGone === 0) withoutSecrets.at(-1)!.to = event.steady;
    }
    if (isChange) {
      const last = times.at(-1);
      if (last?.to === Number.POSITIVE_INFINITY) last.to = event.steady;
      if (isConnected && !isSuspended && secretsGone === 0)
        times.push({ from: event.steady, to: Number.POSITIVE_INFINITY });
    }
    if (isKind(event, "write")) {
      const isGood = event.outcome === "done" && begun !== null && event.steady - begun <= QUICK;
      if (begun !== null && !isGood) slow.push({ from: begun, to: event.steady });
      begun = event.outcome === "begun" ? event.steady : null;
    }
    if (isKind(event, "state file", "jump")) doubts.push(event.steady);
    if (isKind(event, "latency")) latencies.push(event);
  }
  if (aloneSince !== null) alone.push({ from: aloneSince, to: Number.POSITIVE_INFINITY });
  const latency = (steady: number) => {
    // What is on its way keeps to the latency that it began with.
    const recent = latencies.filter((one, index) => {
      const end = latencies[index + 1]?.steady ?? Number.POSITIVE_INFINITY;
      return one.steady <= steady && end >= steady - RECENT;
    });
    return Math.max(...recent.map(({ milliseconds }) => milliseconds));
  };
  const isBrokerQuick = (from: number, to: number) =>
    [from, to, ...within(latencies, from, to).map(({ steady }) => steady)].every(
      (steady) => latency(steady) <= QUICK,
    );
  const isDiskQuick = (from: number, to: number) =>
    !slow.some((one) => one.from <= to && one.to >= from) && !(begun !== null && begun <= to);
  const at = (steady: number) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]!.from <= steady) low = middle + 1;
      else high = middle;
    }
    const time = times[low - 1];
    return time && steady < time.to ? time : undefined;
  };
  return {
    since: (steady) => at(steady)?.from ?? null,
    isThrough: (from, to) => {
      const time = at(from);
      return time !== undefined && to < time.to && to <= end;
    },
    connected: (from, to) =>
      times.reduce((sum, time) => sum + Math.max(0, Math.min(time.to, to) - Math.max(time.from, from)), 0),
    isSure: (from, to) => !doubts.some((steady) => steady >= from && steady <= to),
    isAwake: (from, to) => !asleep.some((one) => one.from <= to && one.to >= from),
    hasSecrets: (from, to) => {
      // While the machine sleeps, nothing is tried again.
      const slept = asleep.filter((one) => one.from <= to && one.to >= from - TRIED_AGAIN);
      const since = Math.min(from, ...slept.map((one) => one.from)) - TRIED_AGAIN;
      return !withoutSecrets.some((one) => one.from <= to && one.to >= since);
    },
    isBrokerQuick,
    isDiskQuick,
    isSeen: (from, to) =>
      isBrokerQuick(from, to) &&
      isDiskQuick(from, to) &&
      !alone.some((one) => one.from <= to && one.to >= from),
    latency,
    lag: (steady) => 3 * latency(steady) + USUAL,
  };
}

/** After these it is not connected. */
const ENDS = [
  "disconnected",
  "kill",
  "crash",
  "stop",
  "start",
  "reload",
  "broker down",
] as const satisfies readonly Kind[];
/** A clock that is set may change all that is due. */
const CHANGES = [...ENDS, "connected", "suspend", "resume", "jump", "secret file"] as const;
/** Milliseconds. */
const RECENT = 15_000;
const USUAL = 1_500;
const QUICK = 100;
const SHORT = 10_000;
/** Ten minutes, and the time that the requests before it take. */
const TRIED_AGAIN = 11 * MINUTE;

/**
 * vigie had to leave the base topic. It does nothing until the other vigie has been silent for `mqtt.grace`; the judge "takes the
 * base topic" follows that.
 */
export function isWaiting(event: TraceEvent, events: readonly TraceEvent[]): boolean {
  const before = events.slice(0, events.indexOf(event));
  return before.findLast((one) => isKind(one, "yield", "connected"))?.kind === "yield";
}
