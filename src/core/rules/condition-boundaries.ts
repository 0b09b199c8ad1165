import { parseTimeOfDay } from "../calendar/dates.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { kindOf } from "./condition-kinds.ts";
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
  { intervals }: EvaluationInput,
  after: Instant,
): Generator<Boundary> {
  const { kinds, times } = boundariesOf(condition, null);
  for (const interval of intervals) {
    const { start, end, changes, wallAtStart } = interval;
    if (end <= after) continue;
    const instants = changes.some((kind) => kinds.has(kind)) ? [start] : [];
    for (const time of times) {
      const at = start + time - wallAtStart;
      if (at >= start && at < end) instants.push(at);
    }
    for (const at of sortedOnce(instants)) if (at > after) yield { at, interval };
  }
}

/** What changes a condition: kinds of boundaries, and times of the wall clock in milliseconds since midnight. */
const boundariesOf = memoize((condition: Condition, _: null) => {
  const each = simpleConditionsIn(condition).map((simple) => kindOf(simple).boundaries(simple));
  return {
    kinds: new Set(["simulation", ...each.flatMap(({ kinds }) => kinds)]),
    times: each.flatMap(({ times }) => times).map(parseTimeOfDay),
  };
});

/** Each instant once, in order. */
export function sortedOnce(instants: readonly Instant[]): readonly Instant[] {
  return instants.length < 2 ? instants : [...new Set(instants)].sort((one, other) => one - other);
}
