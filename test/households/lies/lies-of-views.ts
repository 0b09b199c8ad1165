import { MINUTE } from "../calendar.ts";
import { type EventOf, isKind, type Trace, type TraceEvent, type Views } from "../trace.ts";
import { withOther } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";

type Quiet = EventOf<"quiet"> & TraceEvent;

const METRICS = "docs/calendar-and-metrics.md";
const STATE_OF_OUTPUT = "1 for the [state](outputs.md#what-vigie-publishes) of that output";

/** What vigie answers over HTTP to programs. */
export const LIES_OF_VIEWS: readonly Lie[] = [
  metricsLie("/metrics has another price", "the price in force", (text) =>
    text.replace(/^(vigie_price_euros_per_kwh) (?!NaN).*$/m, "$1 3"),
  ),
  metricsLie("/metrics says of no period that it is in force", "1 for the period in force", (text) =>
    text.replace(/^(vigie_period\{.*\}) 1$/m, "$1 0"),
  ),
  metricsLie(
    "/metrics has a rule of a former configuration",
    "1 for ON, 0 for OFF, `NaN` for unknown",
    (text) => text.replace(/^vigie_rule_on\{.*$/m, '$&\nvigie_rule_on{rule="former",name="Former"} 1'),
  ),
  metricsLie("/metrics leaves an output out", STATE_OF_OUTPUT, (text) => {
    const [, id] = /^vigie_output_state\{output="(\w+)"/m.exec(text) ?? [];
    return text
      .split("\n")
      .filter((line) => !line.startsWith(`vigie_output_state{output="${id}"`))
      .join("\n");
  }),
  metricsLie("/metrics has one line twice", "is text for Prometheus", (text) =>
    text.replace(/^vigie_info\{.*$/m, "$&\n$&"),
  ),
  calendarLie("/calendar.ics has one day twice", "has one event a tariff day", (text) =>
    text.replace(EVENT, "$&$&"),
  ),
  calendarLie("/calendar.ics leaves the last official day out", "and those that are announced", (text) =>
    text.replace(LAST_EVENT, "END:VCALENDAR"),
  ),
  calendarLie("/calendar.ics has another colour of the last official day", "every official day", (text) =>
    text.replace(LAST_EVENT, (event) =>
      event.replace(/CATEGORIES:(\w+)/, (_, color) => `CATEGORIES:${color === "rouge" ? "bleu" : "rouge"}`),
    ),
  ),
  viewsLie("/health is 503 although nothing is wrong", "with 503 where something is wrong", (views) => ({
    ...views,
    isHealthy: false,
  })),
  viewsLie(
    "/health says that the broker is away although it is there",
    "what `vigie health` says",
    (views) => ({
      ...views,
      health: views.health.replace("broker reached", "broker not reached"),
    }),
  ),
  viewsLie(
    "/health says that the clock is wrong although it is right",
    "what `vigie health` says",
    (views) => ({
      ...views,
      health: `${views.health}; clock wrong: this machine shows 2020-01-01 00:00 UTC`,
    }),
  ),
];

function metricsLie(name: string, sentence: string, change: (text: string) => string): Lie {
  const tell = tellWith((views) => ({ ...views, metrics: change(views.metrics) }));
  return { name, breaks: { document: METRICS, sentence }, judge: "metrics", tell };
}

function calendarLie(name: string, sentence: string, change: (text: string) => string): Lie {
  const tell = tellWith((views) => ({ ...views, calendar: change(views.calendar) }));
  return { name, breaks: { document: METRICS, sentence }, judge: "calendar", tell };
}

const EVENT = /BEGIN:VEVENT\r\n.*?END:VEVENT\r\n/s;
const LAST_EVENT = /BEGIN:VEVENT\r\n(?:(?!BEGIN:VEVENT).)*END:VCALENDAR/s;

function viewsLie(name: string, sentence: string, change: (views: Views) => Views): Lie {
  return { name, breaks: { document: "docs/page.md", sentence }, judge: "health", tell: tellWith(change) };
}

/** At a quiet point at which nothing is wrong, and that this changes. */
function tellWith(change: (views: Views) => Views): Lie["tell"] {
  return tellAtOne(
    (trace: Trace) =>
      trace.events.flatMap((event) => {
        if (!isKind(event, "quiet") || !event.views || !isWell(event)) return [];
        const views = change(event.views);
        const isChanged = JSON.stringify(views) !== JSON.stringify(event.views);
        return isChanged && isStill(trace, event) ? [{ event, views }] : [];
      }),
    (trace, { event, views }) => withOther(trace, event, { ...event, views }),
  );
}

function isWell({ steady, since, retained }: Quiet): boolean {
  const isLong = steady - since > 25 * MINUTE;
  const isReal = retained.get("vigie/simulation/color") === "auto";
  return isLong && isReal && retained.get("vigie/service/problem_code") === "none";
}

/** vigie said nothing new just then, and it was connected all the time. */
function isStill({ events }: Trace, { steady, since }: Quiet): boolean {
  return !events.some(
    (event) =>
      (isKind(event, "published") && Math.abs(event.steady - steady) <= MINUTE) ||
      (isKind(event, "disconnected", "start", "connected", "suspend") &&
        event.steady >= Math.min(since, steady - 26 * MINUTE) &&
        event.steady <= steady),
  );
}
