import { addDays, clockShifts, dayStart, nextMidnight, tariffDate } from "../calendar/dates.ts";
import { firstAfter, inOrder } from "../calendar/instants.ts";
import { periodSpans } from "../calendar/period.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { nextWallEdge, type Wall, wallBetween } from "../calendar/wall-clock.ts";
import type { Ticks } from "./ticks.ts";

/** Every instant of a stretch at which anything can turn a condition, in order. */
export interface Beats {
  days: readonly Instant[];
  midnights: readonly Instant[];
  periods: readonly Instant[];
  /** The clocks are moved. */
  shifts: readonly Instant[];
  /** What else changes by itself. */
  edges: readonly Instant[];
  wall: Wall;
}

/** After one instant and up to another. */
export function beatsBetween(
  after: Instant,
  until: Instant,
  tariff: Tariff,
  edges: readonly Instant[] = [],
): Beats {
  const days: Instant[] = [];
  const periods: Instant[] = [];
  const midnights: Instant[] = [];
  const last = addDays(tariffDate(until, tariff), 1);
  for (let date = tariffDate(after, tariff); date <= last; date = addDays(date, 1)) {
    days.push(dayStart(date, tariff));
    periods.push(...periodSpans(date, tariff).map(({ start }) => start));
  }
  let midnight = nextMidnight(after, tariff.time_zone);
  for (; midnight <= until; midnight = nextMidnight(midnight, tariff.time_zone)) midnights.push(midnight);
  const shifts = clockShifts(after, until, tariff.time_zone);
  const within = (instants: readonly Instant[]) =>
    inOrder(instants.filter((at) => at > after && at <= until));
  return {
    days: within(days),
    midnights,
    periods: within(periods),
    shifts,
    edges: within(edges),
    wall: wallBetween([after, until], midnights, shifts, tariff.time_zone),
  };
}

/** The first beat after an instant at which such a condition can turn; infinite where none can turn it. */
export function nextBeat({ day, midnight, period, times }: Ticks, beats: Beats, after: Instant): Instant {
  let next = Math.min(firstAfter(beats.edges, after), nextWallEdge(times, beats.wall, after));
  if (day) next = Math.min(next, firstAfter(beats.days, after));
  if (midnight) next = Math.min(next, firstAfter(beats.midnights, after));
  if (period) next = Math.min(next, firstAfter(beats.periods, after));
  return next;
}
