import type { Rates } from "../core/calendar/tariff.ts";
import { readDecimal } from "./read-decimal.ts";
import type { Terms } from "./reading-terms.ts";

/** Prices in EUR/kWh; null where none was said, or none that can be one. */
export function readRates(hp: unknown, hc: unknown, unit: Terms["rate_unit"]): Rates {
  return { hp: readRate(hp, unit), hc: readRate(hc, unit) };
}

/**
 * A price outside what electricity costs is the wrong unit or a placeholder (0, -1): the owner's own price table serves
 * better than a number a hundred times off.
 */
export function readRate(value: unknown, unit: Terms["rate_unit"]): number | null {
  const number = readDecimal(value);
  if (number === null) return null;
  const rate = unit === "EUR/kWh" ? number : Math.round(number * 1e6) / 1e8;
  return rate >= LOWEST && rate <= HIGHEST ? rate : null;
}

const LOWEST = 0.01;
const HIGHEST = 5;
