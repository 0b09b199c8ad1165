import { addDays, bothInstants, civilDate, clockShifts, wallInstant, wallTime } from "./day.ts";
import { remembered } from "./memo.ts";
import type { Instant, IsoDate } from "./tariff.ts";

/** Every instant after one and up to another at which the wall reaches one of these times, or jumps; unsorted. */
export function wallEdges(
  times: readonly string[],
  after: Instant,
  until: Instant,
  timeZone: string,
): Instant[] {
  if (times.length === 0) return [];
  const edges: Instant[] = [];
  const last = civilDate(until, timeZone);
  for (let date = civilDate(after, timeZone); date <= last; date = addDays(date, 1)) {
    const day = civilDay(date, timeZone);
    // Zone arithmetic is dear: it is left out where the wall runs as evenly as the time.
    for (const time of times)
      edges.push(...(day.even ? [day.start + sinceMidnight(time)] : bothInstants(date, time, timeZone)));
    edges.push(...day.shifts);
  }
  return edges.filter((at) => at > after && at <= until);
}

/** Milliseconds that a wall shows since midnight. */
export function wallClock(at: Instant, timeZone: string): number {
  return sinceMidnight(wallTime(at, timeZone).slice(TIME_FROM)) + (((at % SECOND) + SECOND) % SECOND);
}

/** `06:30` or `06:30:15` as milliseconds since midnight. */
export function sinceMidnight(time: string): number {
  const [hours, minutes, seconds = "0"] = time.split(":");
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
}

interface CivilDay {
  start: Instant;
  shifts: readonly Instant[];
  /** No clock is moved on it. */
  even: boolean;
}

const civilDay = remembered((date: IsoDate, timeZone: string): CivilDay => {
  const start = wallInstant(date, "00:00", timeZone);
  const end = wallInstant(addDays(date, 1), "00:00", timeZone);
  const shifts = clockShifts(start, end, timeZone);
  const even = shifts.length === 0 && end - start === DAY && wallTime(start, timeZone).endsWith("T00:00:00");
  return { start, shifts, even };
}, 512);

const SECOND = 1000;
const DAY = 24 * 3_600_000;
const TIME_FROM = "2026-01-05T".length;
