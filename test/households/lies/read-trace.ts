import { parse } from "yaml";
import { MINUTE, SECOND } from "../calendar.ts";
import { onceForEach } from "../judges/once-for-each.ts";
import type { HouseConfig, RuleText } from "../scenario.ts";
import { type EventOf, isKind, type Kind, type Trace, type TraceEvent } from "../trace.ts";

/** From an instant to another one, as `steady`. */
export interface Time {
  from: number;
  to: number;
}

/** A publication, and a time in which the broker holds it while vigie is calm. */
export interface Shown extends Time {
  event: EventOf<"published">;
}

/**
 * When vigie had been connected for two minutes, its clock was right (or wrong by as much as is asked for), its files of secrets were
 * there, and nothing disturbed it: neither somebody nor the broker nor the machine. Sources and devices may do what they like.
 */
export function calmTimes({ began, events }: Trace, isAskedFor = isRight): Time[] {
  const times: Time[] = [];
  let isConnected = false;
  let isSlow = false;
  let secretsGone = 0;
  let since: number | null = null;
  for (const event of events) {
    const isLast = event === events.at(-1);
    if (!isKind(event, ...DISTURBING) && !isLast) continue;
    if (since !== null && event.steady > since + SETTLES)
      times.push({ from: since + SETTLES, to: event.steady });
    if (event.kind === "connected") isConnected = true;
    if (isKind(event, ...ENDS)) isConnected = false;
    if (event.kind === "latency") isSlow = event.milliseconds > 1;
    if (event.kind === "secret file") secretsGone += event.isThere ? -1 : 1;
    const isCalm = isConnected && !isSlow && secretsGone === 0 && isAskedFor(event.at - began - event.steady);
    since = isCalm ? event.steady : null;
  }
  return times;
}

/** Timers may be due at parts of a millisecond. */
function isRight(skew: number): boolean {
  return Math.abs(skew) <= 1;
}

/** Whether it happens in one of these times. */
export function isIn(times: readonly Time[]): (event: TraceEvent) => boolean {
  return ({ steady }) => times.some(({ from, to }) => steady >= from && steady < to);
}

/** What vigie published on these topics, and what the broker held for at least so long while vigie was calm. */
export function shownFor(trace: Trace, topic: RegExp, least: number, isAskedFor = isRight): Shown[] {
  const calm = calmTimes(trace, isAskedFor);
  const next = new Map<string, number>();
  const shown: Shown[] = [];
  for (const event of trace.events.toReversed()) {
    if (!isKind(event, "published", "message") || !topic.test(event.topic)) continue;
    const replaced = next.get(event.topic) ?? Number.POSITIVE_INFINITY;
    next.set(event.topic, event.steady);
    if (event.kind !== "published") continue;
    const end = Math.min(replaced, event.steady + expiryOf(event));
    for (const { from, to } of calm) {
      const time = { from: Math.max(from, event.steady), to: Math.min(to, end) };
      if (time.to - time.from >= least) shown.push({ event, ...time });
    }
  }
  return shown;
}

/** Publications of another payload than the one before, if vigie was calm for two minutes before them and for at least so long after. */
export function turnsIn(trace: Trace, topic: RegExp, least: number): EventOf<"published">[] {
  const before = new Map<string, string>();
  const turns = new Set<TraceEvent>();
  for (const event of trace.events) {
    if (!isKind(event, "published", "message") || !topic.test(event.topic)) continue;
    const payload = before.get(event.topic);
    if (payload !== undefined && payload !== event.payload) turns.add(event);
    before.set(event.topic, event.payload);
  }
  return shownFor(trace, topic, least)
    .filter(({ event, from }) => turns.has(event) && from === event.steady)
    .map(({ event }) => event);
}

/** Whether it is published at the instant at which a minute begins, and neither an answer nor a message came with it. */
export function isBoundary(trace: Trace): (event: TraceEvent) => boolean {
  return (event) =>
    event.at % MINUTE < 100 &&
    !trace.events.some((one) => isKind(one, ...NEWS) && Math.abs(one.steady - event.steady) < SECOND);
}

/** Calm times of at least so long in which nothing is heard. */
export function silentTimes(trace: Trace, least: number): Time[] {
  const news = trace.events.filter((event) => isKind(event, ...NEWS)).map(({ steady }) => steady);
  return calmTimes(trace).flatMap(({ from, to }) => {
    const edges = [from, ...news.filter((steady) => steady > from && steady < to), to];
    return edges
      .map((edge, index) => ({ from: edge, to: edges[index + 1] ?? edge }))
      .filter((time) => time.to - time.from >= least);
  });
}

function expiryOf({ expiry }: EventOf<"published">): number {
  return expiry === undefined ? Number.POSITIVE_INFINITY : expiry * SECOND;
}

/** The configuration in force, as its owner wrote it. */
export function configAt({ events }: Trace, steady: number): HouseConfig {
  const read = events.findLast((event) => isKind(event, "start", "reload") && event.steady <= steady);
  if (!read || !isKind(read, "start", "reload")) throw new Error(`No configuration at ${steady}`);
  return configOf(read);
}

const configOf = onceForEach(({ yaml }: EventOf<"start" | "reload">): HouseConfig => parse(yaml));

/** The rules that neither a hold nor a value of the house moves, nor one of those to which they refer. */
export function plainRules(trace: Trace, steady: number): string[] {
  const { rules } = configAt(trace, steady);
  const isPlain = ({ hold, when }: RuleText): boolean => {
    const text = JSON.stringify(when);
    const referred = [...text.matchAll(/"rule":"(\w+)"/g)].map(([, id]) =>
      rules.find((one) => one.id === id),
    );
    return hold === undefined && !text.includes('"mqtt":') && referred.every((one) => one && isPlain(one));
  };
  return rules.filter(isPlain).map(({ id }) => id);
}

/** From the last that vigie published before it went, to when it is connected again, on MQTT 5 and at a broker that was up all the time. */
export function absences({ events }: Trace): Time[] {
  const found: Time[] = [];
  let left: number | null = null;
  let isBrokerUp = true;
  for (const event of events) {
    if (isKind(event, "broker down", "broker up")) isBrokerUp = event.kind === "broker up";
    if (isKind(event, "kill", "stopped", "crash") && isBrokerUp) left = event.steady;
    if (isKind(event, "broker down", "jump", "suspend")) left = null;
    if (event.kind !== "connected") continue;
    if (left !== null && event.version === 5) found.push({ from: left, to: event.steady });
    left = null;
  }
  return found;
}

const ENDS = [
  "disconnected",
  "start",
  "reload",
  "stop",
  "kill",
  "crash",
  "broker down",
] as const satisfies readonly Kind[];
const DISTURBING = [
  ...ENDS,
  "connected",
  "broker up",
  "latency",
  "refused",
  "suspend",
  "resume",
  "jump",
  "secret file",
  "state file",
] as const;
const NEWS = ["answer", "no answer", "heard", "message", ...DISTURBING] as const;
const SETTLES = 2 * MINUTE;
