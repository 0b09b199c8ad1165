import type { Color, Instant, IsoDate, Rates } from "../calendar/tariff.ts";
import type { SeasonInAnswer } from "../contract/answer.ts";

/** All that is known of the days, by date, from one source. Plain data: it is what the state file holds. */
export interface KnownDays {
  days: Record<IsoDate, KnownDay>;
  seasons: Record<string, KnownSeason>;
  /** When the service last updated its forecasts, by its own word. */
  updated_at: Instant | null;
}

export interface KnownDay {
  forecast?: KnownForecast;
  official?: OfficialColor;
  /** The service's own prediction for a day gone by, from history. */
  prediction?: ServicePrediction;
}

export interface KnownForecast {
  color: Color | null;
  raw: string | null;
  confidence: number | null;
  source: string | null;
  explanation: string | null;
  rates: Rates;
  /** The service's `updated_at` of the answer in which this was first said. */
  said_at: Instant | null;
  /** When vigie first saw it said so. */
  seen_at: Instant;
  /** Said by the date endpoint, which knows no `updated_at`: `said_at` is then the newest update known at that time. */
  by_date?: true;
}

export interface OfficialColor {
  color: Color;
  rates: Rates;
  /** When vigie first saw this official colour. */
  seen_at: Instant;
  /** Seen in an answer from 11:30 of the day before on: no correction comes after that. */
  final: boolean;
  /** The official colour that this one replaced. */
  revised_from?: Color;
}

export interface ServicePrediction {
  color: Color | null;
  confidence: number | null;
}

export interface KnownSeason extends SeasonInAnswer {
  seen_at: Instant;
}

export const NO_KNOWN_DAYS: KnownDays = { days: {}, seasons: {}, updated_at: null };

/** The newest instant at which something was seen: time has certainly come that far. */
export function newestInstant(knownDays: KnownDays): Instant | null {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { forecast, official } of Object.values(knownDays.days)) {
    newest = Math.max(newest, forecast?.seen_at ?? newest, official?.seen_at ?? newest);
  }
  for (const { seen_at } of Object.values(knownDays.seasons)) newest = Math.max(newest, seen_at);
  return newest === Number.NEGATIVE_INFINITY ? null : newest;
}
