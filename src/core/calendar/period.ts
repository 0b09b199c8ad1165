import { addDays, bothInstants, civilDate, clockShifts, dayStart, tariffDate, wallTime } from "./dates.ts";
import { memoize } from "./memoize.ts";
import type { DailyWindow, Instant, IsoDate, Period, Tariff } from "./tariff.ts";

/** A part of one tariff day in which the period is the same. */
interface PeriodSpan {
  start: Instant;
  end: Instant;
  period: Period;
}

/** Peak or off-peak, by the time that the wall clock shows: an hour that comes twice has the same period twice. */
export function periodAt(at: Instant, tariff: Tariff): Period {
  const time = wallTime(at, tariff.time_zone).slice("2026-01-05T".length);
  return tariff.off_peak.some((window) => contains(window, time)) ? "hc" : "hp";
}

/** The first instant after this one at which the period is another; undefined where it never changes. */
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
    // Windows may touch or overlap: where one begins or ends, the period need not change.
    if (last?.period === span.period) last.end = span.end;
    else spans.push(span);
  }
  return spans;
});

/** The instants between two others at which a window begins or ends, or the clocks are moved; each once, in order. */
function possibleChanges(start: Instant, end: Instant, tariff: Tariff): Instant[] {
  const { time_zone: zone, off_peak: windows } = tariff;
  const last = civilDate(end, zone);
  const changes = clockShifts(start, end, zone);
  for (let date = civilDate(start, zone); date <= last; date = addDays(date, 1)) {
    for (const { from, to } of windows) {
      changes.push(...bothInstants(date, from, zone), ...bothInstants(date, to, zone));
    }
  }
  return [...new Set(changes)].filter((at) => at > start && at < end).sort((one, other) => one - other);
}

/** A window from a time to the same time is the whole day. `06:00:00` of the wall clock and `06:00` compare as text. */
function contains({ from, to }: DailyWindow, time: string): boolean {
  return from < to ? from <= time && time < to : time >= from || time < to;
}

/** Today and tomorrow; one day more that a time zone skipped whole, one more whose only window was skipped. */
const DAYS_SEARCHED = 4;
