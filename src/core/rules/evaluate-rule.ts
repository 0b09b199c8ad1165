import type { Instant } from "../calendar/tariff.ts";
import { type Boundary, boundariesAfter, sortedOnce } from "./condition-boundaries.ts";
import type { ConditionResult, RuleSpan, Seen } from "./condition-types.ts";
import { evaluateCondition } from "./evaluate-condition.ts";
import { type EvaluationInput, intervalAt } from "./evaluation-input.ts";
import type { Rule } from "./rule.ts";
import { seenAround } from "./seen.ts";
import { either, type Truth } from "./truth.ts";

/** What the conditions of a rule give from an instant on, widened by its lead and its lag. */
export interface RuleResult extends RuleSpan {
  /** What `state` is without `when_unknown`. */
  truth: Truth;
  /** The conditions that decide, with what they found at `decided_at`. */
  conditions: ConditionResult;
  decided_at: Instant;
  seen: () => Seen;
}

/** What a rule gives from one instant to before another: at the first, and at each at which that can change. */
export function evaluateRuleBetween(
  rule: Rule,
  input: EvaluationInput,
  threshold: number | null,
  from: Instant,
  to: Instant,
): RuleResult[] {
  if (from >= to) return [];
  const { lead, lag } = rule;
  const past = lag === 0 ? [] : evaluateConditions(rule, input, threshold, from - lag, from - 1, "last");
  const stretches = [...past, ...evaluateConditions(rule, input, threshold, from, to - 1 + lead, "first")];
  if (lead === 0 && lag === 0) return stretches.map((stretch) => widen(rule, [stretch], stretch.start));
  const starts = stretches.flatMap(({ start }) => [start - lead, start + lag]);
  const instants = sortedOnce([from, ...starts.filter((at) => at > from && at < to)]);
  return instants.map((at) => {
    const near = stretches.filter(({ start, end }) => end > at - lag && start <= at + lead);
    return widen(rule, near, at);
  });
}

/** A time in which the conditions give the same. */
interface Stretch {
  start: Instant;
  end: Instant;
  /** When they were evaluated: its first instant, or its last one. */
  at: Instant;
  conditions: ConditionResult;
}

/**
 * The conditions alone, without lead and lag, from the first instant to the last. `which`: the instant of each stretch at which they
 * are evaluated. By a lag it is the last one, which stays the same however often the rule is evaluated.
 */
function evaluateConditions(
  { when }: Rule,
  input: EvaluationInput,
  threshold: number | null,
  first: Instant,
  last: Instant,
  which: "first" | "last",
): Stretch[] {
  const boundaries: Boundary[] = [{ at: first, interval: intervalAt(input, first) }];
  for (const boundary of last > first ? boundariesAfter(when, input, first) : []) {
    if (boundary.at > last) break;
    boundaries.push(boundary);
  }
  return boundaries.map(({ at: start, interval: atStart }, index) => {
    const end = boundaries[index + 1]?.at ?? last + 1;
    const at = which === "first" ? start : end - 1;
    const interval = which === "first" ? atStart : intervalAt(input, at);
    const wallClock = interval.wallAtStart + (at - interval.start);
    const referred = (id: string) => spanAt(input.referred(id), at);
    const conditions = evaluateCondition(when, {
      view: input.viewIn(interval),
      wallClock,
      threshold,
      referred,
      values: input.values,
    });
    return { start, end, at, conditions };
  });
}

/** ON where the conditions are ON at any of these times; OFF where they are at all of them. */
function widen({ when_unknown }: Rule, stretches: readonly Stretch[], start: Instant): RuleResult {
  let truth: Truth = false;
  let certain: Truth = false;
  for (const { conditions } of stretches) {
    truth = either(truth, conditions.truth);
    certain = either(certain, conditions.certain);
  }
  // Take the condition in force now; else one of the lag; else one of the lead.
  const decides = ({ conditions }: Stretch) => conditions.truth === truth;
  const decisive =
    stretches.findLast((stretch) => stretch.start <= start && decides(stretch)) ?? stretches.find(decides);
  if (!decisive) throw new RangeError(`Expected conditions around ${start}, got none`);
  const { conditions, at: decided_at } = decisive;
  const state = truth === null && when_unknown !== null ? when_unknown === "on" : truth;
  const sure = truth !== null && truth === certain;
  const seen = () => seenAround(stretches, start);
  return { start, truth, state, sure, conditions, decided_at, seen };
}

function spanAt(spans: readonly RuleSpan[], at: Instant): RuleSpan {
  const span = spans.findLast(({ start }) => start <= at);
  if (!span) throw new RangeError(`Expected an instant from ${spans[0]?.start} on, got ${at}`);
  return span;
}
