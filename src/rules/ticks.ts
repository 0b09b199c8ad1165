import { addDays, dayStart, nextMidnight, tariffDate } from "../calendar/day.ts";
import { periodSpans } from "../calendar/period.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { leavesOf } from "./parts.ts";
import type { Condition } from "./rule.ts";

/** By which clocks a condition can turn. */
export interface Ticks {
  /** The tariff day: `now`, `next`, its price, its weekday, its season. */
  day: boolean;
  /** The civil date. */
  midnight: boolean;
  period: boolean;
  /** Times on the wall. */
  times: readonly string[];
  /** Equal for those that tick alike. */
  key: string;
}

export function ticksOf(condition: Condition): Ticks {
  const leaves = leavesOf(condition);
  const kinds = new Set<Condition["kind"]>(leaves.map(({ kind }) => kind));
  const days = leaves.filter((leaf) => leaf.kind === "day");
  const times = new Set(leaves.flatMap((leaf) => (leaf.kind === "between" ? [leaf.from, leaf.to] : [])));
  const civil = days.filter(({ day, range }) => range === null && day !== "now" && day !== "next");
  const ticks = {
    // Also a civil day becomes final when it begins.
    day:
      civil.length < days.length ||
      civil.some(({ stage }) => stage !== null) ||
      BY_DAY.some((kind) => kinds.has(kind)),
    midnight: civil.length > 0,
    period: kinds.has("period") || kinds.has("rate"),
    times: [...times].toSorted(),
  };
  return { ...ticks, key: JSON.stringify(ticks) };
}

const BY_DAY = ["weekday", "rate", "days_remaining", "remaining", "left"] as const;

/** Every instant of a stretch at which anything but a time on the wall can turn a condition; unsorted. */
export interface Beats {
  days: readonly Instant[];
  midnights: readonly Instant[];
  periods: readonly Instant[];
}

export function beatsBetween(after: Instant, until: Instant, tariff: Tariff): Beats {
  const days: Instant[] = [];
  const periods: Instant[] = [];
  const midnights: Instant[] = [];
  const last = addDays(tariffDate(until, tariff), 1);
  for (let date = tariffDate(after, tariff); date <= last; date = addDays(date, 1)) {
    days.push(dayStart(date, tariff));
    periods.push(...periodSpans(tariff, date).map(({ start }) => start));
  }
  let midnight = nextMidnight(after, tariff.time_zone);
  for (; midnight <= until; midnight = nextMidnight(midnight, tariff.time_zone)) midnights.push(midnight);
  const within = (at: Instant) => at > after && at <= until;
  return { days: days.filter(within), midnights, periods: periods.filter(within) };
}

/** The instants of a stretch at which such a condition can turn, in order. */
export function tickInstants(
  { day, midnight, period, times }: Ticks,
  beats: Beats,
  edges: (times: readonly string[]) => Instant[],
): Instant[] {
  const all = [
    ...(day ? beats.days : []),
    ...(midnight ? beats.midnights : []),
    ...(period ? beats.periods : []),
    ...edges(times),
  ];
  return inOrder(all);
}

/** Each once, in order. */
export function inOrder(instants: readonly Instant[]): Instant[] {
  const sorted = instants.toSorted((one, other) => one - other);
  return sorted.filter((at, index) => at !== sorted[index - 1]);
}
