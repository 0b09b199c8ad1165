import type { Color } from "../core/calendar/tariff.ts";
import type { Cell } from "./table.ts";

/** A day's colour; what was said instead, where it is none. */
export function colorCell(color: Color | null, raw: string | null = null): Cell {
  return { text: color ?? (raw === null ? UNKNOWN : `unknown (${raw})`), color };
}

/** EUR/kWh. */
export function rateCell(rate: number | null): Cell {
  return rate === null ? UNKNOWN : String(Math.round(rate * 1e5) / 1e5);
}

export function confidenceCell(confidence: number | null): Cell {
  return confidence === null ? UNKNOWN : `${Math.round(confidence * 100)} %`;
}

const UNKNOWN = "-";
