import { parseTimeOfDay } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import type { Timeline } from "./condition-types.ts";
import { kindOf } from "./evaluate-condition.ts";
import type { Interval } from "./evaluation-input.ts";
import { type Condition, rulesReferredTo, simpleConditionsIn } from "./rule.ts";

/** An instant at which time alone can change a condition, and the interval that holds it. */
export interface Boundary {
  at: Instant;
  interval: Interval;
}

/** The boundaries of a condition after an instant, in order. */
export function* boundariesAfter(
  condition: Condition,
  intervals: readonly Interval[],
  referred: (id: string) => Timeline,
  after: Instant,
): Generator<Boundary> {
  const ofRules = rulesReferredTo(condition).flatMap((id) => referred(id).map(({ start }) => start));
  for (const interval of intervals) {
    if (interval.end <= after) continue;
    for (const at of boundariesIn(interval, condition, ofRules)) if (at > after) yield { at, interval };
  }
}

function boundariesIn(
  { start, end, changes, wallAtStart }: Interval,
  condition: Condition,
  ofRules: readonly Instant[],
): readonly Instant[] {
  const { kinds, times } = boundariesOf(condition);
  const boundaries = changes.some((kind) => kinds.has(kind)) ? [start] : [];
  for (const time of times) {
    const at = start + time - wallAtStart;
    if (at >= start && at < end) boundaries.push(at);
  }
  for (const at of ofRules) if (at >= start && at < end) boundaries.push(at);
  return sortedOnce(boundaries);
}

/** Each instant once, in order. */
export function sortedOnce(instants: readonly Instant[]): readonly Instant[] {
  return instants.length < 2 ? instants : [...new Set(instants)].sort((one, other) => one - other);
}

/** What changes a condition: kinds of boundaries, and times of the wall clock in milliseconds since midnight. */
const boundariesOf = memoize((condition: Condition) => {
  const each = simpleConditionsIn(condition).map((simple) => kindOf(simple).boundaries(simple));
  return {
    kinds: new Set(["simulation", ...each.flatMap(({ kinds }) => kinds)]),
    times: [...new Set(each.flatMap(({ times }) => times))].map(parseTimeOfDay),
  };
});
