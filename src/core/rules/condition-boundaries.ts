import { parseTimeOfDay } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { kindOf } from "./evaluate-condition.ts";
import type { EvaluationInput, Interval } from "./evaluation-input.ts";
import { type Condition, simpleConditionsIn } from "./rule.ts";

/** An instant at which time alone can change a condition, and the interval that holds it. */
export interface Boundary {
  at: Instant;
  interval: Interval;
}

/** The boundaries of a condition after an instant, in order. */
export function* boundariesAfter(
  condition: Condition,
  { intervals, referred }: EvaluationInput,
  after: Instant,
): Generator<Boundary> {
  const ofRules = boundariesOf(condition).rules.flatMap((id) => referred(id).map(({ start }) => start));
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

/** What changes a condition: kinds of boundaries, times of the wall clock in milliseconds since midnight, and other rules. */
const boundariesOf = memoize((condition: Condition) => {
  const each = simpleConditionsIn(condition).map((simple) => kindOf(simple).boundaries(simple));
  return {
    kinds: new Set(["simulation", ...each.flatMap(({ kinds }) => kinds)]),
    times: [...new Set(each.flatMap(({ times }) => times))].map(parseTimeOfDay),
    rules: [...new Set(each.flatMap(({ rules = [] }) => rules))],
  };
});
