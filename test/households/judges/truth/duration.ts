import { HOUR, MINUTE } from "../../calendar.ts";

/** Milliseconds of `30s`, `5m`, `1h`. */
export function readDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`Expected a duration, got ${text}`);
  return Number(number) * (unit === "s" ? 1_000 : unit === "m" ? MINUTE : HOUR);
}
