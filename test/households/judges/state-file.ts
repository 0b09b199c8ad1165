import { isKind, type TraceEvent } from "../trace.ts";
import type { Finding, Judge } from "./judge.ts";

/** What docs/what-if.md promises of a state file that is damaged or lost. */
export const stateFileJudge: Judge = {
  name: "damaged state file",
  find: ({ events }) => [...events.flatMap(isKept), ...startsAfterDamage(events)],
};

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
