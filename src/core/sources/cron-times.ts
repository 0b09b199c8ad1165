import { addDays, bothInstants, datesBetween, isoInstant, parseTimeOfDay } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";

/** What the wall clock of one time zone shows when a cron line matches, every day: `06:30:15`. */
export interface CronTimes {
  times: readonly string[];
  time_zone: string;
}

/** The newest match at or before `now`. */
export function lastMatch(cron: CronTimes, now: Instant): Instant {
  const later = (last: Instant, at: Instant) => (at <= now && at > last ? at : last);
  return matchesNear(now, cron).reduce(later, Number.NEGATIVE_INFINITY);
}

/** The first match after `now`. */
export function nextMatch(cron: CronTimes, now: Instant): Instant {
  const earlier = (next: Instant, at: Instant) => (at > now && at < next ? at : next);
  return matchesNear(now, cron).reduce(earlier, Number.POSITIVE_INFINITY);
}

/** In no order. They are kept by the day of UTC: to find them again takes no arithmetic with time zones. */
function matchesNear(now: Instant, cron: CronTimes): readonly Instant[] {
  return matchesAroundDay(Math.floor(now / DAY), cron);
}

const matchesAroundDay = memoize((day: number, cron: CronTimes): readonly Instant[] => {
  const date = isoInstant(day * DAY).slice(0, "2026-01-05".length);
  // A time of the wall clock comes up to 14 hours earlier or 12 hours later than in UTC.
  return datesBetween(addDays(date, -2), addDays(date, 2)).flatMap((one) => matchesOn(one, cron));
}, 4);

/** A skipped time counts when the clocks are moved, a repeated one twice: a line of each hour misses none. */
function matchesOn(date: IsoDate, { times, time_zone }: CronTimes): Instant[] {
  const [start] = bothInstants(date, "00:00", time_zone);
  const [, end] = bothInstants(addDays(date, 1), "00:00", time_zone);
  // To ask the calendar for each time is slow, and needed only on the days when the clocks are moved.
  if (end - start === DAY) return times.map((time) => start + parseTimeOfDay(time));
  return times.flatMap((time) => bothInstants(date, time, time_zone));
}

const DAY = 24 * 3_600_000;
