import {
  addDays,
  clockShifts,
  datesBetween,
  dayStart,
  millisecondsSinceMidnight,
  nextMidnight,
  tariffDate,
} from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import { periodSpans } from "../calendar/period.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import { type DaysView, daysAt } from "../facts/days-view.ts";
import type { Simulation } from "../facts/facts.ts";
import { simulateView } from "../facts/simulation.ts";
import type { BoundaryKind, RuleSpan } from "./condition-types.ts";
import { LONGEST_SHIFT } from "./rule.ts";
import type { ValueReadings } from "./value-readings.ts";

/** What vigie knows at an instant. */
interface Known {
  at: Instant;
  knownDays: KnownDays;
  tariff: Tariff;
  simulation: Simulation | null;
  values: ValueReadings;
}

/** What rules are evaluated with: the known days, as they look at any instant from two days ago to the last known day. */
export interface EvaluationInput extends Known {
  /** The end of the last tariff day of the horizon whose colour is known: forecasts of verdicts end here. */
  until: Instant;
  /** In order, without a gap. */
  intervals: readonly Interval[];
  viewIn: (interval: Interval) => DaysView;
  /** What a rule that others refer to is over these instants, by its id; in order, without a gap. */
  referred: (id: string) => readonly RuleSpan[];
}

/** From one boundary to the next: the facts stay the same, and the wall clock runs without a jump. */
export interface Interval {
  start: Instant;
  end: Instant;
  /** What changes at its start. */
  changes: readonly BoundaryKind[];
  /** What the wall clock shows at its start, in milliseconds since midnight. */
  wallAtStart: number;
}

export function createEvaluationInput(known: Known): EvaluationInput {
  const until = endOfKnownDays(known);
  const intervals = listIntervals(known, until);
  return { ...known, until, intervals, viewIn: viewByInterval(known), referred: noRule };
}

/** The same instants with other known days. */
export function withKnownDays(input: EvaluationInput, knownDays: KnownDays): EvaluationInput {
  return { ...input, knownDays, viewIn: viewByInterval({ ...input, knownDays }) };
}

/** The same days with other values. */
export function withValues(input: EvaluationInput, values: ValueReadings): EvaluationInput {
  return values === input.values ? input : { ...input, values };
}

/** The rules are added by a chain (chain.ts). */
function noRule(id: string): never {
  throw new RangeError(`Expected a rule with the id ${id}, got none`);
}

/** The interval in force at an instant. */
export function intervalAt({ intervals }: EvaluationInput, at: Instant): Interval {
  const interval = intervals.findLast(({ start }) => start <= at);
  if (!interval) throw new RangeError(`Expected an instant from ${intervals[0]?.start} on, got ${at}`);
  return interval;
}

/** One view for all rules, made when one of them first needs it: an evaluation looks at few intervals, a forecast at all. */
function viewByInterval({ knownDays, tariff, simulation }: Known): EvaluationInput["viewIn"] {
  return memoize(({ start }: Interval) => simulateView(daysAt(knownDays, start, tariff), simulation));
}

/** To the end of the last day whose colour is known, or at least of the day in force. */
function endOfKnownDays({ at, knownDays, tariff, simulation }: Known): Instant {
  const { now, last, day } = simulateView(daysAt(knownDays, at, tariff), simulation);
  const known = datesBetween(now, last).findLast((date) => day(date).color !== null);
  return dayStart(addDays(known ?? now, 1), tariff);
}

/** Divided at every instant at which time alone changes a fact, or the wall clock jumps. */
function listIntervals({ at, tariff, simulation }: Known, until: Instant): Interval[] {
  const [from, to, zone] = [at - LOOKING_BACK, until + LONGEST_SHIFT, tariff.time_zone];
  const boundaries = new Map<Instant, BoundaryKind[]>([[from, []]]);
  const add = (boundary: Instant, kind: BoundaryKind) => {
    if (boundary > from && boundary <= to)
      boundaries.set(boundary, [...(boundaries.get(boundary) ?? []), kind]);
  };
  for (const date of datesBetween(tariffDate(from, tariff), tariffDate(to, tariff))) {
    add(dayStart(date, tariff), "tariff_day");
    for (const { start } of periodSpans(date, tariff)) add(start, "period");
  }
  for (let midnight = nextMidnight(from, zone); midnight <= to; midnight = nextMidnight(midnight, zone))
    add(midnight, "civil_day");
  for (const shift of clockShifts(from, to, zone)) add(shift, "clock_shift");
  for (const change of simulation ? [simulation.begun, simulation.until] : []) add(change, "simulation");

  const ordered = [...boundaries].sort(([one], [other]) => one - other);
  return ordered.map(([start, changes], index) => {
    const end = ordered[index + 1]?.[0] ?? to + 1;
    return { start, end, changes, wallAtStart: millisecondsSinceMidnight(start, zone) };
  });
}

/** The start of a state is searched up to a day back, with a lag of up to a day before that. */
export const LOOKING_BACK = 2 * LONGEST_SHIFT;
