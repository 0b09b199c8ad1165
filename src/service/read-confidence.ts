import { readDecimal } from "./read-decimal.ts";

export type Scale = "ratio" | "percent";

/** The scale of a whole answer: where it is not fixed, one value over 1, now or earlier, tells percent. */
export function scaleOf(values: readonly unknown[], setting: "auto" | Scale, percent: boolean): Scale {
  if (setting !== "auto") return setting;
  return percent || values.some(tellsPercent) ? "percent" : "ratio";
}

/** From 0 to 1; null for what no confidence can be. */
export function readConfidence(value: unknown, scale: Scale): number | null {
  const number = readDecimal(value);
  if (number === null || number < 0) return null;
  const ratio = scale === "percent" ? number / 100 : number;
  return ratio > 1 + NOISE ? null : Math.min(ratio, 1);
}

/** A number over 100 is on neither scale: it tells nothing. */
function tellsPercent(value: unknown): boolean {
  const number = readDecimal(value);
  return number !== null && number > 1 + NOISE && number <= 100;
}

/** A sum of shares may come out at 1.0000000000000002. */
const NOISE = 1e-6;
