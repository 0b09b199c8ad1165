import { Temporal } from "temporal-polyfill";
import { memoize, memoizeFor } from "./memoize.ts";
import type { Instant, IsoDate, Tariff } from "./tariff.ts";

/** The civil date on the wall at this instant. */
export function civilDate(at: Instant, timeZone: string): IsoDate {
  return wallTime(at, timeZone).slice(0, DATE_LENGTH);
}

/** What the wall shows at this instant, `2026-01-05T06:00:00`. */
export function wallTime(at: Instant, timeZone: string): string {
  return shownAt(at, timeZone);
}

/** The date whose tariff day is in force at this instant: yesterday's until the day starts. */
export function tariffDate(at: Instant, tariff: Tariff): IsoDate {
  const date = civilDate(at, tariff.time_zone);
  // Tomorrow comes first: where the clocks go back over midnight, a day that has begun does not end again.
  const begun = [addDays(date, 1), date].find((day) => dayStart(day, tariff) <= at);
  return begun ?? addDays(date, -1);
}

/** When the tariff day of this date begins. */
export function dayStart(date: IsoDate, tariff: Tariff): Instant {
  return memoizedDayStart(tariff, date);
}

/** When the tariff day in force at this instant ends. */
export function nextDayStart(after: Instant, tariff: Tariff): Instant {
  return dayStart(addDays(tariffDate(after, tariff), 1), tariff);
}

/** When the civil date on the wall next changes. */
export function nextMidnight(after: Instant, timeZone: string): Instant {
  const date = civilDate(after, timeZone);
  const later = dateEdges(date, timeZone).filter((at) => at > after && civilDate(at, timeZone) !== date);
  return Math.min(...later);
}

/** The first instant at which the wall has reached this time: the end of a gap, the earlier one in a fold. */
export function wallInstant(date: IsoDate, time: string, timeZone: string): Instant {
  return reachedAt(`${date}T${time}`, timeZone);
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

/** Both instants of a wall-clock time that comes twice; one, said twice, of any other. */
export function bothInstants(date: IsoDate, time: string, timeZone: string): Instant[] {
  const plain = Temporal.PlainDate.from(date).toPlainDateTime(time);
  return (["earlier", "later"] as const).map(
    (disambiguation) => plain.toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds,
  );
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return addedDays(date, days);
}

/** Whole days from one date to another; negative when `to` comes first. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return countedDays(to, from);
}

/** Monday is 1, Sunday 7. */
export function weekday(date: IsoDate): number {
  return dayOfWeek(date, null);
}

/** ISO 8601 in UTC with `Z` and seconds. */
export function isoInstant(at: Instant): string {
  return writtenInstant(at, null);
}

const writtenInstant = memoize((at: Instant, _: null): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toString({ smallestUnit: "second" }),
);

const shownAt = memoize(
  (at: Instant, timeZone: string): string =>
    zoned(at, timeZone).toPlainDateTime().toString({ smallestUnit: "second" }),
  256,
);

const addedDays = memoize(
  (date: IsoDate, days: number): IsoDate => Temporal.PlainDate.from(date).add({ days }).toString(),
);

const countedDays = memoize(
  (to: IsoDate, from: IsoDate): number =>
    Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to)).days,
);

const dayOfWeek = memoize((date: IsoDate, _: null): number => Temporal.PlainDate.from(date).dayOfWeek);

const memoizedDayStart = memoizeFor(
  (tariff: Tariff, date: IsoDate): Instant => wallInstant(date, tariff.day_starts_at, tariff.time_zone),
);

const reachedAt = memoize((wall: string, timeZone: string): Instant => {
  const plain = Temporal.PlainDateTime.from(wall);
  const at = plain.toZonedDateTime(timeZone);
  if (at.toPlainDateTime().equals(plain)) return at.epochMilliseconds;
  const gapEnd = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous") ?? at;
  return gapEnd.epochMilliseconds;
});

/** Instants among which a civil date ends: midnights, and shifts that go over midnight. */
const dateEdges = memoize((date: IsoDate, timeZone: string): Instant[] => {
  const midnights = [1, 2, 3].flatMap((days) => bothInstants(addDays(date, days), "00:00", timeZone));
  const start = wallInstant(date, "00:00", timeZone);
  return [...midnights, ...clockShifts(start, Math.max(...midnights), timeZone)];
}, 64);

function zoned(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

const DATE_LENGTH = 10;
