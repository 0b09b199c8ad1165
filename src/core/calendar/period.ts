import {
  addDays,
  bothInstants,
  civilDate,
  clockShifts,
  dayStart,
  monthName,
  tariffDate,
  wallTime,
  weekdayName,
} from "./dates.ts";
import { memoize } from "./memoize.ts";
import type { DailyWindow, Instant, IsoDate, OffPeakRow, Period, Tariff } from "./tariff.ts";

/** A part of one tariff day in which the period is the same. */
interface PeriodSpan {
  start: Instant;
  end: Instant;
  period: Period;
}

/**
 * Peak or off-peak, by the date and the time that the wall clock shows: an hour that comes twice has the same period twice. Each
 * part of a window over midnight belongs to its own date: on 1 November from 00:00 on the hours of November count.
 */
export const periodAt = memoize((at: Instant, { time_zone, off_peak }: Tariff): Period => {
  const [date = "", time = ""] = wallTime(at, time_zone).split("T");
  return offPeakRow(date, off_peak)?.windows.some((window) => contains(window, time)) ? "hc" : "hp";
}, 1024);

/** The row whose windows count on this civil date: the first one that fits. */
export function offPeakRow(date: IsoDate, rows: readonly OffPeakRow[]): OffPeakRow | undefined {
  return rows.find(
    ({ from = "", months, weekdays }) =>
      date >= from &&
      (months?.includes(monthName(date)) ?? true) &&
      (weekdays?.includes(weekdayName(date)) ?? true),
  );
}

/** The times of the wall clock at which the period can change: when a window begins or ends, and at midnight, with its row. */
export function periodTimes({ off_peak }: Tariff): string[] {
  const windows = off_peak.flatMap((row) => row.windows);
  const times = new Set(["00:00", ...windows.flatMap(({ from, to }) => [from, to])]);
  // The end of a date is the 00:00 of the next one.
  times.delete("24:00");
  return [...times];
}

/**
 * The first instant after this one at which the period is another; undefined if that is not in the tariff day in force, nor
 * in the seven after it.
 */
export function nextPeriodChange(after: Instant, tariff: Tariff): Instant | undefined {
  const period = periodAt(after, tariff);
  let date = tariffDate(after, tariff);
  for (let days = 0; days < DAYS_SEARCHED; days += 1) {
    const next = periodSpans(date, tariff).find((span) => span.start > after && span.period !== period);
    if (next) return next.start;
    date = addDays(date, 1);
  }
  return undefined;
}

/** The periods of the tariff day of a date, in order and without a gap. */
export const periodSpans = memoize((date: IsoDate, tariff: Tariff): readonly PeriodSpan[] => {
  const start = dayStart(date, tariff);
  const end = dayStart(addDays(date, 1), tariff);
  const starts = [start, ...possibleChanges(start, end, tariff)];
  const spans: PeriodSpan[] = [];
  for (const [index, from] of starts.entries()) {
    const last = spans.at(-1);
    const span = { start: from, end: starts[index + 1] ?? end, period: periodAt(from, tariff) };
    // Windows may touch or overlap: when one begins or ends, the period need not change.
    if (last?.period === span.period) last.end = span.end;
    else spans.push(span);
  }
  return spans;
});

/** The instants between two others at which the period can change; each once, in order. */
function possibleChanges(start: Instant, end: Instant, tariff: Tariff): Instant[] {
  const zone = tariff.time_zone;
  const times = periodTimes(tariff);
  const last = civilDate(end, zone);
  const changes = clockShifts(start, end, zone);
  for (let date = civilDate(start, zone); date <= last; date = addDays(date, 1)) {
    for (const time of times) changes.push(...bothInstants(date, time, zone));
  }
  return [...new Set(changes)].filter((at) => at > start && at < end).sort((one, other) => one - other);
}

/** A window from a time to the same time is the whole day. `06:00:00` of the wall clock and `06:00` compare as text. */
function contains({ from, to }: DailyWindow, time: string): boolean {
  return from < to ? from <= time && time < to : time >= from || time < to;
}

/** As far as vigie knows days. It is long enough for hours of one weekday alone. */
const DAYS_SEARCHED = 8;
