import { z } from "zod";
import { wallInstant } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { WrongUsage } from "./usage.ts";

/** A date of the command line. */
export function readDate(name: string, text: string): IsoDate {
  if (z.iso.date().safeParse(text).success) return text;
  throw new WrongUsage(`Expected ${name} to be a date like 2026-01-05, got ${text}`);
}

/** A time of the command line: on the wall where the tariff holds, or an instant with its offset. */
export function readTime(name: string, given: string, { time_zone }: Tariff): Instant {
  if (INSTANT.safeParse(given).success) return Date.parse(given);
  const [date = "", time = "00:00", ...more] = given.split(/[T ]/);
  if (more.length === 0 && DATE.safeParse(date).success && TIME.safeParse(time).success) {
    return wallInstant(date, time, time_zone);
  }
  throw new WrongUsage(
    `Expected ${name} to be a time like 2026-01-04T23:00 (on the wall in ${time_zone}) or 2026-01-04T22:00:00Z, got ${given}`,
  );
}

const INSTANT = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);
const DATE = z.iso.date();
const TIME = z.iso.time();
