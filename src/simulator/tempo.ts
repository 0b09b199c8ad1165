import { tariffDate } from "../core/calendar/dates.ts";
import type { Color, Instant, IsoDate, PriceRow, Tariff } from "../core/calendar/tariff.ts";
import { type Season, seasonOf } from "../core/calendar/tariff-season.ts";

/** EUR/kWh, taxes included, by the newest row that has begun; days before the first row have its prices. */
export function ratesOn(date: IsoDate, color: Color): { hp: number; hc: number } {
  const row = PRICES.findLast(({ from }) => from <= date) ?? PRICES[0];
  return row[color];
}

const PRICES: [PriceRow, ...PriceRow[]] = [
  {
    from: "2026-02-01",
    bleu: { hp: 0.1612, hc: 0.1325 },
    blanc: { hp: 0.1871, hc: 0.1499 },
    rouge: { hp: 0.706, hc: 0.1575 },
  },
  {
    from: "2026-08-01",
    bleu: { hp: 0.1654, hc: 0.1356 },
    blanc: { hp: 0.1921, hc: 0.1536 },
    rouge: { hp: 0.7295, hc: 0.1615 },
  },
];

/** The tariff of the invented days. */
export const TEMPO: Tariff = {
  time_zone: "Europe/Paris",
  day_starts_at: "06:00",
  off_peak: [{ from: "22:00", to: "06:00" }],
  laws: "tempo",
  rates_first: "service",
  rates: PRICES,
};

/** The season in force: the old one until its last tariff day ends. */
export function seasonInForce(at: Instant): Season {
  return seasonOf(tariffDate(at, TEMPO));
}
