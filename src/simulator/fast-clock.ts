import { z } from "zod";
import { wallInstant } from "../core/calendar/dates.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import type { Clock } from "../runtime/clock.ts";
import { TEMPO } from "./tempo.ts";

/** A clock that starts at a chosen instant and runs `speed` times as fast as the real one. */
export function fastClock(from: Instant, speed: number, real: Clock): { now(): Instant } {
  const started = real.steady();
  return { now: () => Math.round(from + (real.steady() - started) * speed) };
}

/** `2026-01-04T22:00:00Z`, `2026-01-04T23:00` (Paris time) or `2026-01-04`; undefined for anything else. */
export function parseTime(text: string): Instant | undefined {
  if (INSTANT.safeParse(text).success) return Date.parse(text);
  const [date = "", time = "00:00", ...more] = text.split("T");
  if (more.length > 0 || !DATE.safeParse(date).success || !TIME.safeParse(time).success) return undefined;
  return wallInstant(date, time, TEMPO.time_zone);
}

const INSTANT = z.iso.datetime({ offset: true });
const DATE = z.iso.date();
const TIME = z.iso.time();
