import { addDays, civilDate, datesBetween, tariffDate, wallInstant, weekday } from "../calendar/dates.ts";
import { periodAt } from "../calendar/period.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import { allowedColors } from "../calendar/tariff-laws.ts";
import { sinceMidnight, wallClock } from "../calendar/wall-clock.ts";
import type { Demand } from "./alternatives.ts";
import { type Bounds, type DayCondition, type TimeCondition, WEEKDAYS } from "./rule.ts";

/** Whether all of these can hold at one time of some year. Where that is hard to tell, they can. */
export function isFeasible(demands: readonly Demand[], tariff: Tariff): boolean {
  if (!areNumbersFeasible(demands)) return false;
  const times = demands.flatMap(({ leaf, wanted }) => (isTime(leaf) ? [{ leaf, wanted }] : []));
  const days = demands.flatMap(({ leaf, wanted }) => (leaf.kind === "day" ? [{ leaf, wanted }] : []));
  const walls = times.flatMap(({ leaf }) => (leaf.kind === "between" ? [leaf.from, leaf.to] : []));
  const hours = new Set([...wallsOf(tariff), ...walls]);
  for (const date of SAMPLE) {
    for (const hour of hours) {
      const at = wallInstant(date, hour, tariff.time_zone);
      const isTimely = times.every(({ leaf, wanted }) => isTimeSo(leaf, at, tariff) === wanted);
      if (isTimely && areDaysFeasible(days, at, tariff)) return true;
    }
  }
  return false;
}

function isTime(leaf: Demand["leaf"]): leaf is TimeCondition {
  return leaf.kind === "period" || leaf.kind === "between" || leaf.kind === "weekday";
}

/** Where the wall is at a beginning of something. */
function wallsOf({ day_starts_at, off_peak }: Tariff): string[] {
  return ["00:00", day_starts_at, ...off_peak.flatMap(({ from, to }) => [from, to])];
}

function isTimeSo(leaf: TimeCondition, at: Instant, tariff: Tariff): boolean {
  switch (leaf.kind) {
    case "period":
      return periodAt(at, tariff) === leaf.period;
    case "weekday":
      return leaf.days.includes(WEEKDAYS[weekday(tariffDate(at, tariff)) - 1] ?? "sun");
    case "between": {
      const [from, to] = [sinceMidnight(leaf.from), sinceMidnight(leaf.to)];
      const wall = wallClock(at, tariff.time_zone);
      return from < to ? from <= wall && wall < to : wall >= from || wall < to;
    }
  }
}

interface DayDemand {
  leaf: DayCondition;
  wanted: boolean;
}

/** Each date that is asked for can be of a colour that all who ask for it agree with. */
function areDaysFeasible(demands: readonly DayDemand[], at: Instant, tariff: Tariff): boolean {
  const left = new Map<IsoDate, readonly Color[]>();
  for (const { leaf, wanted } of demands) {
    if (leaf.range !== null) {
      if (!isRangeFeasible(leaf, wanted, at, tariff)) return false;
      continue;
    }
    const date = dateOf(leaf.day, at, tariff);
    const colors = left.get(date) ?? allowedColors(date, tariff.laws);
    const agreeing = colors.filter((color) => isColorFeasible(leaf, wanted, color));
    if (agreeing.length === 0) return false;
    left.set(date, agreeing);
  }
  return true;
}

function isColorFeasible(asked: DayCondition, wanted: boolean, color: Color): boolean {
  const isAsked = asked.color === null || asked.color.includes(color);
  if (wanted) return isAsked && !contradictsItself(asked);
  // A doubtful day may fail whatever else is asked of it.
  const { confidence, official, stage, known } = asked;
  return !isAsked || [confidence, official, stage, known].some((one) => one !== null);
}

/** A day that is not known has no colour, and one that is official is no forecast. */
function contradictsItself({ color, confidence, official, stage, known }: DayCondition): boolean {
  if (known === false && (color ?? confidence ?? stage) !== null) return true;
  if (known === false && official === true) return true;
  return stage?.every((one) => (one === "forecast") === official) ?? false;
}

function isRangeFeasible(asked: DayCondition, wanted: boolean, at: Instant, tariff: Tariff): boolean {
  const { range, least, color } = asked;
  if (!wanted) return true;
  if (contradictsItself(asked)) return false;
  if (!color) return true;
  const next = addDays(tariffDate(at, tariff), 1);
  const dates = datesBetween(next, addDays(next, (range ?? 1) - 1));
  return (
    dates.filter((date) => allowedColors(date, tariff.laws).some((one) => color.includes(one))).length >=
    least
  );
}

function dateOf(name: DayCondition["day"], at: Instant, tariff: Tariff): IsoDate {
  if (name === "now") return tariffDate(at, tariff);
  if (name === "next") return addDays(tariffDate(at, tariff), 1);
  const days = name === "today" ? 0 : name === "tomorrow" ? 1 : Number(name.slice(1));
  return addDays(civilDate(at, tariff.time_zone), days);
}

/** One number can hold all its bounds. */
function areNumbersFeasible(demands: readonly Demand[]): boolean {
  const ranges = new Map<string, Bounds[]>();
  for (const { leaf, wanted } of demands) {
    if (!("bounds" in leaf) || !wanted) continue;
    const key = "color" in leaf ? `${leaf.kind} ${leaf.color}` : leaf.kind;
    ranges.set(key, [...(ranges.get(key) ?? []), leaf.bounds]);
  }
  return [...ranges].every(([key, bounds]) => isAnyWithin(bounds, key !== "rate"));
}

/** Days come whole, prices do not. */
function isAnyWithin(all: readonly Bounds[], whole: boolean): boolean {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  for (const { above, below, at_most, at_least } of all) {
    if (above !== undefined) least = Math.max(least, whole ? Math.floor(above) + 1 : above + FRACTION);
    if (below !== undefined) most = Math.min(most, whole ? Math.ceil(below) - 1 : below - FRACTION);
    if (at_least !== undefined) least = Math.max(least, at_least);
    if (at_most !== undefined) most = Math.min(most, at_most);
  }
  return least <= most;
}

/** Smaller than any difference of prices. */
const FRACTION = 1e-9;

/** Two weeks of winter and one of summer, without a holiday: every weekday, with and without rouge. */
const SAMPLE = [...datesBetween("2026-01-05", "2026-01-18"), ...datesBetween("2026-07-06", "2026-07-12")];
