import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";

/** What the service was asked. */
export type Request =
  | { kind: "forecasts" }
  | { kind: "date"; date: IsoDate }
  | { kind: "season"; label?: string }
  | { kind: "history"; start: IsoDate; end: IsoDate };

/** What an answer said, in vigie's own words and units: nothing in it needs a second look. */
export type Answer =
  | { kind: "forecasts"; updated_at: Instant | null; days: SaidDay[] }
  | { kind: "date"; day: SaidDay; is_official: boolean | null }
  | { kind: "history"; start: IsoDate; end: IsoDate; entries: HistoryDay[] }
  | { kind: "season"; season: SaidSeason };

/** EUR/kWh; null where the service said nothing usable. */
export interface SaidRates {
  hp: number | null;
  hc: number | null;
}

export interface SaidDay {
  date: IsoDate;
  /** null: no colour vigie knows; `raw` then holds what was said. */
  color: Color | null;
  raw: string | null;
  /** 0 to 1. */
  confidence: number | null;
  source: string | null;
  explanation: string | null;
  rates: SaidRates;
}

export interface HistoryDay {
  date: IsoDate;
  color: Color | null;
  raw: string | null;
  rates: SaidRates;
  predicted_color: Color | null;
  prediction_confidence: number | null;
}

export interface SaidSeason {
  label: string;
  start: IsoDate;
  end: IsoDate;
  remaining: Record<Color, number>;
  total: Record<Color, number>;
  days_elapsed: number;
  days_remaining: number;
}
