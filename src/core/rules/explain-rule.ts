import { isoInstant, localTime } from "../calendar/dates.ts";
import type { Instant } from "../calendar/tariff.ts";
import { type ConditionResult, daysIn } from "./condition-types.ts";
import { kindOf } from "./evaluate-condition.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import type { Future } from "./futures.ts";
import { describeCircumstances } from "./reasons.ts";
import { nameTruth, type Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict as `vigie explain` shows it. Plain data. */
export interface Explanation {
  id: string;
  /** true is ON, false OFF, null unknown. */
  state: Truth;
  sure: boolean;
  /** A value decides now. */
  by_value?: true;
  /** A forecast is among what decides now. */
  by_forecast?: true;
  /** From then on a forecast or a value decides, by which the state stays the same. */
  certain_until?: string;
  at: string;
  /** When the rule next becomes ON, or OFF, as far as the days are known. */
  next_on: string | null;
  next_off: string | null;
  /** A forecast or a value decides from that change on. */
  next_on_unsure?: true;
  next_off_unsure?: true;
  /** What decides beside the conditions: disabled, when_unknown, a hold, a lead, a lag. */
  notes: string[];
  tree: Branch;
}

export interface Branch {
  state: Truth;
  /** What the condition tests. */
  asks: string;
  /** What it found; null of `all`, `any` and `not`. */
  saw: string | null;
  parts: Branch[];
}

export function explainRule(
  verdict: Verdict,
  future: Future,
  now: Pick<EvaluationInput, "at" | "tariff">,
): Explanation {
  const { next_on, next_off, values_from, spans } = future;
  const [first, second] = spans;
  const isUnsure = (change: Instant | null) => spans.some(({ start, sure }) => start === change && !sure);
  const isCertainUntil = first?.sure && second?.state === first.state;
  return {
    id: verdict.rule.id,
    state: verdict.state,
    sure: verdict.sure,
    ...(values_from !== null && values_from <= now.at && { by_value: true as const }),
    ...(sawForecast(verdict.conditions) && { by_forecast: true as const }),
    ...(isCertainUntil && { certain_until: isoInstant(second.start) }),
    at: isoInstant(now.at),
    next_on: next_on === null ? null : isoInstant(next_on),
    next_off: next_off === null ? null : isoInstant(next_off),
    ...(isUnsure(next_on) && { next_on_unsure: true as const }),
    ...(isUnsure(next_off) && { next_off_unsure: true as const }),
    notes: [...describeCircumstances(verdict, now), ...describeValueHold(verdict, now)],
    tree: branchOf(
      verdict,
      verdict.conditions,
      localTime(verdict.decided_at, verdict.decided_at, now.tariff.time_zone),
    ),
  };
}

function sawForecast(result: ConditionResult): boolean {
  return daysIn(result).some(({ facts }) => facts.stage === "forecast");
}

/** Not published: it would be two more messages for each change. */
function describeValueHold(
  { hold, conditions }: Verdict,
  { at, tariff }: Pick<EvaluationInput, "at" | "tariff">,
): string[] {
  // If nothing is known of what decides, the circumstances say it.
  if (!hold?.isOfValue || hold.held?.conditions === null) return [];
  const until = `until ${localTime(hold.until, at, tariff.time_zone)} no value changes it (hold)`;
  return [hold.held ? `${until}: without that it would be ${nameTruth(conditions.truth)}` : until];
}

function branchOf(verdict: Verdict, result: ConditionResult, time: string): Branch {
  if ("parts" in result) {
    const { condition, truth, parts } = result;
    const asks = condition.kind === "not" ? "not" : `${condition.kind} of`;
    return { state: truth, asks, saw: null, parts: parts.map((part) => branchOf(verdict, part, time)) };
  }
  const { condition, truth } = result;
  const asks = kindOf(condition).describe(condition, verdict.threshold);
  const saw = result.describeForOwner?.(time) ?? result.describeFinding();
  return { state: truth, asks, saw, parts: [] };
}
