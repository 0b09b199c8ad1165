import { MINUTE, SECOND } from "../calendar.ts";
import { SECRET_FILES } from "../generate-outputs.ts";
import { type EventOf, isKind, type Trace, type TraceEvent } from "../trace.ts";
import { eventAt, later, withMore, withOther, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, configAt, shownFor } from "./read-trace.ts";

const SHOWN =
  "The topics, the log, the page, the state file and every error show the id, scheme, host and port";
const ADDRESS = `http://192.0.2.40/relay/0?token=${SECRET_FILES["plain"]}`;

/** What vigie does as a process, what it tells of itself, and what it must tell nobody. */
export const LIES_OF_THE_PROCESS: readonly Lie[] = [
  {
    name: "an error that nobody catches ends vigie",
    breaks: {
      document: "docs/what-if.md",
      sentence: "A part of vigie may meet something that it was not written for. All else goes on",
    },
    judge: "no crash",
    tell: tellAtOne(middles, ({ began, events }, steady) => {
      const before = { began, events: events.filter((event) => event.steady <= steady) };
      return withMore(before, [
        eventAt(before, steady, { kind: "crash", error: "Error: not written for this" }),
      ]);
    }),
  },
  {
    name: "the log has an error of vigie itself",
    breaks: {
      document: "docs/what-if.md",
      sentence: "The log has the error with its stack: please report both.",
    },
    judge: "no error of vigie",
    tell: tellAtOne(middles, (trace, steady) => {
      const sentence = "An error of vigie itself (the topics): undefined is not a function. All else goes on";
      return withMore(trace, [eventAt(trace, steady, { kind: "log", level: "error", sentence })]);
    }),
  },
  {
    name: "vigie ends for another vigie that is not there",
    breaks: { document: "docs/what-if.md", sentence: "If nobody answers, vigie goes on:" },
    judge: "no other owner",
    tell: tellAtOne(middles, (trace, steady) => withMore(trace, [eventAt(trace, steady, { kind: "yield" })])),
  },
  {
    name: "a stop takes seven seconds",
    breaks: {
      document: "docs/what-if.md",
      sentence: "vigie can be stopped within five seconds in this state, too.",
    },
    judge: "stop",
    tell: tellAtOne(
      ({ events }) =>
        events.filter((event, index): event is EventOf<"stopped"> => {
          const next = events[index + 1];
          // A vigie that leaves its base topic to another one ends by itself.
          const left = events.findLast(({ kind }, at) => at < index && (kind === "stop" || kind === "yield"));
          return (
            event.kind === "stopped" &&
            left?.kind === "stop" &&
            (next?.steady ?? Number.POSITIVE_INFINITY) > event.steady + 8 * SECOND
          );
        }),
      (trace, stopped) => withOther(trace, stopped, later(stopped, 7 * SECOND)),
    ),
  },
  {
    name: "availability stays offline after a start",
    breaks: { document: "docs/what-if.md", sentence: "vigie sends all topics again, `online` last." },
    judge: "online after a start",
    tell: tellAtOne(
      (trace) =>
        calmTimes(trace).filter(({ from, to }) => to - from > 5 * MINUTE && isOfflineBefore(trace, from)),
      (trace, { from, to }) =>
        without(trace, (event) => isOnline(event) && event.steady > from - 5 * MINUTE && event.steady < to),
    ),
  },
  {
    name: "the broker holds offline while vigie runs",
    breaks: {
      document: "docs/what-if.md",
      sentence: "the broker publishes `offline` for it, and vigie answers with `online` at once",
    },
    judge: "online",
    tell: tellAtOne(quietPoints, (trace, quiet) =>
      withRetained(trace, quiet, "vigie/availability", "offline"),
    ),
  },
  ...["rules/gone/state", "outputs/gone/state"].map(
    (topic): Lie => ({
      name: `a topic of what is no longer configured stays: ${topic}`,
      breaks: { document: "docs/what-if.md", sentence: "It clears retained topics that it does not publish" },
      judge: "no orphan",
      tell: tellAtOne(quietPoints, (trace, quiet) => withRetained(trace, quiet, `vigie/${topic}`, "ON")),
    }),
  ),
  {
    name: "a part of an address stands in the state file",
    breaks: { document: "docs/outputs.md", sentence: SHOWN },
    judge: "no secret in the state file",
    tell: tellAtOne(middles, (trace, steady) =>
      withMore(trace, [eventAt(trace, steady, { kind: "leak", where: "the state file", text: ADDRESS })]),
    ),
  },
  {
    name: "a part of an address stands in a topic",
    breaks: { document: "docs/outputs.md", sentence: SHOWN },
    judge: "no secret on a topic",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/outputs\/\w+$/, MINUTE).filter(({ from }) => hasSecret(trace, from)),
      (trace, { event }) =>
        withPayload(trace, event, JSON.stringify({ ...JSON.parse(event.payload), address: ADDRESS })),
    ),
  },
  {
    name: "a part of an address stands in the log",
    breaks: { document: "docs/outputs.md", sentence: SHOWN },
    judge: "no secret in the log",
    tell: tellAtOne(
      (trace) => middles(trace).filter((steady) => hasSecret(trace, steady)),
      (trace, steady) => {
        const sentence = `${ADDRESS} cannot be reached (connection refused)`;
        return withMore(trace, [eventAt(trace, steady, { kind: "log", level: "warn", sentence })]);
      },
    ),
  },
  {
    name: "a part of an address stands on the page",
    breaks: { document: "docs/outputs.md", sentence: SHOWN },
    judge: "no secret on the page",
    tell: tellAtOne(
      (trace) => quietPoints(trace).filter(({ steady }) => hasSecret(trace, steady)),
      (trace, quiet) => withOther(trace, quiet, { ...quiet, page: `${quiet.page} ${ADDRESS}` }),
    ),
  },
];

/** In the middle of calm times. */
function middles(trace: Trace): number[] {
  return calmTimes(trace).map(({ from, to }) => (from + to) / 2);
}

/** vigie has started in the last minutes, and the broker did not hold `online` then. */
function isOfflineBefore({ events }: Trace, steady: number): boolean {
  const started = events.findLast((event) => event.kind === "started" && event.steady < steady);
  if (!started || steady - started.steady > 5 * MINUTE) return false;
  const before = events.findLast((event) => isAvailability(event) && event.steady < started.steady);
  return before === undefined || !isOnline(before);
}

function isAvailability(event: TraceEvent): boolean {
  return isKind(event, "published", "message") && event.topic === "vigie/availability";
}

function isOnline(event: TraceEvent): boolean {
  return event.kind === "published" && isAvailability(event) && event.payload === "online";
}

function quietPoints({ events }: Trace): EventOf<"quiet">[] {
  return events.filter((event) => event.kind === "quiet");
}

function withRetained(trace: Trace, quiet: EventOf<"quiet">, topic: string, payload: string): Trace {
  return withOther(trace, quiet, { ...quiet, retained: new Map(quiet.retained).set(topic, payload) });
}

/** An output has an address with a secret. */
function hasSecret(trace: Trace, steady: number): boolean {
  return configAt(trace, steady).outputs.list.some(({ secret_file }) => secret_file !== undefined);
}
