import { HOUR, MINUTE, SECOND } from "../calendar.ts";
import { type EventOf, isKind, type Kind, type Trace, type TraceEvent, within } from "../trace.ts";
import { later, withMore, withOther, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, isIn, plainRules, type Shown, shownFor } from "./read-trace.ts";

/** What follows from the days, the period and the verdicts. */
export const LIES_OF_DERIVED_TOPICS: readonly Lie[] = [
  {
    name: "the price in force is ten cents higher",
    breaks: {
      document: "docs/topics.md",
      sentence: "what is in force; period `hp`/`hc`, slot `rouge_hp` …, rate EUR/kWh",
    },
    judge: "prices",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/now\/rate$/),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) + 0.1)),
    ),
  },
  {
    name: "the price of a day is in cents",
    breaks: { document: "docs/topics.md", sentence: "prices are EUR/kWh" },
    judge: "prices",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/(today|tomorrow|d[2-7])\/rate_(hp|hc)$/),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) * 100)),
    ),
  },
  {
    name: "the price of a colour is that of another one",
    breaks: { document: "docs/topics.md", sentence: "in force now; source `service` or `owner`" },
    judge: "prices",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/prices\/(blanc|rouge)_(hp|hc)$/),
      (trace, { event }) => withPayload(trace, event, "0.1612"),
    ),
  },
  {
    name: "a span of the prices ahead has another price than its day",
    breaks: {
      document: "docs/topics.md",
      sentence: "JSON array `[{start,end,value}]`: announced days only; with forecasts",
    },
    judge: "prices",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/rates_forecast$/, HOUR).filter(hasSpans),
      (trace, { event }) => {
        const spans = JSON.parse(event.payload);
        const changed = spans.map((span: { value: number }, index: number) =>
          index === 1 ? { ...span, value: span.value + 0.1 } : span,
        );
        return withPayload(trace, event, JSON.stringify(changed));
      },
    ),
  },
  {
    name: "a day that is not announced has announced prices",
    breaks: { document: "docs/topics.md", sentence: "announced days only" },
    judge: "prices",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/rates$/, HOUR).flatMap((shown) => {
          const all = shownFor(trace, /^vigie\/rates_forecast$/, HOUR).find(
            ({ from, to, event }) =>
              from <= shown.from && to > shown.from && event.payload !== shown.event.payload,
          );
          return all ? [{ event: shown.event, all: all.event.payload }] : [];
        }),
      (trace, { event, all }) => withPayload(trace, event, all),
    ),
  },
  {
    name: "the JSON of a day has no price",
    breaks: {
      document: "docs/topics.md",
      sentence: "A topic with ◆ is also published as a whole, as one JSON object on the parent topic",
    },
    judge: "JSON of the parts",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/(today|tomorrow|d[2-7])$/, HOUR),
      (trace, { event }) => {
        const { rate_hp: _left_out, ...day } = JSON.parse(event.payload);
        return withPayload(trace, event, JSON.stringify(day));
      },
    ),
  },
  {
    name: "the JSON of a day has another colour than its topic",
    breaks: {
      document: "docs/topics.md",
      sentence: "A topic with ◆ is also published as a whole, as one JSON object on the parent topic",
    },
    judge: "JSON of the parts",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/(now|next|today|tomorrow|d[2-7])$/, HOUR).filter(hasColor),
      (trace, { event }) => {
        const day = JSON.parse(event.payload);
        return withPayload(
          trace,
          event,
          JSON.stringify({ ...day, color: day.color === "bleu" ? "rouge" : "bleu" }),
        );
      },
    ),
  },
  {
    name: "the colour or the period changes an hour later than next_change says",
    breaks: { document: "docs/topics.md", sentence: "when the value in force next becomes *different*" },
    judge: "next change",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/next_change\/(color|period)$/),
      (trace, { event }) => withPayload(trace, event, anHourEarlier(event.payload)),
    ),
  },
  {
    name: "no next colour is known although the next day of another colour is",
    breaks: { document: "docs/topics.md", sentence: "forecasts count; `None` if an unknown day comes first" },
    judge: "next change",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/next_change\/(color|period|rate)$/),
      (trace, { event }) => withPayload(trace, event, "None"),
    ),
  },
  {
    name: "no next rouge day is in sight although one is shown",
    breaks: {
      document: "docs/topics.md",
      sentence: "outlook `known`, `none_in_horizon`, `unknown`, `season_over`",
    },
    judge: "next rouge and blanc",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/next_(rouge|blanc)\/outlook$/, HOUR).filter(
          ({ event }) => event.payload === "known",
        ),
      (trace, { event }) => withPayload(trace, event, "none_in_horizon"),
    ),
  },
  {
    name: "the next rouge day is a day too late",
    breaks: { document: "docs/topics.md", sentence: "the first such date from `next` on" },
    judge: "next rouge and blanc",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/next_(rouge|blanc)\/date$/),
      (trace, { event }) => withPayload(trace, event, theDayAfter(event.payload)),
    ),
  },
  {
    name: "a rule turns an hour later than next_on or next_off says",
    breaks: {
      document: "docs/what-if.md",
      sentence: "With these three, a home automation can act at 06:00 without vigie.",
    },
    judge: "next on and off",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/rules\/\w+\/next_(on|off)$/).filter(isOfPlainRule(trace)),
      (trace, { event }) => withPayload(trace, event, anHourEarlier(event.payload)),
    ),
  },
  {
    name: "no turn of a rule is foretold although the plan has one",
    breaks: {
      document: "docs/rules.md",
      sentence: "A rule also publishes `next_on`, `next_off` and a `plan`.",
    },
    judge: "next on and off",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/rules\/\w+\/next_(on|off)$/).filter(isOfPlainRule(trace)),
      (trace, { event }) => withPayload(trace, event, "None"),
    ),
  },
  {
    name: "the service's count of the days that remain is one too high",
    breaks: {
      document: "docs/topics.md",
      sentence: "| `season/remaining/…`, `season/total/{rouge,blanc,bleu}` | as the service says",
    },
    judge: "season",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/season\/(remaining\/\w+|days_remaining)$/),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) + 1)),
    ),
  },
  {
    name: "a day of this colour is counted twice",
    breaks: {
      document: "docs/topics.md",
      sentence: "vigie's own count of official days, the one in force used",
    },
    judge: "season",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/season\/(used|left)\/\w+$/),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) + 1)),
    ),
  },
  {
    name: "the event of a rule says the contrary",
    breaks: {
      document: "docs/topics.md",
      sentence: "JSON `{event_type, …}`: `announced`, `final`, `revised`, `rule_on`, `rule_off`",
    },
    judge: "events",
    tell: tellAtOne(
      (trace) => eventsIn(trace).filter(({ payload }) => payload.includes('"rule_')),
      (trace, event) =>
        withPayload(
          trace,
          event,
          event.payload.replace(/rule_(on|off)/, (_, state) => `rule_${state === "on" ? "off" : "on"}`),
        ),
    ),
  },
  {
    name: "an event is retained",
    breaks: { document: "docs/topics.md", sentence: "not retained, once each" },
    judge: "events",
    tell: tellAtOne(eventsIn, (trace, event) => withOther(trace, event, { ...event, retain: true })),
  },
  {
    name: "an event is published twice",
    breaks: { document: "docs/topics.md", sentence: "not retained, once each" },
    judge: "events",
    tell: tellAtOne(eventsIn, (trace, event) => withMore(trace, [later(event, 5 * SECOND)])),
  },
  {
    name: "an event is never published",
    breaks: { document: "docs/topics.md", sentence: "not retained, once each" },
    judge: "each event",
    tell: tellAtOne(turnsIn, (trace, event) => without(trace, (one) => one === event)),
  },
];

