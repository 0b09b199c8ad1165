import {
  addDays,
  civilDate,
  datesBetween,
  daysBetween,
  isoInstant,
  tariffDate,
} from "../core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import type { Season } from "../core/calendar/tariff-season.ts";
import { OFFICIAL_WORDS } from "../core/contract/endpoints.ts";
import { forecastFor, lastUpdate, predictionFor } from "./forecast.ts";
import { lastAnnouncement, officialColor, trueColor, type World } from "./official-colors.ts";
import { ratesOn, TEMPO } from "./tempo.ts";

/** PublicForecastResponse (2.2). An official colour is in it at once, also between two hourly forecasts. */
export function forecastsAnswer(at: Instant, world: World) {
  const today = civilDate(at, TEMPO.time_zone);
  const day = (ahead: number) => dayForecast(addDays(today, ahead), at, world);
  return {
    updated_at: isoInstant(updatedAt(at, world)),
    today: day(0),
    tomorrow: day(1),
    forecast: [2, 3, 4, 5, 6, 7].map(day),
  };
}

export function updatedAt(at: Instant, world: World): Instant {
  return Math.max(lastUpdate(at), lastAnnouncement(at, world));
}

/** DayForecast (2.1). */
export function dayForecast(date: IsoDate, at: Instant, world: World) {
  const { color, confidence, is_official } = colorOf(date, at, world);
  return {
    date,
    color,
    confidence,
    source: is_official ? "official" : "forecast",
    rates: ratesOn(date, color),
    explanation: `Simulated day: ${is_official ? "its colour is official" : explain(confidence)}`,
  };
}

function explain(confidence: number): string {
  return confidence === 1
    ? "no other colour is allowed on it"
    : `${Math.round(confidence * 100)} of 100 such forecasts are right`;
}

/** DateForecast (2.3). */
export function dateAnswer(date: IsoDate, at: Instant, world: World) {
  const { color, confidence, is_official } = colorOf(date, at, world);
  const { hp, hc } = ratesOn(date, color);
  return { date, color, confidence, is_official, hp_rate: hp, hc_rate: hc };
}

function colorOf(date: IsoDate, at: Instant, world: World) {
  const color = officialColor(date, at, world);
  if (color !== undefined) return { color, confidence: 1, is_official: true };
  return { ...forecastFor(date, at, world), is_official: false };
}

/** Entries of HistoryEntry (2.4): official days only. */
export function historyAnswer(start: IsoDate, end: IsoDate, at: Instant, world: World) {
  return datesBetween(start, end).flatMap((date) => {
    const color = officialColor(date, at, world);
    if (color === undefined) return [];
    const { hp, hc } = ratesOn(date, color);
    const predicted = predictionFor(date, world);
    return {
      date,
      color,
      hp_rate: hp,
      hc_rate: hc,
      predicted_color: predicted.color,
      prediction_confidence: predicted.confidence,
    };
  });
}

/**
 * SeasonResponse (2.5). `remaining` is the total less every day whose colour is official: a day that is announced but
 * not begun is no longer in it. `days_elapsed` counts the tariff days of the season that are over, `days_remaining`
 * the others, the day in force among them.
 */
export function seasonAnswer(season: Season, at: Instant, world: World) {
  const dates = datesBetween(season.start, season.end);
  const total = countColors(dates.map((date) => trueColor(date, world)));
  const used = countColors(dates.flatMap((date) => officialColor(date, at, world) ?? []));
  const over = daysBetween(season.start, tariffDate(at, TEMPO));
  const elapsed = Math.min(Math.max(over, 0), dates.length);
  return {
    season: season.label,
    start_date: season.start,
    end_date: season.end,
    remaining: {
      rouge: total.rouge - used.rouge,
      blanc: total.blanc - used.blanc,
      bleu: total.bleu - used.bleu,
    },
    total,
    days_elapsed: elapsed,
    days_remaining: dates.length - elapsed,
  };
}

/** The official source: today, and tomorrow once it is announced. */
export function officialLightAnswer(at: Instant, world: World) {
  const today = civilDate(at, TEMPO.time_zone);
  return officialAnswer([today, addDays(today, 1)], at, world);
}

/** The official source: each day of the season that is announced. */
export function officialSeasonAnswer({ start, end }: Season, at: Instant, world: World) {
  return officialAnswer(datesBetween(start, end), at, world);
}

function officialAnswer(dates: IsoDate[], at: Instant, world: World) {
  const words = dates.flatMap((date) => {
    const color = officialColor(date, at, world);
    return color === undefined ? [] : [[date, OFFICIAL_WORDS[color]]];
  });
  return { values: Object.fromEntries(words) };
}

function countColors(colors: Color[]): Record<Color, number> {
  const count = { rouge: 0, blanc: 0, bleu: 0 };
  for (const color of colors) count[color] += 1;
  return count;
}
