import { RATES_2026 } from "../config/tariff-options.ts";
import { tariffDate } from "../core/calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { type Season, seasonOf } from "../core/calendar/tariff-season.ts";

/** EUR/kWh, taxes included, by the newest row that has begun; days before the first row have its prices. */
export function ratesOn(date: IsoDate, color: Color): { hp: number; hc: number } {
  const row = RATES_2026.findLast(({ from }) => from <= date) ?? RATES_2026[0];
  return row[color];
}

/** The tariff of the invented days. */
export const TEMPO: Tariff = {
  time_zone: "Europe/Paris",
  day_starts_at: "06:00",
  off_peak: [{ windows: [{ from: "22:00", to: "06:00" }] }],
  laws: "tempo",
  rates_first: "service",
  rates: RATES_2026,
};

/** The season in force: the old one until its last tariff day ends. */
export function seasonInForce(at: Instant): Season {
  return seasonOf(tariffDate(at, TEMPO));
}