/** What was known for an hour. */
function knownFor(trace: Trace, topic: RegExp): Shown[] {
  return shownFor(trace, topic, HOUR).filter(({ event }) => event.payload !== "None");
}

function hasSpans({ event }: Shown): boolean {
  return JSON.parse(event.payload).length > 1;
}

function hasColor({ event }: Shown): boolean {
  return JSON.parse(event.payload).color !== null;
}

function isOfPlainRule(trace: Trace): (shown: Shown) => boolean {
  return ({ event, from }) => plainRules(trace, from).includes(event.topic.split("/")[2] ?? "");
}

function eventsIn(trace: Trace): EventOf<"published">[] {
  return trace.events
    .filter((event) => event.kind === "published")
    .filter(({ topic }) => topic === "vigie/event")
    .filter(isIn(calmTimes(trace)));
}

/** Events of rules that were ON and are OFF, or were OFF and are ON, long after the start. */
function turnsIn(trace: Trace): EventOf<"published">[] {
  const starts = trace.events.filter(({ kind }) => STARTS.has(kind));
  const states = trace.events.filter(
    (event): event is TraceEvent & EventOf<"published"> =>
      isKind(event, "published") && event.topic.endsWith("/state"),
  );
  return eventsIn(trace).filter(({ payload, steady }) => {
    const { rule } = JSON.parse(payload || "{}");
    const said = states.filter(({ topic }) => topic === `vigie/rules/${rule}/state`);
    const turn = said.findLastIndex((one) => Math.abs(one.steady - steady) < SECOND);
    const [before, now] = [said[turn - 1], said[turn]];
    if (!before || !now || before.payload === "None" || now.payload === "None") return false;
    const from = Math.min(before.steady, steady - 10 * MINUTE);
    const around = eventsIn(trace).filter(
      (one) => Math.abs(one.steady - steady) < 5 * SECOND && one.payload.includes(`"${rule}"`),
    );
    return around.length === 1 && before.payload !== now.payload && within(starts, from, steady).length === 0;
  });
}

const STARTS: ReadonlySet<Kind> = new Set(["start", "reload", "connected", "state file", "jump", "suspend"]);

function anHourEarlier(instant: string): string {
  return new Date(Date.parse(instant) - HOUR).toISOString().replace(".000Z", "Z");
}

function theDayAfter(date: string): string {
  return new Date(Date.parse(date) + 24 * HOUR).toISOString().slice(0, 10);
}
