import type { Color, Instant, IsoDate, Rates } from "../calendar/tariff.ts";

/** What the service was asked. */
export type Request =
  | { kind: "forecasts" }
  | { kind: "date"; date: IsoDate }
  | { kind: "season"; label?: string }
  | { kind: "history"; start: IsoDate; end: IsoDate };

/** What an answer said, in vigie's own words and units: nothing in it needs a second look. */
export type Answer =
  | { kind: "forecasts"; updated_at: Instant | null; days: DayInAnswer[] }
  | { kind: "date"; day: DayInAnswer; is_official: boolean | null }
  | { kind: "history"; start: IsoDate; end: IsoDate; entries: HistoryDayInAnswer[] }
  | { kind: "season"; season: SeasonInAnswer };

export interface DayInAnswer {
  date: IsoDate;
  /** null: no colour vigie knows; `raw` then holds what was said. */
  color: Color | null;
  raw: string | null;
  /** 0 to 1. */
  confidence: number | null;
  source: string | null;
  explanation: string | null;
  rates: Rates;
}

export interface HistoryDayInAnswer {
  date: IsoDate;
  color: Color | null;
  raw: string | null;
  rates: Rates;
  predicted_color: Color | null;
  prediction_confidence: number | null;
}

export interface SeasonInAnswer {
  label: string;
  start: IsoDate;
  end: IsoDate;
  remaining: Record<Color, number>;
  total: Record<Color, number>;
  days_elapsed: number;
  days_remaining: number;
}
