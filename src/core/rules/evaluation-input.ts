import {
  addDays,
  civilDate,
  clockShifts,
  datesBetween,
  dayStart,
  millisecondsSinceMidnight,
  nextMidnight,
  tariffDate,
} from "../calendar/dates.ts";
import { memoize, memoizeByObject } from "../calendar/memoize.ts";
import { periodSpans } from "../calendar/period.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import { type DaysView, daysAt } from "../facts/days-view.ts";
import type { Simulation } from "../facts/facts.ts";
import { runningSimulation, simulateView } from "../facts/simulation.ts";
import type { BoundaryKind, Timeline } from "./condition-types.ts";
import { LONGEST_SHIFT, type Rule } from "./rule.ts";
import type { Switches } from "./rule-settings.ts";
import type { ValueReadings } from "./value-readings.ts";

/** What rules are evaluated with: the known days, as they look at any instant around now, and the values of the house. */
export interface EvaluationInput extends Frame {
  at: Instant;
  values: ValueReadings;
}

/** What stays the same from one look to the next: until other days are known, a day begins, or a colour is pretended. */
interface Frame extends FrameOf {
  /** The verdicts of rules are asked for from this instant on, which is not after now. */
  from: Instant;
  /** The end of the last tariff day of the horizon whose colour is known: plans end here. */
  until: Instant;
  /** In order, without a gap; a lag and a lead further than from `from` to `until`. */
  intervals: readonly Interval[];
  viewIn: (interval: Interval) => DaysView;
  /** The timelines that were found last, of rules that look at no value. */
  timelines: WeakMap<Rule, KeptTimeline>;
}

interface FrameOf {
  knownDays: KnownDays;
  tariff: Tariff;
  simulation: Simulation | null;
}

/** A timeline, and what it was made of beside the frame. */
interface KeptTimeline {
  spans: Timeline;
  threshold: number | null;
  switches: Switches;
  /** Those of the rules that it refers to. */
  referred: readonly Timeline[];
  reach: Reach;
}

/** How far other rules look back and ahead at one, by their lags and leads. */
export interface Reach {
  back: number;
  ahead: number;
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

/** `last`: the instant of the evaluation before. Since then, within a day, time may have changed a verdict. */
export function createEvaluationInput(
  { at, values, ...of }: FrameOf & { at: Instant; values: ValueReadings },
  last: Instant | null = null,
): EvaluationInput {
  const from = Math.min(at, Math.max(last ?? at, at - LONGEST_SHIFT));
  return { ...frameAt(of, from, at), at, values };
}

/** The interval in force at an instant. */
export function intervalAt({ intervals }: Pick<EvaluationInput, "intervals">, at: Instant): Interval {
  const interval = intervals.findLast(({ start }) => start <= at);
  if (!interval) throw new RangeError(`Expected an instant from ${intervals[0]?.start} on, got ${at}`);
  return interval;
}

function frameAt(of: FrameOf, from: Instant, at: Instant): Frame {
  const { knownDays, tariff, simulation } = of;
  const kept = framesOf(knownDays);
  const days = dayNames(of, at);
  const isOf = (one: KeptFrame) =>
    one.days === days && one.tariff === tariff && one.simulation === simulation;
  const found = kept.find((one) => isOf(one) && one.from <= from && from - one.from <= LONGEST_SHIFT);
  if (found) return found;
  const until = endOfKnownDays(of, at);
  const intervals = listIntervals(tariff, simulation, from - LONGEST_SHIFT, until + LONGEST_SHIFT);
  const frame = { ...of, days, from, until, intervals, viewIn: viewByInterval(of), timelines: new WeakMap() };
  kept.unshift(frame);
  kept.splice(MOST_KEPT);
  return frame;
}

interface KeptFrame extends Frame {
  days: string;
}

const framesOf = memoizeByObject((_days: KnownDays): KeptFrame[] => []);

/** The horizon begins with these days. */
function dayNames({ tariff, simulation }: FrameOf, at: Instant): string {
  const dates: IsoDate[] = [tariffDate(at, tariff), civilDate(at, tariff.time_zone)];
  return `${dates.join(" ")} ${runningSimulation(simulation, at) !== null}`;
}

/** One view for all rules, made when one of them first needs it. */
function viewByInterval({ knownDays, tariff, simulation }: FrameOf): Frame["viewIn"] {
  return memoize(({ start }: Interval) => simulateView(daysAt(knownDays, start, tariff), simulation));
}

/** To the end of the last day whose colour is known, or at least of the day in force. */
function endOfKnownDays({ knownDays, tariff, simulation }: FrameOf, at: Instant): Instant {
  const { now, last, day } = simulateView(daysAt(knownDays, at, tariff), simulation);
  const known = datesBetween(now, last).findLast((date) => day(date).color !== null);
  return dayStart(addDays(known ?? now, 1), tariff);
}

/** Divided at every instant at which time alone changes a fact, or the wall clock jumps. */
function listIntervals(
  tariff: Tariff,
  simulation: Simulation | null,
  from: Instant,
  to: Instant,
): Interval[] {
  const zone = tariff.time_zone;
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

/** With a colour that is pretended, and without it. */
const MOST_KEPT = 2;
