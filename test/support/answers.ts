import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import type { Answer, DayInAnswer, SeasonInAnswer } from "../../src/core/contract/answer.ts";

const NO_RATES = { hp: null, hc: null };

export const SEASON: SeasonInAnswer = {
  label: "2025-2026",
  start: "2025-09-01",
  end: "2026-08-31",
  remaining: { rouge: 20, blanc: 30, bleu: 200 },
  total: { rouge: 22, blanc: 43, bleu: 300 },
  days_elapsed: 120,
  days_remaining: 245,
};

export function dayInAnswer(
  date: IsoDate,
  color: Color | null,
  more: Partial<DayInAnswer> = {},
): DayInAnswer {
  return {
    date,
    color,
    raw: color,
    confidence: 0.8,
    source: "model",
    explanation: "cold",
    rates: NO_RATES,
    ...more,
  };
}

export function forecastsAnswer(updated_at: Instant | null, ...days: DayInAnswer[]): Answer {
  return { kind: "forecasts", updated_at, days };
}

/** The date endpoint names no source and no explanation. */
export function dateAnswer(
  date: IsoDate,
  color: Color | null,
  is_official: boolean | null,
  more: Partial<DayInAnswer> = {},
): Answer {
  const day = dayInAnswer(date, color, { source: null, explanation: null, ...more });
  return { kind: "date", is_official, day };
}

export function historyAnswer(
  date: IsoDate,
  color: Color | null,
  predicted_color: Color | null = null,
): Answer {
  const prediction_confidence = predicted_color && 0.7;
  const entry = { date, color, raw: color, rates: NO_RATES, predicted_color, prediction_confidence };
  return { kind: "history", start: date, end: date, entries: [entry] };
}
