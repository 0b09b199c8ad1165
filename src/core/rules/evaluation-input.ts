import {
  addDays,
  clockShifts,
  datesBetween,
  dayStart,
  millisecondsSinceMidnight,
  nextMidnight,
  tariffDate,
} from "../calendar/dates.ts";
import { periodSpans } from "../calendar/period.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import type { Simulation } from "../facts/facts.ts";
import { simulateView } from "../facts/simulation.ts";
import { type View, viewAt } from "../facts/view.ts";
import { type ConditionFacts, conditionFacts } from "./condition-facts.ts";
import { LONGEST_SHIFT } from "./rule.ts";

/** What rules are evaluated with: the known days, as they look at any instant from two days ago to the last known day. */
export interface EvaluationInput {
  at: Instant;
  knownDays: KnownDays;
  tariff: Tariff;
  simulation: Simulation | null;
  /** The end of the last tariff day of the horizon whose colour is known: forecasts of verdicts end here. */
  until: Instant;
  /** In order, without a gap. */
  intervals: readonly Interval[];
}

/** What changes at a boundary. */
export type BoundaryKind = "tariff_day" | "civil_day" | "period" | "clock_shift" | "simulation";

/** From one boundary to the next: the facts stay the same, and the wall clock runs without a jump. */
export interface Interval {
  start: Instant;
  end: Instant;
  /** What changes at its start. */
  changes: readonly BoundaryKind[];
  /** What the wall clock shows at its start, in milliseconds since midnight. */
  wallAtStart: number;
  facts: ConditionFacts;
}

export function createEvaluationInput(
  known: Pick<EvaluationInput, "at" | "knownDays" | "tariff" | "simulation">,
): EvaluationInput {
  const { at, knownDays, tariff, simulation } = known;
  const until = endOfKnownDays(simulateView(viewAt(knownDays, at, tariff), simulation));
  return { ...known, until, intervals: intervalsOf(known, until) };
}

/** The same instants with other known days. */
export function withKnownDays(input: EvaluationInput, knownDays: KnownDays): EvaluationInput {
  const { tariff, simulation } = input;
  const intervals = input.intervals.map(({ start, end, changes, wallAtStart }) =>
    createInterval({ start, end, changes, wallAtStart }, { knownDays, tariff, simulation }),
  );
  return { ...input, knownDays, intervals };
}

/** The interval in force at an instant. */
export function intervalAt({ intervals }: EvaluationInput, at: Instant): Interval {
  const interval = intervals.findLast(({ start }) => start <= at) ?? intervals[0];
  if (!interval) throw new RangeError(`Expected an interval for ${at}, got none`);
  return interval;
}

/** To the end of the last day whose colour is known, or at least of the day in force. */
function endOfKnownDays({ now, last, day, tariff }: View): Instant {
  const known = datesBetween(now, last).findLast((date) => day(date).color !== null);
  return dayStart(addDays(known ?? now, 1), tariff);
}

function intervalsOf(
  { at, knownDays, tariff, simulation }: Pick<EvaluationInput, "at" | "knownDays" | "tariff" | "simulation">,
  until: Instant,
): Interval[] {
  const from = at - LOOKING_BACK;
  const to = until + LONGEST_SHIFT;
  const boundaries = listBoundaries(from, to, tariff, simulation);
  const starts = [from, ...boundaries.keys()].toSorted((one, other) => one - other);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? to + 1;
    const changes = boundaries.get(start) ?? [];
    const wallAtStart = millisecondsSinceMidnight(start, tariff.time_zone);
    return createInterval({ start, end, changes, wallAtStart }, { knownDays, tariff, simulation });
  });
}

function createInterval(
  interval: Omit<Interval, "facts">,
  { knownDays, tariff, simulation }: Pick<EvaluationInput, "knownDays" | "tariff" | "simulation">,
): Interval {
  let facts: ConditionFacts | undefined;
  return {
    ...interval,
    // Derived when a rule first needs them: an evaluation looks at few intervals, a forecast at all.
    get facts() {
      facts ??= conditionFacts(simulateView(viewAt(knownDays, interval.start, tariff), simulation));
      return facts;
    },
  };
}

/** Every instant after one and up to another at which time alone changes a fact, or the wall clock jumps. */
function listBoundaries(
  from: Instant,
  to: Instant,
  tariff: Tariff,
  simulation: Simulation | null,
): Map<Instant, BoundaryKind[]> {
  const boundaries = new Map<Instant, BoundaryKind[]>();
  const add = (at: Instant, kind: BoundaryKind) => {
    if (at > from && at <= to) boundaries.set(at, [...(boundaries.get(at) ?? []), kind]);
  };
  for (const date of datesBetween(tariffDate(from, tariff), tariffDate(to, tariff))) {
    add(dayStart(date, tariff), "tariff_day");
    for (const { start } of periodSpans(date, tariff)) add(start, "period");
  }
  for (let at = nextMidnight(from, tariff.time_zone); at <= to; at = nextMidnight(at, tariff.time_zone))
    add(at, "civil_day");
  for (const at of clockShifts(from, to, tariff.time_zone)) add(at, "clock_shift");
  if (simulation) {
    add(simulation.begun, "simulation");
    add(simulation.until, "simulation");
  }
  return boundaries;
}

/** The start of a state is searched up to a day back, with a lag of up to a day before that. */
const LOOKING_BACK = 2 * LONGEST_SHIFT;
