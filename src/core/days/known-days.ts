import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import type { SaidRates, SaidSeason } from "../contract/answer.ts";

/** All that is known of the days, by date, from one source. Plain data: it is what the state file holds. */
export interface Book {
  days: Record<IsoDate, BookDay>;
  seasons: Record<string, BookSeason>;
  /** When the service last updated its forecasts, by its own word. */
  updated_at: Instant | null;
}

export interface BookDay {
  forecast?: BookForecast;
  official?: BookOfficial;
  /** The service's own prediction for a day gone by, from history. */
  prediction?: BookPrediction;
}

export interface BookForecast {
  color: Color | null;
  raw: string | null;
  confidence: number | null;
  source: string | null;
  explanation: string | null;
  rates: SaidRates;
  /** The service's `updated_at` of the answer in which this was first said. */
  said_at: Instant | null;
  /** When vigie first saw it said so. */
  seen_at: Instant;
  /** Said by the date endpoint, which knows no `updated_at`: `said_at` is then the newest update known at that time. */
  by_date?: true;
}

export interface BookOfficial {
  color: Color;
  rates: SaidRates;
  /** When vigie first saw this official colour. */
  seen_at: Instant;
  /** Seen in an answer from 11:30 of the day before on: no correction comes after that. */
  final: boolean;
  /** The official colour that this one replaced. */
  revised_from?: Color;
}

export interface BookPrediction {
  color: Color | null;
  confidence: number | null;
}

export interface BookSeason extends SaidSeason {
  seen_at: Instant;
}

export const EMPTY_BOOK: Book = { days: {}, seasons: {}, updated_at: null };

/** The newest instant at which something was seen: time has certainly come that far. */
export function newestInstant(book: Book): Instant | null {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { forecast, official } of Object.values(book.days)) {
    newest = Math.max(newest, forecast?.seen_at ?? newest, official?.seen_at ?? newest);
  }
  for (const { seen_at } of Object.values(book.seasons)) newest = Math.max(newest, seen_at);
  return newest === Number.NEGATIVE_INFINITY ? null : newest;
}
