import { MINUTE, SECOND } from "../calendar.ts";
import { isKind, type Kind, type Trace, type TraceEvent, within } from "../trace.ts";
import { readCalm } from "./calm.ts";
import type { Finding, Judge } from "./judge.ts";
import { onceForEach } from "./once-for-each.ts";
import { BASE, houseAt } from "./topics.ts";

/** docs/what-if.md, "Two vigies run". */
export const judgesOfTwoVigies: readonly Judge[] = [
  { name: "no other owner", find: yields },
  { name: "leaves the base topic", find: leaves },
  { name: "answers a second vigie", find: answers },
  { name: "takes the base topic", find: takes },
];

/** A time in which another vigie owns the base topic, and answers. */
interface Time {
  from: number;
  to: number;
}

const timesOfOther = onceForEach(({ events }: Trace): Time[] => {
  const times: Time[] = [];
  for (const event of events) {
    if (!isKind(event, "other vigie")) continue;
    if (event.is === "there") times.push({ from: event.steady, to: Number.POSITIVE_INFINITY });
    else times.at(-1)!.to = event.steady;
  }
  return times;
});

/** vigie yields only to a vigie that is there, or was when it answered. */
function yields(trace: Trace): Finding[] {
  return trace.events.flatMap((event): Finding[] => {
    const { steady } = event;
    if (isKind(event, "start")) return ["right"];
    if (!isKind(event, "yield")) return [];
    const isThere = timesOfOther(trace).some(({ from, to }) => from <= steady && steady < to + LATE);
    return [isThere ? "right" : { at: steady, sentence: "vigie yields to nobody" }];
  });
}

/** "While the other one answers, it ends again", and "it sends nothing to a source or a device". */
function leaves(trace: Trace): Finding[] {
  const found: Finding[] = [];
  /** Since when vigie can have heard of the other one; null: it cannot. */
  let since: number | null = null;
  const not = { there: true, up: false, awake: false, quick: false };
  const end = (finding: Finding) => {
    if (since !== null) found.push(finding);
    since = null;
  };
  for (const event of trace.events) {
    const { steady } = event;
    if (isKind(event, "other vigie")) not.there = event.is === "gone";
    if (isKind(event, "broker down", "broker up")) not.up = event.kind === "broker down";
    if (isKind(event, "suspend", "resume")) not.awake = event.kind === "suspend";
    if (isKind(event, "login refused") && since !== null) since = steady;
    if (isKind(event, "latency")) not.quick = event.milliseconds > 100;
    const isReachable = !(not.there || not.up || not.awake || not.quick);
    if (!isReachable) end(since !== null && steady - since > LATE ? "right" : "skipped");
    else if (isKind(event, ...REACHABLE)) since = steady;
    if (since === null || steady - since < LATE || !isOwners(event)) continue;
    const what = isKind(event, "published") ? `publishes ${event.topic}` : `sends a ${event.kind}`;
    end({ at: steady, sentence: `vigie ${what}, though another vigie owns the base topic` });
  }
  end("skipped");
  return found;
}

/** What only the owner of a base topic does. Whoever asks pings. */
function isOwners(event: TraceEvent): boolean {
  if (isKind(event, "published")) return !event.topic.startsWith(`${BASE}/owner/p`);
  return isKind(event, "request", "web request");
}

/** "the second vigie finds that the first one runs, says so and ends. The first one is not disturbed." */
function answers(trace: Trace): Finding[] {
  const calm = readCalm(trace);
  const pongs = trace.events.filter(
    (event) => isKind(event, "published") && event.topic === `${BASE}/owner/pong`,
  );
  return trace.events.flatMap((event): Finding[] => {
    if (!isKind(event, "message") || event.by !== "house" || event.topic !== `${BASE}/owner/ping`) return [];
    const { steady } = event;
    const end = steady + ANSWERED;
    if (!calm.isThrough(steady - 1, end) || !calm.isBrokerQuick(steady, end)) return ["skipped"];
    if (within(pongs, steady - 1, end).length > 0) return ["right"];
    return [{ at: end, sentence: "somebody asks who owns the base topic, and vigie does not answer" }];
  });
}

/** "vigie waits for `mqtt.grace` (10 minutes) of silence, says so, and takes over then". */
function takes(trace: Trace): Finding[] {
  const disturbing = trace.events.filter(
    (event) => isKind(event, ...DISTURBING) || (isKind(event, "latency") && event.milliseconds > 1),
  );
  return timesOfOther(trace).flatMap(({ to }): Finding[] => {
    const start = within(trace.events, to - 1, to + NEXT_START).find(({ kind }) => kind === "start");
    if (!start) return ["skipped"];
    const from = start.steady;
    const end = from + (houseAt(trace, from)?.grace ?? 0) + 2 * MINUTE;
    const isOver = end > (trace.events.at(-1)?.steady ?? 0);
    const before = trace.events.findLast(
      (event) => event.steady <= from && isKind(event, "broker down", "broker up"),
    );
    const isDisturbed = before?.kind === "broker down" || within(disturbing, from, end).length > 0;
    if (isOver || isDisturbed) return ["skipped"];
    const isConnected = within(trace.events, from, end).some(({ kind }) => kind === "connected");
    const sentence = `vigie has not taken the base topic ${(end - to) / MINUTE} min after the other vigie has gone`;
    return [isConnected ? "right" : { at: end, sentence }];
  });
}

const REACHABLE = ["other vigie", "broker up", "resume", "latency"] as const satisfies readonly Kind[];
/** At a broken connection the silence since the last question does not count: it was not heard. */
const DISTURBING = [
  "connections broken",
  "broker down",
  "broker up",
  "suspend",
  "resume",
  "start",
  "stop",
  "kill",
  "crash",
  "yield",
  "login refused",
  "other vigie",
] as const satisfies readonly Kind[];
/** Milliseconds: it asks for two seconds or more, up to three times, and has five to end. */
const LATE = 45 * SECOND;
const ANSWERED = 3 * SECOND;
/** Milliseconds after which a vigie that has ended with code 3 is started again. */
const NEXT_START = 100 * SECOND;
