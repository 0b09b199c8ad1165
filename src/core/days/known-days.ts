import { memoizeByObject } from "../calendar/memoize.ts";
import type { Color, Instant, IsoDate, Rates } from "../calendar/tariff.ts";
import type { DayInAnswer, SeasonInAnswer } from "../contract/answer.ts";

/** What vigie has learnt of each date, from one service and from the official source. Plain data: the state file holds it. */
export interface KnownDays {
  days: Record<IsoDate, KnownDay>;
  seasons: Record<string, KnownSeason>;
  /** The newest `updated_at` of the service's forecasts. */
  updated_at: Instant | null;
}

export interface KnownDay {
  forecast?: KnownForecast;
  /** What each source names as the official colour: its latest word. They can differ. */
  service_word?: ServiceWord;
  rte_word?: RteWord;
  /** The official colour that was shown before another one. */
  revised_from?: Color;
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

/** What one source names as the official colour of a date. */
export interface OfficialWord {
  color: Color;
  /** When the source made the first answer with this colour that vigie received. */
  first_said: Instant;
  /** Named in an answer that was made at or after 11:30 of the day before: it is not corrected any more. */
  confirmed: boolean;
}

export interface RteWord extends OfficialWord {
  /** Not confirmed, and an answer that was made at or after 11:30 of the day before does not name the date. */
  no_longer_named?: true;
}

export interface ServiceWord extends OfficialWord {
  rates: Rates;
}

interface ServicePrediction {
  color: Color | null;
  confidence: number | null;
}

export interface KnownSeason extends SeasonInAnswer {
  /** When vigie received the first answer with this content on the tariff day on which it was last given. */
  seen_at: Instant;
}

export const NO_KNOWN_DAYS: KnownDays = { days: {}, seasons: {}, updated_at: null };

/**
 * The newest instant at which something was seen: the true time is certainly not earlier. Each event asks several times, and
 * the same days have the same answer.
 */
export const newestInstant = memoizeByObject((knownDays: KnownDays): Instant | null => {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { forecast, service_word, rte_word } of Object.values(knownDays.days)) {
    newest = Math.max(newest, forecast?.seen_at ?? newest, service_word?.first_said ?? newest);
    newest = Math.max(newest, rte_word?.first_said ?? newest);
  }
  for (const { seen_at } of Object.values(knownDays.seasons)) newest = Math.max(newest, seen_at);
  return newest === Number.NEGATIVE_INFINITY ? null : newest;
});

/** When the service made the first answer with the newest of these forecasts; null: it has never said when. */
export const newestForecast = memoizeByObject((days: KnownDays["days"]): Instant | null => {
  const said = Object.values(days).flatMap(({ forecast }) => forecast?.said_at ?? []);
  return said.length === 0 ? null : said.reduce((one, other) => Math.max(one, other));
});
