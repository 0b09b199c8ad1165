import { Temporal } from "temporal-polyfill";
import type { DailyWindow, Instant, IsoDate, Period, Tariff } from "./tariff.ts";

/** The civil date on the wall at this instant. */
export function civilDate(at: Instant, timeZone: string): IsoDate {
  return zoned(at, timeZone).toPlainDate().toString();
}

/** The date whose tariff day is in force at this instant: yesterday's until the day starts. */
export function tariffDate(at: Instant, tariff: Tariff): IsoDate {
  const date = civilDate(at, tariff.time_zone);
  return at < dayStart(date, tariff) ? addDays(date, -1) : date;
}

/** When the tariff day of this date begins. */
export function dayStart(date: IsoDate, tariff: Tariff): Instant {
  return wallInstant(date, tariff.day_starts_at, tariff.time_zone);
}

/** The instant of a wall-clock time; in a gap the first instant after it, in a fold the earlier one. */
export function wallInstant(date: IsoDate, time: string, timeZone: string): Instant {
  const key = `${date}T${time}[${timeZone}]`;
  const known = wallInstants.get(key);
  if (known !== undefined) return known;
  const plainTime = Temporal.PlainTime.from(time);
  const at = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  if (wallInstants.size >= REMEMBERED_WALL_INSTANTS) wallInstants.clear();
  wallInstants.set(key, at);
  return at;
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Whole days from one date to another; negative when `to` comes first. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to)).days;
}

/** Monday is 1, Sunday 7. */
export function weekday(date: IsoDate): number {
  return Temporal.PlainDate.from(date).dayOfWeek;
}

/** Peak or off-peak by the wall clock. */
export function periodAt(at: Instant, tariff: Tariff): Period {
  const time = zoned(at, tariff.time_zone).toPlainTime().toString({ smallestUnit: "second" });
  return tariff.off_peak.some((window) => contains(window, time)) ? "hc" : "hp";
}

/** The next edge of an off-peak window strictly after this instant; undefined without windows. */
export function nextPeriodEdge(after: Instant, tariff: Tariff): Instant | undefined {
  const times = tariff.off_peak.flatMap((window) => [window.from, window.to]);
  return nextWallTime(after, times, tariff.time_zone);
}

/** When the tariff day in force at this instant ends. */
export function nextDayStart(after: Instant, tariff: Tariff): Instant {
  return dayStart(addDays(tariffDate(after, tariff), 1), tariff);
}

/** When the civil date on the wall next changes. */
export function nextMidnight(after: Instant, timeZone: string): Instant {
  return wallInstant(addDays(civilDate(after, timeZone), 1), "00:00", timeZone);
}

/** The first instant strictly after this one at which the wall shows one of these times. */
export function nextWallTime(
  after: Instant,
  times: readonly string[],
  timeZone: string,
): Instant | undefined {
  const today = civilDate(after, timeZone);
  const candidates = [today, addDays(today, 1), addDays(today, 2)].flatMap((date) =>
    times.map((time) => wallInstant(date, time, timeZone)),
  );
  const later = candidates.filter((at) => at > after);
  return later.length > 0 ? Math.min(...later) : undefined;
}

/** ISO 8601 in UTC with `Z` and seconds. */
export function isoInstant(at: Instant): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toString({ smallestUnit: "second" });
}

function contains(window: DailyWindow, time: string): boolean {
  const { from, to } = window;
  return from <= to ? from <= time && time < to : time >= from || time < to;
}

function zoned(at: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

/** Remembered answers of a pure function: a refresh asks for the same few dozen again and again. */
const wallInstants = new Map<string, Instant>();
const REMEMBERED_WALL_INSTANTS = 4096;
