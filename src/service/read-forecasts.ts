import { Temporal } from "temporal-polyfill";
import type { z } from "zod";
import type { Instant } from "../core/calendar/tariff.ts";
import type { DayInAnswer } from "../core/contract/answer.ts";
import { dayForecastSchema, forecastsSchema } from "../core/contract/endpoints.ts";
import { cleanText, describeValue } from "./clean-text.ts";
import { observe } from "./observe-answer.ts";
import { readColor } from "./read-color.ts";
import { readConfidence, type Scale, scaleOf } from "./read-confidence.ts";
import { readRates } from "./read-rates.ts";
import type { Reading, Terms } from "./reading-terms.ts";
import { AnswerUnreadable } from "./service-errors.ts";

/** `GET /v1/public`: whatever dated entries it holds, wherever they stand; a bad one loses itself only. */
export function readForecasts(json: unknown, terms: Terms): Reading {
  const parsed = forecastsSchema.safeParse(json);
  if (!parsed.success)
    throw new AnswerUnreadable(terms.asked, `Expected an object of days, got ${describeValue(json)}`);
  const { found, lost } = findDays(parsed.data);
  if (found.length === 0) {
    throw new AnswerUnreadable(
      terms.asked,
      `Expected at least one day, got none: ${lost.join("; ") || "no days at all"}`,
    );
  }
  const sent = {
    colors: found.map((day) => day.color),
    confidences: found.map((day) => day.confidence),
    rates: found.flatMap((day) => [day.rates?.hp, day.rates?.hc]),
  };
  const { observed, notices } = observe(sent, terms);
  const scale = scaleOf(sent.confidences, terms.confidence, terms.percent);
  const days = found.map((day) => readDay(day, scale, terms));
  const updated_at = readInstant(parsed.data.updated_at);
  const losses = lost.map((loss) => `A day in the answer to ${terms.asked} is left out: ${loss}`);
  return { answer: { kind: "forecasts", updated_at, days }, notices: [...losses, ...notices], observed };
}

type RawDay = z.output<typeof dayForecastSchema>;

/** Today's and tomorrow's own entries count before the list's, should a date stand there twice. */
function findDays(answer: z.output<typeof forecastsSchema>): { found: RawDay[]; lost: string[] } {
  const lost: string[] = [];
  const found = new Map<string, RawDay>();
  for (const [place, value] of placesIn(answer, lost)) {
    const parsed = dayForecastSchema.safeParse(value);
    if (!parsed.success) lost.push(`${place}: expected a day with a date, got ${describeDay(value)}`);
    else if (found.has(parsed.data.date))
      lost.push(`${place}: expected a date of its own, got ${parsed.data.date} again`);
    else found.set(parsed.data.date, parsed.data);
  }
  return { found: [...found.values()], lost: lost.slice(0, MOST_LOSSES) };
}

const MOST_LOSSES = 8;

function placesIn(answer: z.output<typeof forecastsSchema>, lost: string[]): [string, unknown][] {
  const { today, tomorrow, forecast } = answer;
  const named: [string, unknown][] = [
    ["today", today],
    ["tomorrow", tomorrow],
  ];
  if (!Array.isArray(forecast ?? [])) lost.push(`forecast: expected a list, got ${describeValue(forecast)}`);
  const list: unknown[] = Array.isArray(forecast) ? forecast : [];
  const listed = list.map((value, index): [string, unknown] => [`forecast[${index}]`, value]);
  return [...named.filter(([, value]) => value !== undefined && value !== null), ...listed];
}

function describeDay(value: unknown): string {
  if (typeof value !== "object" || value === null || !("date" in value)) return describeValue(value);
  return `the date ${describeValue(value.date)}`;
}

function readDay(day: RawDay, scale: Scale, terms: Terms): DayInAnswer {
  return {
    date: day.date,
    ...readColor(day.color, terms.spellings),
    confidence: readConfidence(day.confidence, scale),
    source: readText(day.source),
    explanation: readText(day.explanation),
    rates: readRates(day.rates?.hp, day.rates?.hc, terms.rate_unit),
  };
}

function readText(value: unknown): string | null {
  return (typeof value === "string" && cleanText(value, LONGEST_TEXT)) || null;
}

const LONGEST_TEXT = 1000;

/** `updated_at` is said to be UTC, so one without an offset is taken as such; junk is not known. */
function readInstant(value: unknown): Instant | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(value)) return null;
  const text = /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value.slice(11)) ? value : `${value}Z`;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    // It only looked like an instant: the 30th of February.
    return null;
  }
}
