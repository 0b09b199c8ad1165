import type { PriceRow, Tariff } from "../../src/core/calendar/tariff.ts";

export const FEBRUARY_PRICES: PriceRow = {
  from: "2026-02-01",
  bleu: { hp: 0.1612, hc: 0.1325 },
  blanc: { hp: 0.1871, hc: 0.1499 },
  rouge: { hp: 0.706, hc: 0.1575 },
};

export const AUGUST_PRICES: PriceRow = {
  from: "2026-08-01",
  bleu: { hp: 0.1654, hc: 0.1356 },
  blanc: { hp: 0.1921, hc: 0.1536 },
  rouge: { hp: 0.7295, hc: 0.1615 },
};

/** EDF Tempo as shipped. */
export const PARIS: Tariff = {
  time_zone: "Europe/Paris",
  day_starts_at: "06:00",
  off_peak: [{ windows: [{ from: "22:00", to: "06:00" }] }],
  laws: "tempo",
  rates_first: "service",
  rates: [FEBRUARY_PRICES, AUGUST_PRICES],
};

/** The same without the owner's prices. */
export const UNPRICED: Tariff = { ...PARIS, rates: [] };
