import { DAY } from "../calendar.ts";
import { isKind, type Trace, type TraceEvent } from "../trace.ts";
import { readCalm } from "./calm.ts";
import { type Finding, type Judge, untilWrong } from "./judge.ts";
import { readSendings } from "./sendings.ts";
import { BASE } from "./topics.ts";

/**
 * A device or a service that is down for long is tried again and again, and must not wear out the disk. A day on which nothing else happens
 * is a quiet one: "disk writes of a quiet day: at most 50" (docs/figures.md).
 */
export const writesOfTriesJudge: Judge = {
  name: "writes of tries",
  find: (trace) => {
    const reasons = readReasons(trace);
    const calm = readCalm(trace);
    // What follows from it reaches a slow broker late.
    const isExplained = (steady: number) => isNear(reasons, steady, AFTER + calm.latency(steady));
    const unexplained = trace.events.flatMap((event) =>
      isKind(event, "write") && event.outcome === "begun" && !isExplained(event.steady) ? [event.steady] : [],
    );
    return untilWrong(unexplained, (steady, index): Finding => {
      const first = unexplained[index - MOST];
      if (first === undefined || steady - first >= DAY) return "right";
      const minutes = ((steady - first) / 60_000).toFixed(0);
      return {
        at: steady,
        sentence: `${MOST + 1} writes that nothing but tries explains within ${minutes} min`,
      };
    });
  },
};

/** When something happened that is worth a write. */
function readReasons(trace: Trace): number[] {
  const found: number[] = [];
  const before = new Map<string, string>();
  for (const event of trace.events) {
    const isNew = isKind(event, "published") && before.get(event.topic) !== event.payload;
    if (isKind(event, "published")) before.set(event.topic, event.payload);
    if (isKind(event, "published") ? isNew && TOPICS.test(event.topic) : isReason(event)) {
      found.push(event.steady);
      // What only values have turned is saved within five minutes.
      if (isKind(event, "published", "heard")) found.push(event.steady + FIVE_MINUTES);
    }
  }
  // Another payload than before, or the same that was taken once more.
  for (const sendings of readSendings(trace).values())
    for (const [index, { steady, payload, takenAt, how, failure }] of sendings.entries()) {
      // One of QoS 0 is never acknowledged.
      const isTaken = takenAt !== null || (how === "mqtt" && failure === null);
      if (sendings[index - 1]?.payload !== payload || isTaken) found.push(steady);
      if (takenAt !== null) found.push(takenAt);
    }
  return found.sort((one, other) => one - other);
}

/** What vigie publishes of itself, which follows from what it saves. */
const TOPICS = new RegExp(
  `^${BASE}/(rules/.*|simulation/.*|outputs/[^/]+/(state|payload|since)|service/.*|owner.*)$`,
);

function isReason(event: TraceEvent): boolean {
  return !isKind(
    event,
    "published",
    "acknowledged",
    "write",
    "web request",
    "web arrival",
    "web answer",
    "web failure",
    "quiet",
    "latency",
    "note",
  );
}

function isNear(reasons: readonly number[], steady: number, after: number): boolean {
  let [low, high] = [0, reasons.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reasons[middle]! < steady - BEFORE) low = middle + 1;
    else high = middle;
  }
  return (reasons[low] ?? Number.POSITIVE_INFINITY) <= steady + after;
}

const MOST = 50;
const FIVE_MINUTES = 300_000;
/** Milliseconds: a write may wait for the one before. What is published comes after it. */
const BEFORE = 1_000;
const AFTER = 200;
