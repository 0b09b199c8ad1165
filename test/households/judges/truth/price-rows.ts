import type { Color, Day, Period } from "../../calendar.ts";

/** Prices from a date on, in EUR/kWh. */
export type PriceRow = { from: Day } & Record<Color, Record<Period, number>>;

/** Those that come with vigie. */
export const SHIPPED_RATES: readonly PriceRow[] = [
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
