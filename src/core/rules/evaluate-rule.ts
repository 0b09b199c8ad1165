import type { Instant } from "../calendar/tariff.ts";
import { type Boundary, boundariesAfter, sortedOnce } from "./condition-boundaries.ts";
import type { ConditionResult } from "./condition-result.ts";
import { evaluateCondition } from "./evaluate-condition.ts";
import { type EvaluationInput, intervalAt } from "./evaluation-input.ts";
import type { Rule } from "./rule.ts";
import { either, type Truth } from "./truth.ts";

/** What the conditions of a rule give, widened by its lead and its lag. */
interface WidenedResult {
  truth: Truth;
  certain: Truth;
}

/** What a rule gives at an instant, with the conditions that decide it. */
export function evaluateRuleAt(
  rule: Rule,
  input: EvaluationInput,
  threshold: number | null,
  at: Instant,
): WidenedResult & { result: ConditionResult; decided_at: Instant } {
  const { lead, lag } = rule;
  const past = lag === 0 ? [] : evaluateStretches(rule, input, threshold, at - lag, at - 1);
  const stretches = [...past, ...evaluateStretches(rule, input, threshold, at, at + lead)];
  const { truth, certain } = widen(stretches);
  // The present decides before the past, and the past before what is ahead.
  const deciding = stretches.filter((stretch) => stretch.truth === truth);
  const decisive = deciding.findLast(({ start }) => start <= at) ?? deciding[0];
  if (!decisive) throw new RangeError(`Expected conditions around ${at}, got none`);
  return { truth, certain, result: decisive.result, decided_at: decisive.start };
}

/** What a rule gives from one instant to before another: at the first, and at each at which that can change. */
export function evaluateRuleBetween(
  rule: Rule,
  input: EvaluationInput,
  threshold: number | null,
  from: Instant,
  to: Instant,
): (WidenedResult & { start: Instant })[] {
  const { lead, lag } = rule;
  const stretches = evaluateStretches(rule, input, threshold, from - lag, to - 1 + lead);
  if (lead === 0 && lag === 0) return stretches;
  const starts = stretches.flatMap(({ start }) => [start - lead, start + lag]);
  const instants = sortedOnce([from, ...starts.filter((at) => at > from && at < to)]);
  return instants.map((at) => {
    const seen = stretches.filter(({ start, end }) => end > at - lag && start <= at + lead);
    return { start: at, ...widen(seen) };
  });
}

/** A time in which the conditions alone, without lead and lag, give the same. */
interface Stretch extends WidenedResult {
  start: Instant;
  end: Instant;
  result: ConditionResult;
}

function evaluateStretches(
  { when }: Rule,
  input: EvaluationInput,
  threshold: number | null,
  first: Instant,
  last: Instant,
): Stretch[] {
  const stretches: Stretch[] = [];
  const add = ({ at, interval }: Boundary) => {
    const { facts, start, wallAtStart } = interval;
    const result = evaluateCondition(when, { facts, wallClock: wallAtStart + (at - start), threshold });
    const { truth, certain } = result;
    const before = stretches.at(-1);
    if (before) before.end = at;
    stretches.push({ start: at, end: Number.POSITIVE_INFINITY, truth, certain, result });
  };
  add({ at: first, interval: intervalAt(input, first) });
  if (last === first) return stretches;
  for (const boundary of boundariesAfter(when, input, first)) {
    if (boundary.at > last) break;
    add(boundary);
  }
  return stretches;
}

/** ON where one of these is ON; OFF where all are OFF. */
function widen(stretches: readonly WidenedResult[]): WidenedResult {
  let truth: Truth = false;
  let certain: Truth = false;
  for (const stretch of stretches) {
    truth = either(truth, stretch.truth);
    certain = either(certain, stretch.certain);
  }
  return { truth, certain };
}
