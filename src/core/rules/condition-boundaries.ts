import { parseTimeOfDay } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { kindOf } from "./condition-kinds.ts";
import type { BoundaryKind, EvaluationInput, Interval } from "./evaluation-input.ts";
import { type Condition, simpleConditionsIn } from "./rule.ts";

export interface Boundary {
  at: Instant;
  /** The one that holds this instant. */
  interval: Interval;
}

/** The boundaries after an instant at which time alone can change a condition, in order. */
export function* boundariesAfter(
  condition: Condition,
  { intervals }: EvaluationInput,
  after: Instant,
): Generator<Boundary> {
  const needs = needsOf(condition, null);
  for (const interval of intervals) {
    if (interval.end <= after) continue;
    for (const at of boundariesIn(interval, needs)) if (at > after) yield { at, interval };
  }
}

interface BoundaryNeeds {
  kinds: ReadonlySet<BoundaryKind>;
  /** Milliseconds since midnight. */
  times: readonly number[];
}

const needsOf = memoize((condition: Condition, _: null): BoundaryNeeds => {
  const needs = simpleConditionsIn(condition).map((simple) => kindOf(simple).boundaries(simple));
  return {
    kinds: new Set<BoundaryKind>(["simulation", ...needs.flatMap(({ kinds }) => kinds)]),
    times: [...new Set(needs.flatMap(({ times }) => times))].map(parseTimeOfDay),
  };
});

/** Each instant once, in order. */
export function sortedOnce(instants: readonly Instant[]): Instant[] {
  return [...new Set(instants)].sort((one, other) => one - other);
}

function boundariesIn(
  { start, end, changes, wallAtStart }: Interval,
  { kinds, times }: BoundaryNeeds,
): Instant[] {
  const boundaries = changes.some((kind) => kinds.has(kind)) ? [start] : [];
  for (const time of times) {
    const at = start + time - wallAtStart;
    if (at >= start && at < end) boundaries.push(at);
  }
  return boundaries.length > 1 ? sortedOnce(boundaries) : boundaries;
}
