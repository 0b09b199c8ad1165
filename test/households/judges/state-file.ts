import { isKind, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/** What docs/what-if.md promises of a state file that is damaged or lost, or that a newer vigie wrote. */
export const stateFileJudges: readonly Judge[] = [
  {
    name: "damaged state file",
    find: ({ events }) => [...events.flatMap(isKept), ...startsAfterDamage(events)],
  },
  { name: "state of a newer vigie", find: ({ events }) => noStarts(events) },
];

/** "vigie renames it": all of it is still there. */
function isKept(event: TraceEvent): Finding[] {
  if (!isKind(event, "damaged file")) return [];
  return [event.isKept ? "right" : { at: event.steady, sentence: "a damaged state file is gone" }];
}

/** The start after it says with which state it starts. */
function startsAfterDamage(events: readonly TraceEvent[]): Finding[] {
  let wanted: string | null = null;
  let words: string[] = [];
  return events.flatMap((event): Finding[] => {
    // "If both are gone, … without a log line."
    if (isKind(event, "state file"))
      wanted = event.damaged === undefined ? null : wordsAbout(event.from, event.damaged);
    if (isKind(event, "start")) words = [];
    if (isKind(event, "log")) words.push(event.sentence);
    if (!isKind(event, "started") || wanted === null) return [];
    const isSaid = words.some((sentence) => sentence.includes(wanted!));
    const finding: Finding = isSaid
      ? "right"
      : { at: event.steady, sentence: `vigie does not say of the state file: ${wanted}` };
    wanted = null;
    return [finding];
  });
}

function wordsAbout(from: "earlier" | "previous" | "none", damaged: number): string | null {
  if (from === "previous") return "vigie starts with the state saved before it";
  return damaged > 0 ? "vigie starts with an empty state" : null;
}

/** "vigie does not change the file, and ends": nothing is seen of it. */
function noStarts(events: readonly TraceEvent[]): Finding[] {
  return events.flatMap((event, index): Finding[] => {
    if (!isKind(event, "no start")) return [];
    const rest = events.slice(index + 1);
    const next = rest.findIndex((later) => isKind(later, "start"));
    const busy = rest.slice(0, next < 0 ? undefined : next).find((later) => isKind(later, ...DONE));
    if (busy) return [{ at: busy.steady, sentence: `${busy.kind} of a vigie that did not start` }];
    return ["right"];
  });
}

/** What only a vigie that runs does. The broker may still take what an earlier one has sent. */
const DONE = ["started", "write", "request", "web request", "connected", "reload"] as const;
