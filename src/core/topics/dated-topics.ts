import { COLORS, type Color, PERIODS } from "../calendar/tariff.ts";
import type { DatedFacts, DayFacts, NextDayOfColor, Span } from "../facts/facts.ts";
import { fitting, instant, percent, plain, rate, text, type Value } from "../facts/format-value.ts";

type Payloads = [topic: string, payload: string][];

/** What stays true whenever it is read. */
export function datedTopics(dated: DatedFacts): Payloads {
  const { yesterday, next_change: change } = dated;
  return [
    ...family("yesterday", {
      date: yesterday.date,
      color: yesterday.color,
      predicted_color: yesterday.predicted_color,
      prediction_confidence: percent(yesterday.prediction_confidence),
    }),
    ...each("next_change", {
      color: instant(change.color),
      period: instant(change.period),
      rate: instant(change.rate),
    }),
    ...each("next_rouge", sighting(dated.next_rouge)),
    ...each("next_blanc", sighting(dated.next_blanc)),
    ["forecast", forecast(dated.forecast)],
    ["rates", spans(dated.rates)],
    ["rates_forecast", spans(dated.rates_forecast)],
    ...prices(dated.prices),
    ...season(dated),
  ];
}

/** The parts on topics of their own, and together on their parent. */
export function family(name: string, parts: Record<string, Value>): Payloads {
  return [...each(name, parts), [name, JSON.stringify(parts)]];
}

function each(name: string, parts: Record<string, Value>): Payloads {
  return Object.entries(parts).map(([part, value]) => [`${name}/${part}`, plain(value)]);
}

function sighting({ date, confidence, outlook }: NextDayOfColor): Record<string, Value> {
  return { date, confidence: percent(confidence), outlook };
}

function forecast({ updated_at, days }: DatedFacts["forecast"]): string {
  return fitting(days, (kept) =>
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

function spans(all: readonly Span[]): string {
  return fitting(all, (kept) =>
    JSON.stringify(
      kept.map(({ start, end, value }) => ({
        start: instant(start),
        end: instant(end),
        value: rate(value),
      })),
    ),
  );
}

function prices(all: DatedFacts["prices"]): Payloads {
  const rows = COLORS.flatMap((color) =>
    PERIODS.map((period): [string, Value] => [`${color}_${period}`, rate(all[color][period])]),
  );
  return each("prices", { ...Object.fromEntries(rows), source: all.source });
}

function season({ season: said, used, left }: DatedFacts): Payloads {
  const parts = {
    label: said?.label ?? null,
    start: said?.start ?? null,
    end: said?.end ?? null,
    days_elapsed: said?.days_elapsed ?? null,
    days_remaining: said?.days_remaining ?? null,
  };
  const counts = {
    remaining: count(said?.remaining ?? null),
    total: count(said?.total ?? null),
    used: count(used),
    left: count(left),
  };
  return [
    ...each("season", parts),
    ...Object.entries(counts).flatMap(([name, colors]) => each(`season/${name}`, colors)),
    ["season", JSON.stringify({ ...parts, ...counts })],
  ];
}

function count(colors: Record<Color, number> | null): Record<Color, Value> {
  return { rouge: colors?.rouge ?? null, blanc: colors?.blanc ?? null, bleu: colors?.bleu ?? null };
}
