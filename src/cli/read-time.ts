import { z } from "zod";
import { didYouMean } from "../config/nearest-word.ts";
import { wallInstant } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { WrongUsage } from "./usage.ts";

/** A date of the command line; `words` are those that may stand there, too. */
export function readDate(name: string, text: string, words: readonly string[] = []): IsoDate {
  if (DATE.safeParse(text).success) return text;
  const or = words.length === 0 ? "" : `, ${words.join(" or ")}`;
  throw new WrongUsage(
    `Expected ${name} to be a date like 2026-01-05${or}, got ${text}${didYouMean(text, words)}`,
  );
}

/** A time of the command line: on the wall where the tariff holds, or an instant with its offset. */
export function readTime(name: string, given: string, { time_zone }: Tariff): Instant {
  const at = parseTime(given, time_zone);
  if (at !== undefined) return at;
  throw new WrongUsage(
    `Expected ${name} to be a time like 2026-01-04T23:00 (on the wall in ${time_zone}) or 2026-01-04T22:00:00Z, got ${given}`,
  );
}

/** `2026-01-04T22:00:00Z`, and on the wall `2026-01-04T23:00` or `2026-01-04`; undefined for anything else. */
export function parseTime(text: string, timeZone: string): Instant | undefined {
  if (INSTANT.safeParse(text).success) return Date.parse(text);
  const [date = "", time = "00:00", ...more] = text.split(/[T ]/);
  if (more.length > 0 || !DATE.safeParse(date).success || !TIME.safeParse(time).success) return undefined;
  return wallInstant(date, time, timeZone);
}

const INSTANT = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);
const DATE = z.iso.date();
const TIME = z.iso.time();
