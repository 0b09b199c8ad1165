import { SECOND } from "../calendar.ts";
import { countUntil, type EventOf, isKind, type Kind, type Trace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";
import { BASE } from "./topics.ts";

/**
 * While vigie runs and is connected, each topic that expires is sent again, or cleared, before the broker drops it: a value of the
 * moment is true until its next boundary, and the next value is sent at that boundary.
 */
export const expiryJudge: Judge = { name: "no topic expires while vigie runs", find };

function find({ events }: Trace): Finding[] {
  const last = events.at(-1)?.steady ?? 0;
  const disturbing = events.filter((event) => isKind(event, ...DISTURBING));
  const next = new Map<string, number>();
  const found: Finding[] = [];
  for (const event of events.toReversed()) {
    // What prepares Home Assistant for other discovery messages is gone after a while, as it has to be.
    if (!isKind(event, "published", "message") || !event.retain || !event.topic.startsWith(`${BASE}/`))
      continue;
    const replaced = next.get(event.topic);
    next.set(event.topic, event.steady);
    if (expires(event)) found.push(judgeOne(event, replaced ?? Number.POSITIVE_INFINITY));
  }
  return found;

  function judgeOne({ topic, payload, steady, expiry }: Expiring, replaced: number): Finding {
    const end = steady + expiry * SECOND + LATE;
    if (replaced <= end) return "right";
    const isDisturbed = countUntil(disturbing, end) > countUntil(disturbing, steady);
    if (isDisturbed || end > last) return "skipped";
    return { at: end, sentence: `${topic} was ${payload}, has expired, and is not sent again` };
  }
}

type Expiring = EventOf<"published"> & TraceEvent & { expiry: number };

function expires(event: TraceEvent): event is Expiring {
  return event.kind === "published" && event.expiry !== undefined;
}

/** A value that is too old, and the end of a rule that is disabled for a time, are the end of the topic, too: the next value follows. */
const LATE = 12 * SECOND;

/** vigie is not there, cannot send, or its clock does not go on evenly. */
const DISTURBING = [
  "start",
  "reload",
  "stop",
  "kill",
  "crash",
  "yield",
  "disconnected",
  "broker down",
  "suspend",
  "resume",
  "jump",
  "latency",
  "refused",
] as const satisfies readonly Kind[];
