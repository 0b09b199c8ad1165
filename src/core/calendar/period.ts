import { addDays, bothInstants, civilDate, clockShifts, dayStart, tariffDate, wallTime } from "./dates.ts";
import { memoizeFor } from "./memoize.ts";
import type { DailyWindow, Instant, IsoDate, Period, Tariff } from "./tariff.ts";

/** A stretch of one tariff day in which the period is the same. */
export interface PeriodSpan {
  start: Instant;
  end: Instant;
  period: Period;
}

/** Peak or off-peak, as the wall clock reads: an hour that comes twice is read twice. */
export function periodAt(at: Instant, tariff: Tariff): Period {
  const time = wallTime(at, tariff.time_zone).slice(TIME_FROM);
  return tariff.off_peak.some((window) => contains(window, time)) ? "hc" : "hp";
}

/** The first instant strictly after this one at which the period is another; undefined where it never is. */
export function nextPeriodEdge(after: Instant, tariff: Tariff): Instant | undefined {
  const period = periodAt(after, tariff);
  let date = tariffDate(after, tariff);
  for (let days = 0; days < DAYS_SEARCHED; days += 1) {
    const edge = periodSpans(tariff, date).find((span) => span.start > after && span.period !== period);
    if (edge) return edge.start;
    date = addDays(date, 1);
  }
  return undefined;
}

/** The periods of the tariff day of a date, in order and without a hole. */
export const periodSpans = memoizeFor((tariff: Tariff, date: IsoDate): readonly PeriodSpan[] => {
  const start = dayStart(date, tariff);
  const end = dayStart(addDays(date, 1), tariff);
  const cuts = [start, ...periodCuts(start, end, tariff)];
  const spans: PeriodSpan[] = [];
  for (const [index, from] of cuts.entries()) {
    const last = spans.at(-1);
    const span = { start: from, end: cuts[index + 1] ?? end, period: periodAt(from, tariff) };
    // Windows may touch or overlap: an edge is no change by itself.
    if (last?.period === span.period) last.end = span.end;
    else spans.push(span);
  }
  return spans;
});

/** Instants between two others at which the wall reaches a window's edge, or jumps; each once, in order. */
function periodCuts(start: Instant, end: Instant, tariff: Tariff): Instant[] {
  const { time_zone: zone, off_peak: windows } = tariff;
  const last = civilDate(end, zone);
  const cuts = clockShifts(start, end, zone);
  for (let date = civilDate(start, zone); date <= last; date = addDays(date, 1)) {
    for (const { from, to } of windows) {
      cuts.push(...bothInstants(date, from, zone), ...bothInstants(date, to, zone));
    }
  }
  return [...new Set(cuts)].filter((at) => at > start && at < end).sort((one, other) => one - other);
}

/** Equal times are the whole day. Seconds of the wall compare with `06:00` as strings do. */
function contains({ from, to }: DailyWindow, time: string): boolean {
  return from < to ? from <= time && time < to : time >= from || time < to;
}

/** One more than a day that a zone skipped whole, and one whose only window fell into a gap. */
const DAYS_SEARCHED = 4;
const TIME_FROM = "2026-01-05T".length;
