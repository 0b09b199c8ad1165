import { HOUR, MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type SourceName, type Trace, type TraceEvent } from "../trace.ts";
import { eventAt, later, withMore } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, isIn, shownFor, type Time } from "./read-trace.ts";

/** What vigie asks, publishes and writes too often. */
export const LIES_OF_LIMITS: readonly Lie[] = [
  {
    name: "a source is asked eleven times in a minute",
    breaks: {
      document: "docs/sources.md",
      sentence: "10 requests a minute, 150 a day; the hourly ones go on",
    },
    judge: "requests a minute",
    tell: tellAtOne(requestsIn, (trace, request) =>
      withMore(
        trace,
        times(10).map((index) => later(request, (index + 1) * 4 * SECOND)),
      ),
    ),
  },
  {
    name: "a source is asked every two minutes for six hours",
    breaks: {
      document: "docs/what-if.md",
      sentence: "These counts are kept when vigie is killed and started again all the time.",
    },
    judge: "requests a day",
    tell: tellAtOne(
      (trace) => daysIn(trace).flatMap((from) => POLLS.map((poll) => ({ from, ...poll }))),
      (trace, { from, source, path }) =>
        withMore(
          trace,
          times(180).map((index) =>
            eventAt(trace, from + index * 2 * MINUTE, { kind: "request", source, path }),
          ),
        ),
    ),
  },
  {
    name: "what failed once a day is asked again after ten minutes",
    breaks: {
      document: "docs/sources.md",
      sentence: "It is asked for again after an hour, and no more after ten failures on one day.",
    },
    judge: "season and history that fail",
    tell: tellAtOne(
      (trace) =>
        answersIn(trace).filter(
          ({ path, status }) => /season|history/.test(path) && [404, 503].includes(status),
        ),
      (trace, answer) => withMore(trace, [later(requestOf(answer), 10 * MINUTE), later(answer, 10 * MINUTE)]),
    ),
  },
  {
    name: "a source that has asked for a pause is asked again a second later",
    breaks: {
      document: "docs/sources.md",
      sentence:
        "After status 429 vigie sends nothing to that source for as long as it asks for, or for a minute",
    },
    judge: "pauses of a source",
    tell: tellAtOne(
      (trace) => answersIn(trace).filter(({ status }) => status === 429),
      (trace, answer) => withMore(trace, [later(requestOf(answer), SECOND)]),
    ),
  },
  {
    name: "a rule turns twice a second",
    breaks: {
      document: "docs/rules.md",
      sentence: "Rules are evaluated at most once a second, however often values arrive.",
    },
    judge: "messages on a topic",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/rules\/\w+\/state$/, 10 * MINUTE),
      (trace, { event, from }) =>
        withMore(
          trace,
          times(20).map((index) =>
            eventAt(trace, from + MINUTE + (index * SECOND) / 2, {
              ...event,
              payload: index % 2 === 0 ? "ON" : "OFF",
            }),
          ),
        ),
    ),
  },
  {
    name: "the state is saved each minute for three hours",
    breaks: { document: "docs/figures.md", sentence: "disk writes of a quiet day" },
    judge: "writes a day",
    tell: tellAtOne(calmHours, (trace, from) => withMore(trace, writesFrom(trace, from))),
  },
  {
    name: "the state is saved each minute for three hours, though nothing is new",
    breaks: { document: "docs/rules.md", sentence: "ages are saved no more often, to spare the disk" },
    judge: "writes of tries",
    tell: tellAtOne(calmHours, (trace, from) => withMore(trace, writesFrom(trace, from))),
  },
  {
    name: "a payload at which the broker ends the connection is sent each ten seconds",
    breaks: { document: "docs/outputs.md", sentence: "and then after pauses that double, up to ten minutes" },
    judge: "payloads at which the broker ends the connection",
    tell: tellAtOne(endingPayloads, (trace, refused) => withMore(trace, triesOf(refused, 10 * SECOND))),
  },
  {
    name: "a payload at which the broker ends the connection is sent each minute",
    breaks: { document: "docs/outputs.md", sentence: "and then after pauses that double, up to ten minutes" },
    judge: "payloads at which the broker ends the connection",
    tell: tellAtOne(endingPayloads, (trace, refused) => withMore(trace, triesOf(refused, MINUTE))),
  },
];

function requestsIn(trace: Trace): EventOf<"request">[] {
  return trace.events.filter((event) => isKind(event, "request")).filter(isIn(calmTimes(trace)));
}

function answersIn(trace: Trace): EventOf<"answer">[] {
  return trace.events.filter((event) => isKind(event, "answer")).filter(isIn(calmTimes(trace)));
}

function requestOf({ at, steady, source, path }: EventOf<"answer">): TraceEvent {
  return { at, steady, kind: "request", source, path };
}

const POLLS: readonly { source: SourceName; path: string }[] = [
  { source: "service", path: "/v1/public" },
  { source: "rte", path: "/tempoLight" },
];

/** When six hours begin that lie on one day of UTC, and in which the clock goes on as it should. */
function daysIn({ began, events }: Trace): number[] {
  const end = events.at(-1)?.steady ?? 0;
  const stops = events.filter((event) => isKind(event, "jump", "suspend", "resume", "state file"));
  const hours = Array.from({ length: Math.floor(end / HOUR) - 6 }, (_, hour) => hour * HOUR);
  return hours.filter((from) => {
    const to = from + 6 * HOUR;
    const dayOf = (steady: number) => new Date(began + steady).toISOString().slice(0, 10);
    return dayOf(from) === dayOf(to) && !stops.some(({ steady }) => steady >= from && steady <= to);
  });
}

/** When three calm hours begin. */
function calmHours(trace: Trace): number[] {
  return calmTimes(trace).flatMap(({ from, to }: Time) => (to - from > 3 * HOUR + MINUTE ? [from] : []));
}

function writesFrom(trace: Trace, from: number): TraceEvent[] {
  return times(180).flatMap((index) => {
    const steady = from + index * MINUTE + 30 * SECOND;
    return [
      eventAt(trace, steady, { kind: "write", outcome: "begun" }),
      eventAt(trace, steady + 5, { kind: "write", outcome: "done" }),
    ];
  });
}

function endingPayloads({ events }: Trace): EventOf<"refused">[] {
  return events.filter((event, index): event is EventOf<"refused"> => {
    const next = events[index + 1];
    return event.kind === "refused" && !event.topic.startsWith("vigie/") && next?.kind === "disconnected";
  });
}

/** For an hour, each at a new connection. */
function triesOf(refused: EventOf<"refused">, every: number): TraceEvent[] {
  return times(HOUR / every).flatMap((index) => {
    const one = later(refused, (index + 1) * every);
    const { at, steady } = later(one, SECOND);
    return [
      { ...one, id: 1_000_000 + index },
      { at: one.at, steady: one.steady, kind: "disconnected" },
      { at, steady, kind: "connected", version: 5 },
    ];
  });
}

function times(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
