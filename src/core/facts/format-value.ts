import { isoInstant } from "../calendar/dates.ts";
import type { Instant } from "../calendar/tariff.ts";

/** The payload that Home Assistant reads as "unknown". */
export const UNKNOWN_PAYLOAD = "None";

/** A value of a fact as JSON holds it; null means "not known". */
export type Value = string | number | boolean | null;

/** The payload of a topic that holds one value. */
export function payloadOf(value: Value): string {
  if (value === null || value === "") return UNKNOWN_PAYLOAD;
  if (typeof value === "boolean") return value ? "ON" : "OFF";
  return String(value);
}

/**
 * Home Assistant takes no state over 255 characters. A control character or half of a surrogate pair would come back from
 * the broker as something else, and so be published again and again.
 */
export function text(value: string | null): string | null {
  if (value === null) return null;
  const clean = value
    .replace(UNPRINTABLE, " ")
    .replace(/\p{Surrogate}/gu, "\u{FFFD}")
    .trim();
  let cut = "";
  for (const character of clean) {
    if (cut.length + character.length > LONGEST_TEXT) break;
    cut += character;
  }
  return cut === "" ? null : cut;
}

/** A confidence from 0 to 1 as a whole percent. */
export function percent(confidence: number | null): number | null {
  return confidence === null ? null : Math.min(100, Math.max(0, Math.round(confidence * 100)));
}

/** EUR/kWh with at most five decimals. */
export function rate(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(5));
}

export function instant(at: Instant | null): string | null {
  return at === null ? null : isoInstant(at);
}

/** The JSON text of a list, without the last items if it would be too large for a topic. */
export function cutToFit<Item>(items: readonly Item[], show: (items: readonly Item[]) => string): string {
  let kept = items;
  let json = show(kept);
  while (Buffer.byteLength(json) >= LARGEST_JSON && kept.length > 0) {
    kept = kept.slice(0, Math.floor(kept.length * 0.9));
    json = show(kept);
  }
  return json;
}

const UNPRINTABLE = /\p{Cc}/gu;
const LONGEST_TEXT = 255;
const LARGEST_JSON = 16 * 1024;
