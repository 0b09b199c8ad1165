import { Temporal } from "temporal-polyfill";
import { memoize } from "./memoize.ts";
import {
  type Instant,
  type IsoDate,
  MONTHS,
  type Month,
  type Tariff,
  WEEKDAYS,
  type Weekday,
} from "./tariff.ts";

/** The date that the wall clock shows at this instant. */
export function civilDate(at: Instant, timeZone: string): IsoDate {
  return wallTime(at, timeZone).slice(0, DATE_LENGTH);
}

/** The date and time that the wall clock shows at this instant, `2026-01-05T06:00:00`. */
export const wallTime = memoize(
  (at: Instant, timeZone: string): string =>
    zoned(at, timeZone).toPlainDateTime().toString({ smallestUnit: "second" }),
  1024,
);

/** For people: `2026-01-05 06:00`. */
export function wallMinute(at: Instant, timeZone: string): string {
  return wallTime(at, timeZone).slice(0, "2026-01-05T06:00".length).replace("T", " ");
}

/** For people: `06:00`, with the date if it is not the one of `now`: `2026-01-06 06:00`. */
export function localTime(at: Instant, now: Instant, timeZone: string): string {
  const [date, time = ""] = wallTime(at, timeZone).split("T");
  const minutes = time.slice(0, "06:00".length);
  return date === civilDate(now, timeZone) ? minutes : `${date} ${minutes}`;
}

/** The date whose tariff day is in force at this instant: yesterday's until today's begins. */
export function tariffDate(at: Instant, tariff: Tariff): IsoDate {
  const date = civilDate(at, tariff.time_zone);
  // Check tomorrow first: if the clocks go back over midnight, the day that has begun stays in force.
  const begun = [addDays(date, 1), date].find((day) => dayStart(day, tariff) <= at);
  return begun ?? addDays(date, -1);
}

/** When the tariff day of this date begins. */
export function dayStart(date: IsoDate, tariff: Tariff): Instant {
  return wallInstant(date, tariff.day_starts_at, tariff.time_zone);
}

/** When the date on the wall clock next changes: at midnight, or when the clocks are moved over midnight. */
export const nextMidnight = memoize((after: Instant, timeZone: string): Instant => {
  const date = civilDate(after, timeZone);
  const midnights = bothInstants(addDays(date, 1), "00:00", timeZone);
  const candidates = [...midnights, ...clockShifts(after, midnights[1], timeZone)];
  return Math.min(...candidates.filter((at) => at > after && civilDate(at, timeZone) !== date));
}, 256);

/** The first instant at which the wall clock has reached this time. A skipped time gives the instant of the skip. */
export function wallInstant(date: IsoDate, time: string, timeZone: string): Instant {
  return bothInstants(date, time, timeZone)[0];
}

/** The two instants of a wall-clock time that comes twice; of any other time the same instant twice. */
export function bothInstants(date: IsoDate, time: string, timeZone: string): readonly [Instant, Instant] {
  return instantsOfWallTime(`${date}T${time}`, timeZone);
}

/** When the clocks are moved, from one instant to before another. */
export function clockShifts(from: Instant, to: Instant, timeZone: string): Instant[] {
  const shifts: Instant[] = [];
  if (zoned(from, timeZone).offsetNanoseconds === zoned(to, timeZone).offsetNanoseconds) return shifts;
  // A shift at `from` itself counts as one.
  let shift = zoned(from - 1, timeZone).getTimeZoneTransition("next");
  while (shift && shift.epochMilliseconds < to) {
    shifts.push(shift.epochMilliseconds);
    shift = shift.getTimeZoneTransition("next");
  }
  return shifts;
}

/** What the wall clock shows at this instant, in milliseconds since midnight. */
export function millisecondsSinceMidnight(at: Instant, timeZone: string): number {
  return parseTimeOfDay(wallTime(at, timeZone).slice("2026-01-05T".length)) + (((at % 1000) + 1000) % 1000);
}

/** `06:30` or `06:30:15` in milliseconds since midnight. */
export function parseTimeOfDay(time: string): number {
  const [hours, minutes, seconds] = [time.slice(0, 2), time.slice(3, 5), time.slice(6, 8)];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

export const addDays = memoize(
  (date: IsoDate, days: number): IsoDate =>
    new Date(Date.parse(date) + days * DAY).toISOString().slice(0, DATE_LENGTH),
);

/** The same day of an earlier month, or the last day of a shorter one. */
export function monthsBefore(date: IsoDate, months: number): IsoDate {
  return Temporal.PlainDate.from(date).subtract({ months }).toString();
}

/** Whole days from one date to another; negative if `to` is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return (Date.parse(to) - Date.parse(from)) / DAY;
}

/** Every date from one to another, both included. */
export function datesBetween(start: IsoDate, end: IsoDate): IsoDate[] {
  const dates: IsoDate[] = [];
  for (let date = start; date <= end; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/** Monday is 1, Sunday 7. */
export function weekday(date: IsoDate): number {
  return new Date(date).getUTCDay() || 7;
}

export function weekdayName(date: IsoDate): Weekday {
  return WEEKDAYS[weekday(date) - 1] ?? "sun";
}

/** 1 is January, 12 is December. */
export function month(date: IsoDate): number {
  return Number(date.slice("2026-".length, "2026-01".length));
}

export function monthName(date: IsoDate): Month {
  return MONTHS[month(date) - 1] ?? "dec";
}

/** ISO 8601 in UTC with `Z` and seconds. */
export function isoInstant(at: Instant): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

const instantsOfWallTime = memoize((wall: string, timeZone: string): readonly [Instant, Instant] => {
  const plain = Temporal.PlainDateTime.from(wall);
  const first = plain.toZonedDateTime(timeZone, { disambiguation: "earlier" });
  const last = plain.toZonedDateTime(timeZone, { disambiguation: "later" });
  if (first.toPlainDateTime().equals(plain)) return [first.epochMilliseconds, last.epochMilliseconds];
  const skip = (first.getTimeZoneTransition("next") ?? last).epochMilliseconds;
  return [skip, skip];
});

function zoned(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

const DATE_LENGTH = "2026-01-05".length;
const DAY = 24 * 3_600_000;
