import { MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Kind, type Trace, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/**
 * "After status 429 vigie sends nothing to that source for as long as it asks for, or for a minute and then longer each time"
 * (docs/sources.md), "at most an hour" (docs/service.md).
 */
export const sourcePausesJudge: Judge = {
  name: "pauses of a source",
  find: (trace) =>
    trace.events.flatMap((event, index) =>
      isKind(event, "answer") && event.status === 429 ? [judgePause(event, index, trace)] : [],
    ),
};

function judgePause(answer: EventOf<"answer"> & TraceEvent, index: number, { events }: Trace): Finding {
  const asked = answer.headers["retry-after"];
  const pause = asked === undefined ? MINUTE : Math.min(Number(asked) * SECOND, LONGEST);
  const end = answer.steady + pause - SECOND;
  for (const event of events.slice(index + 1)) {
    if (event.steady >= end) return "right";
    // By which clock a pause ends if the clock is set or stands still, nobody says.
    if (ANEW.has(event.kind)) return "skipped";
    if (!isKind(event, "request") || event.source !== answer.source) continue;
    const after = (event.steady - answer.steady) / SECOND;
    return {
      at: event.steady,
      sentence: `${event.source} is asked ${after} s after it asked for a pause of ${pause / SECOND} s`,
    };
  }
  return "skipped";
}

const ANEW: ReadonlySet<Kind> = new Set(["start", "jump", "suspend", "state file"]);
const LONGEST = 60 * MINUTE;
