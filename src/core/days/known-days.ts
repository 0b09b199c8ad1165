import type { Color, Instant, IsoDate, Rates } from "../calendar/tariff.ts";
import type { DayInAnswer, SeasonInAnswer } from "../contract/answer.ts";

/** What vigie has learnt of each date from one service. Plain data: the state file holds it as it is. */
export interface KnownDays {
  days: Record<IsoDate, KnownDay>;
  seasons: Record<string, KnownSeason>;
  /** The newest `updated_at` of the service's forecasts. */
  updated_at: Instant | null;
}

export interface KnownDay {
  forecast?: KnownForecast;
  official?: OfficialColor;
  /** What the service had predicted for a past day, from its history. */
  prediction?: ServicePrediction;
}

export interface KnownForecast extends Omit<DayInAnswer, "date"> {
  /** The `updated_at` of the first answer with this content. */
  said_at: Instant | null;
  /** When vigie received that answer. */
  seen_at: Instant;
  /** From the date endpoint, which has no `updated_at`: `said_at` is then the newest update known at that time. */
  by_date?: true;
}

export interface OfficialColor {
  color: Color;
  rates: Rates;
  /** When vigie first saw this official colour. */
  seen_at: Instant;
  /** Seen in an answer from 11:30 of the day before on, or the day has begun: it is not corrected any more. */
  final: boolean;
  /** The official colour that this one replaced. */
  revised_from?: Color;
}

interface ServicePrediction {
  color: Color | null;
  confidence: number | null;
}

export interface KnownSeason extends SeasonInAnswer {
  seen_at: Instant;
}

export const NO_KNOWN_DAYS: KnownDays = { days: {}, seasons: {}, updated_at: null };

/** The newest instant at which something was seen: the true time is certainly not earlier. */
export function newestInstant(knownDays: KnownDays): Instant | null {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { forecast, official } of Object.values(knownDays.days)) {
    newest = Math.max(newest, forecast?.seen_at ?? newest, official?.seen_at ?? newest);
  }
  for (const { seen_at } of Object.values(knownDays.seasons)) newest = Math.max(newest, seen_at);
  return newest === Number.NEGATIVE_INFINITY ? null : newest;
}
