import { type EventOf, isKind, type Trace } from "../trace.ts";
import { eventAt, withMore, withOther, without } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";

const WHAT_IF = "docs/what-if.md";

/** vigie loses a state file that it cannot read, or says nothing of it. */
export const LIES_OF_STATE_FILES: readonly Lie[] = [
  {
    name: "a damaged state file is written over",
    breaks: {
      document: WHAT_IF,
      sentence: "vigie renames it and starts with the state that it saved before that one",
    },
    judge: "damaged state file",
    tell: tellAtOne(
      ({ events }) => events.filter((event) => isKind(event, "damaged file")),
      (trace, event) => withOther(trace, event, { ...event, isKept: false } as typeof event),
    ),
  },
  {
    name: "nothing is said of a damaged state file",
    breaks: {
      document: WHAT_IF,
      sentence: "If both files are damaged, vigie says so and starts with an empty state",
    },
    judge: "damaged state file",
    tell: tellAtOne(linesAboutFiles, (trace, line) => without(trace, (event) => event === line)),
  },
  {
    name: "a vigie that finds the state file of a newer one writes it anew",
    breaks: { document: WHAT_IF, sentence: "vigie does not change the file, and ends." },
    judge: "state of a newer vigie",
    tell: tellAtOne(
      ({ events }) => events.filter((event) => isKind(event, "no start")),
      (trace, { steady }) =>
        withMore(trace, [eventAt(trace, steady + 1, { kind: "write", outcome: "begun" })]),
    ),
  },
];

function linesAboutFiles({ events }: Trace): EventOf<"log">[] {
  return events.filter(
    (event): event is EventOf<"log"> & (typeof events)[number] =>
      isKind(event, "log") && /^The state file .*; vigie starts with/.test(event.sentence),
  );
}
