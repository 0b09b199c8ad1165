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
    judge: "refused start",
    tell: tellAtOne(
      ({ events }) => events.filter((event) => isKind(event, "no start")),
      (trace, { steady }) =>
        withMore(trace, [eventAt(trace, steady + 1, { kind: "write", outcome: "begun" })]),
    ),
  },
  {
    name: "a wrong configuration is put in force",
    breaks: { document: WHAT_IF, sentence: "The previous configuration stays in force." },
    judge: "refused edit",
    tell: tellAtOne(wrongEdits, (trace, event) => {
      const yaml = trace.events.findLast((one) => isKind(one, "start") && one.steady < event.steady);
      if (!yaml || !isKind(yaml, "start")) return trace;
      const rest = without(trace, (one) => isKind(one, "log") && one.steady === event.steady);
      return withMore(rest, [eventAt(trace, event.steady, { kind: "reload", yaml: yaml.yaml })]);
    }),
  },
  {
    name: "the log does not say what is wrong with a configuration",
    breaks: { document: WHAT_IF, sentence: "The log names the place of each mistake" },
    judge: "refused edit",
    tell: tellAtOne(wrongEdits, (trace, event) =>
      without(
        trace,
        (one) =>
          isKind(one, "log") && one.steady === event.steady && one.sentence.startsWith("Configuration: "),
      ),
    ),
  },
  {
    name: "a vigie that refuses its configuration asks a source",
    breaks: {
      document: WHAT_IF,
      sentence: "At its start, vigie refuses a wrong configuration and ends with exit code 2.",
    },
    judge: "refused start",
    tell: tellAtOne(
      ({ events }) => events.filter((event) => isKind(event, "no start") && /configuration/.test(event.why)),
      (trace, { steady }) =>
        withMore(trace, [eventAt(trace, steady + 1, { kind: "request", source: "rte", path: "/tempo" })]),
    ),
  },
];

function wrongEdits({ events }: Trace) {
  return events.filter((event) => isKind(event, "wrong edit") && event.isRefused);
}

function linesAboutFiles({ events }: Trace): EventOf<"log">[] {
  return events.filter((event, index): event is EventOf<"log"> & (typeof events)[number] => {
    if (!isKind(event, "log") || !/^The state file .*; vigie starts with/.test(event.sentence)) return false;
    // Each of two damaged files has a line: without one of them the other still says it.
    const next = events.slice(index + 1).find(({ kind }) => kind === "log" || kind === "started");
    return next?.kind === "started" && !isLineBefore(events, index);
  });
}

function isLineBefore(events: Trace["events"], index: number): boolean {
  const before = events.slice(0, index).findLast(({ kind }) => kind === "log" || kind === "start");
  return before?.kind === "log";
}
