import { HOUR, MINUTE } from "../calendar.ts";
import type { EventOf, Trace } from "../trace.ts";
import { later, withOther, without, withPayload } from "./change-trace.ts";
import { type Lie, tellAtOne } from "./lie.ts";
import { isBoundary, type Shown, shownFor, turnsIn } from "./read-trace.ts";

const DAY = "(now|next|today|tomorrow|d[2-7])";

/** What a day is shown as. */
export const LIES_OF_DAYS: readonly Lie[] = [
  {
    name: "a known day has another colour",
    breaks: {
      document: "docs/what-if.md",
      sentence: "The days that are known stay right, at every boundary: 00:00, 06:00, 22:00.",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownOf(trace, "color").filter(({ event }) => event.payload !== "None"),
      (trace, { event }) => withPayload(trace, event, event.payload === "bleu" ? "rouge" : "bleu"),
    ),
  },
  {
    name: "a known day is shown as unknown",
    breaks: { document: "docs/topics.md", sentence: "the days that were named stay right" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownOf(trace, "color").filter(({ event }) => event.payload !== "None"),
      (trace, { event }) => withPayload(trace, event, "None"),
    ),
  },
  {
    name: "an unknown day has a colour",
    breaks: { document: "docs/what-if.md", sentence: "A day that is not known is `None`, never a guess." },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownOf(trace, "color").filter(({ event }) => event.payload === "None"),
      (trace, { event }) => withPayload(trace, event, "bleu"),
    ),
  },
  {
    name: "a rouge day is said not to be rouge",
    breaks: { document: "README.md", sentence: "A rouge day is never missed because something was down" },
    judge: "truth",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/rouge_(now|next|hp_now|today|tomorrow)$/, HOUR).filter(isPayload("ON")),
      (trace, { event }) => withPayload(trace, event, "OFF"),
    ),
  },
  {
    name: "a forecast is official",
    breaks: {
      document: "docs/service.md",
      sentence: "only `true` makes the colour official. `false` or nothing: it is a forecast",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownOf(trace, "official").filter(isPayload("OFF")),
      (trace, { event }) => withPayload(trace, event, "ON"),
    ),
  },
  {
    name: "an announced colour is final before 11:30",
    breaks: {
      document: "docs/service.md",
      sentence: "It is final once an answer names it that was made at 11:30 of the day before or later",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/(next|tomorrow)\/stage$/, 20 * MINUTE).filter(isPayload("announced")),
      (trace, { event }) => withPayload(trace, event, "final"),
    ),
  },
  {
    name: "a forecast is surer than the service says",
    breaks: { document: "docs/service.md", sentence: "how sure the colour is" },
    judge: "truth",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, /^vigie\/d[3-7]\/confidence$/, HOUR).filter(
          ({ event }) => Number(event.payload) < 90,
        ),
      (trace, { event }) => withPayload(trace, event, String(Number(event.payload) + 10)),
    ),
  },
  {
    name: "a date stays that of the day before",
    breaks: { document: "docs/what-if.md", sentence: "stay right, at every boundary: 00:00, 06:00, 22:00" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsIn(trace, new RegExp(`^vigie/${DAY}/date$`), 30 * MINUTE),
      (trace, turn) => without(trace, (event) => event === turn),
    ),
  },
  {
    name: "the colour in force changes an hour late",
    breaks: { document: "docs/service.md", sentence: "A day begins at 06:00 of its date" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsIn(trace, /^vigie\/(now\/color|rouge_now)$/, 90 * MINUTE).filter(isBoundary(trace)),
      (trace, turn) => withOther(trace, turn, later(turn, HOUR)),
    ),
  },
  {
    name: "an announcement is shown an hour late",
    breaks: {
      document: "docs/what-if.md",
      sentence: "The topics, rules and outputs change with the next poll.",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => turnsIn(trace, /^vigie\/(next|tomorrow)\/official$/, 90 * MINUTE).filter(isAnnouncement),
      (trace, turn) => withOther(trace, turn, later(turn, HOUR)),
    ),
  },
  {
    name: "the period is the other one",
    breaks: {
      document: "docs/topics.md",
      sentence: "what is in force; period `hp`/`hc`, slot `rouge_hp` …, rate EUR/kWh",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/(now\/period|now\/slot|offpeak)$/, HOUR).filter(isKnown),
      (trace, { event }) => withPayload(trace, event, otherPeriod(event.payload)),
    ),
  },
  {
    name: "the period ends an hour later than it does",
    breaks: { document: "docs/topics.md", sentence: "when the tariff day and the period end" },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownFor(trace, /^vigie\/now\/period_until$/, HOUR).filter(isKnown),
      (trace, { event }) => withPayload(trace, event, anHourLater(event.payload)),
    ),
  },
  {
    name: "a topic of the moment expires before its boundary",
    breaks: {
      document: "docs/topics.md",
      sentence: "A value of the *moment* is true until its next boundary",
    },
    judge: "truth",
    tell: tellAtOne(
      (trace) => shownFor(trace, new RegExp(`^vigie/${DAY}/(color|date)$|^vigie/now/period$`), 2 * HOUR),
      (trace, { event }) => withOther(trace, event, { ...event, expiry: 3_600 }),
    ),
  },
  {
    name: "a topic is never published",
    breaks: { document: "docs/what-if.md", sentence: "The same: vigie sends all topics again, retained." },
    judge: "no topic is missing",
    tell: tellAtOne(
      (trace) =>
        shownFor(trace, new RegExp(`^vigie/(${DAY}/(color|date|official)|rouge_now|offpeak)$`), HOUR),
      (trace, { event }) =>
        without(trace, (other) => other.kind === "published" && other.topic === event.topic),
    ),
  },
];

/** What vigie showed of a day for an hour. */
function shownOf(trace: Trace, part: string): Shown[] {
  return shownFor(trace, new RegExp(`^vigie/${DAY}/${part}$`), HOUR);
}

function isPayload(payload: string): (shown: Shown) => boolean {
  return ({ event }) => event.payload === payload;
}

function isKnown({ event }: Shown): boolean {
  return event.payload !== "None";
}

function isAnnouncement({ payload }: EventOf<"published">): boolean {
  return payload === "ON";
}

function otherPeriod(payload: string): string {
  const others = new Map([
    ["ON", "OFF"],
    ["OFF", "ON"],
    ["hp", "hc"],
    ["hc", "hp"],
  ]);
  return payload.replace(/ON|OFF|h[pc]/, (found) => others.get(found) ?? found);
}

function anHourLater(payload: string): string {
  return new Date(Date.parse(payload) + HOUR).toISOString().replace(".000Z", "Z");
}
