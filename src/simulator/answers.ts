import { addDays, civilDate, isoInstant } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import { datesBetween } from "../core/calendar/tariff-season.ts";
import { forecastFor, lastUpdate, predictionFor } from "./forecast.ts";
import { lastOfficialWord, officialColor } from "./official.ts";
import { ratesOn, TEMPO } from "./tempo.ts";
import type { World } from "./world.ts";

/**
 * PublicForecastResponse (2.2). An official colour stands at once, between the hourly forecasts. `behind` is for the
 * fault `wrong-today`: the places of yesterday, each entry with its true date.
 */
export function forecastsAnswer(at: Instant, world: World, behind = 0) {
  const today = addDays(civilDate(at, TEMPO.time_zone), -behind);
  const day = (ahead: number) => dayForecast(addDays(today, ahead), at, world);
  return {
    updated_at: isoInstant(updatedAt(at, world)),
    today: day(0),
    tomorrow: day(1),
    forecast: [2, 3, 4, 5, 6, 7].map(day),
  };
}

export function updatedAt(at: Instant, world: World): Instant {
  return Math.max(lastUpdate(at), lastOfficialWord(at, world));
}

/** DateForecast (2.3). */
export function dateAnswer(date: IsoDate, at: Instant, world: World) {
  const { color, confidence, is_official } = sayOf(date, at, world);
  const { hp, hc } = ratesOn(date, color);
  return { date, color, confidence, is_official, hp_rate: hp, hc_rate: hc };
}

/** HistoryEntry (2.4): only what is official. */
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

function dayForecast(date: IsoDate, at: Instant, world: World) {
  const { color, confidence, is_official } = sayOf(date, at, world);
  return {
    date,
    color,
    confidence,
    source: is_official ? "official" : "forecast",
    rates: ratesOn(date, color),
    explanation: `Simulated day: ${is_official ? "its colour is official" : reason(confidence)}`,
  };
}

function reason(confidence: number): string {
  return confidence === 1
    ? "no other colour is allowed on it"
    : `${Math.round(confidence * 100)} of 100 such forecasts are right`;
}

function sayOf(date: IsoDate, at: Instant, world: World) {
  const color = officialColor(date, at, world);
  if (color !== undefined) return { color, confidence: 1, is_official: true };
  return { ...forecastFor(date, at, world), is_official: false };
}
