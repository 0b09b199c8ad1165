import { HOUR, SECOND } from "../calendar.ts";
import type { EventOf, Trace } from "../trace.ts";
import { later, withMore, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { calmTimes, isIn, plainRules, type Shown, shownFor } from "./read-trace.ts";

/** What follows from the days, the period and the verdicts. No judge reads these topics today: the names of their judges are those that they would have. */
export const LIES_OF_DERIVED_TOPICS: readonly Lie[] = [
  {
    name: "the price in force is ten cents higher",
    breaks: {
      document: "docs/topics.md",
      sentence: "what is in force; period `hp`/`hc`, slot `rouge_hp` …, rate EUR/kWh",
    },
    judge: "prices",
    isSurvived: "no judge reads prices",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/now\/rate$/),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) + 0.1)),
    ),
  },
  {
    name: "the JSON of a day has another colour than its topic",
    breaks: {
      document: "docs/topics.md",
      sentence: "A topic with ◆ is also published as a whole, as one JSON object on the parent topic",
    },
    judge: "JSON of a day",
    isSurvived: "no judge reads the JSON of a day",
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
    isSurvived: "no judge reads next_change",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/next_change\/(color|period)$/),
      (trace, { event }) => withPayload(trace, event, anHourEarlier(event.payload)),
    ),
  },
  {
    name: "the next rouge day is a day too late",
    breaks: { document: "docs/topics.md", sentence: "the first such date from `next` on" },
    judge: "next rouge",
    isSurvived: "no judge reads next_rouge and next_blanc",
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
    judge: "foretold",
    isSurvived: "the judge reads the plan, and neither next_on nor next_off",
    tell: tellAtOne(
      (trace) => knownFor(trace, /^vigie\/rules\/\w+\/next_(on|off)$/).filter(isOfPlainRule(trace)),
      (trace, { event }) => withPayload(trace, event, anHourEarlier(event.payload)),
    ),
  },
  {
    name: "an event is published twice",
    breaks: { document: "docs/topics.md", sentence: "not retained, once each" },
    judge: "events",
    isSurvived: "no judge reads events",
    tell: tellAtOne(eventsIn, (trace, event) => withMore(trace, [later(event, 5 * SECOND)])),
  },
  {
    name: "an event is never published",
    breaks: { document: "docs/topics.md", sentence: "not retained, once each" },
    judge: "events",
    isSurvived: "no judge reads events",
    tell: tellAtOne(eventsIn, (trace, event) => without(trace, (one) => one === event)),
  },
];

/** What was known for an hour. */
function knownFor(trace: Trace, topic: RegExp): Shown[] {
  return shownFor(trace, topic, HOUR).filter(({ event }) => event.payload !== "None");
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

function anHourEarlier(instant: string): string {
  return new Date(Date.parse(instant) - HOUR).toISOString().replace(".000Z", "Z");
}

function theDayAfter(date: string): string {
  return new Date(Date.parse(date) + 24 * HOUR).toISOString().slice(0, 10);
}
