import { COLORS, type Color, PERIODS } from "../calendar/tariff.ts";
import type { DatedFacts, DayFacts, NextDayOfColor, RateSpan } from "../facts/facts.ts";
import { cutToFit, instant, payloadOf, percent, rate, text, type Value } from "../facts/format-value.ts";

type Payloads = [topic: string, payload: string][];

/** The topics that are true whenever they are read: they never expire. */
export function datedTopics(dated: DatedFacts): Payloads {
  const { yesterday, next_change: change } = dated;
  return [
    ...partsAndParent("yesterday", {
      date: yesterday.date,
      color: yesterday.color,
      predicted_color: yesterday.predicted_color,
      prediction_confidence: percent(yesterday.prediction_confidence),
    }),
    ...parts("next_change", {
      color: instant(change.color),
      period: instant(change.period),
      rate: instant(change.rate),
    }),
    ...parts("next_rouge", nextDay(dated.next_rouge)),
    ...parts("next_blanc", nextDay(dated.next_blanc)),
    ["forecast", forecast(dated.forecast)],
    ["rates", spans(dated.rates)],
    ["rates_forecast", spans(dated.rates_forecast)],
    ...prices(dated.prices),
    ...season(dated),
  ];
}

/** Each value on a topic of its own, and all of them as JSON on the parent topic. */
export function partsAndParent(name: string, values: Record<string, Value>): Payloads {
  return [...parts(name, values), [name, JSON.stringify(values)]];
}

/** Each value on a topic of its own. */
export function parts(name: string, values: Record<string, Value>): Payloads {
  return Object.entries(values).map(([part, value]) => [`${name}/${part}`, payloadOf(value)]);
}

function nextDay({ date, confidence, outlook }: NextDayOfColor): Record<string, Value> {
  return { date, confidence: percent(confidence), outlook };
}

function forecast({ updated_at, days }: DatedFacts["forecast"]): string {
  return cutToFit(days, (kept) =>
    JSON.stringify({ updated_at: instant(updated_at), days: kept.map(forecastDay) }),
  );
}

function forecastDay(day: DayFacts): Record<string, Value> {
  return {
    date: day.date,
    color: day.color,
    confidence: percent(day.confidence),
    official: day.official,
    source: text(day.source),
    rate_hp: rate(day.rates.hp),
    rate_hc: rate(day.rates.hc),
  };
}

function spans(all: readonly RateSpan[]): string {
  return cutToFit(all, (kept) =>
    JSON.stringify(
      kept.map(({ start, end, value }) => ({
        start: instant(start),
        end: instant(end),
        value: rate(value),
      })),
    ),
  );
}

function prices({ source, ...rates }: DatedFacts["prices"]): Payloads {
  const values: Record<string, Value> = {};
  for (const color of COLORS) {
    for (const period of PERIODS) values[`${color}_${period}`] = rate(rates[color][period]);
  }
  return parts("prices", { ...values, source });
}

function season({ season: fromService, by_date, used, left, assumed }: DatedFacts): Payloads {
  const named = fromService ?? by_date;
  const values = {
    label: named?.label ?? null,
    start: named?.start ?? null,
    end: named?.end ?? null,
    days_elapsed: fromService?.days_elapsed ?? null,
    days_remaining: fromService?.days_remaining ?? null,
  };
  const counts = {
    remaining: count(fromService?.remaining ?? null),
    total: count(fromService?.total ?? null),
    used: count(used),
    left: count(left),
  };
  return [
    ...parts("season", values),
    ...Object.entries(counts).flatMap(([name, colors]) => parts(`season/${name}`, colors)),
    ["season", JSON.stringify({ ...values, ...counts, ...(assumed && { assumed }) })],
  ];
}

function count(colors: Record<Color, number> | null): Record<Color, Value> {
  return { rouge: colors?.rouge ?? null, blanc: colors?.blanc ?? null, bleu: colors?.bleu ?? null };
}
