import { Temporal } from "temporal-polyfill";
import type { z } from "zod";
import type { Instant } from "../core/calendar/tariff.ts";
import { instantSchema } from "../core/calendar/time-schemas.ts";
import type { DayInAnswer } from "../core/contract/answer.ts";
import { dayForecastSchema, forecastsSchema } from "../core/contract/endpoints.ts";
import { cleanText, describeValue } from "./clean-text.ts";
import { createValueReader, type Reading, type ReadSettings } from "./read-values.ts";
import { AnswerUnreadable } from "./service-errors.ts";

/** `GET /v1/public`: every entry that has a date, wherever it is in the answer; another one loses only itself. */
export function readForecasts(json: unknown, settings: ReadSettings): Reading {
  const { operation } = settings;
  const parsed = forecastsSchema.safeParse(json);
  if (!parsed.success) {
    throw new AnswerUnreadable(operation, `Expected an object of days, got ${describeValue(json)}`);
  }
  const { found, problems } = findDays(parsed.data);
  if (found.length === 0) {
    const why = `Expected at least one day, got none: ${problems.join("; ") || "no days at all"}`;
    throw new AnswerUnreadable(operation, why);
  }
  const values = createValueReader(
    settings,
    found.map((day) => day.confidence),
  );
  const days = found.map(
    (day): DayInAnswer => ({
      date: day.date,
      ...values.color(day.color),
      confidence: values.confidence(day.confidence),
      source: readText(day.source),
      explanation: readText(day.explanation),
      rates: values.rates(day.rates?.hp, day.rates?.hc),
    }),
  );
  const omitted = problems.map((problem) => `A day in the answer to ${operation} is not used: ${problem}`);
  const updated_at = readInstant(parsed.data.updated_at);
  return values.finish({ kind: "forecasts", updated_at, days }, omitted);
}

type DayForecast = z.output<typeof dayForecastSchema>;

/** For a date that is sent twice `today` and `tomorrow` count before the list. */
function findDays(answer: z.output<typeof forecastsSchema>): { found: DayForecast[]; problems: string[] } {
  const { today, tomorrow, forecast } = answer;
  const problems: string[] = [];
  const entries: [string, unknown][] = [];
  if (today !== undefined && today !== null) entries.push(["today", today]);
  if (tomorrow !== undefined && tomorrow !== null) entries.push(["tomorrow", tomorrow]);
  if (Array.isArray(forecast)) {
    for (const [index, value] of forecast.entries()) entries.push([`forecast[${index}]`, value]);
  } else if (forecast !== undefined && forecast !== null) {
    problems.push(`forecast: expected a list, got ${describeValue(forecast)}`);
  }
  const found = new Map<string, DayForecast>();
  for (const [place, value] of entries) {
    const parsed = dayForecastSchema.safeParse(value);
    if (!parsed.success) {
      problems.push(`${place}: expected a day with a date, got ${describeDay(value)}`);
    } else if (found.has(parsed.data.date)) {
      problems.push(`${place}: expected a date of its own, got ${parsed.data.date} again`);
    } else found.set(parsed.data.date, parsed.data);
  }
  return { found: [...found.values()], problems: problems.slice(0, MOST_PROBLEMS) };
}

const MOST_PROBLEMS = 8;

function describeDay(value: unknown): string {
  if (typeof value !== "object" || value === null || !("date" in value)) return describeValue(value);
  return `the date ${describeValue(value.date)}`;
}

function readText(value: unknown): string | null {
  return (typeof value === "string" && cleanText(value, LONGEST_TEXT)) || null;
}

const LONGEST_TEXT = 1000;

/** `updated_at` is UTC by the interface, so a time without an offset is UTC, too; null for anything else. */
function readInstant(value: unknown): Instant | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(value)) return null;
  const text = /(Z|[+-]\d\d(:?\d\d)?)$/i.test(value.slice(11)) ? value : `${value}Z`;
  try {
    return instantSchema.safeParse(Temporal.Instant.from(text).epochMilliseconds).data ?? null;
  } catch {
    // A date that the calendar does not have, such as the 30th of February.
    return null;
  }
}
