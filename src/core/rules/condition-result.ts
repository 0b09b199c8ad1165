import type { RuleDay } from "./condition-facts.ts";
import type { Group, Negation, SimpleCondition } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** A condition with what it found: verdict and reasons are made together. */
export type ConditionResult = GroupResult | SimpleResult;

export interface GroupResult extends Outcome {
  condition: Group | Negation;
  parts: readonly ConditionResult[];
}

export interface SimpleResult extends Finding {
  condition: SimpleCondition;
}

/** What a simple condition gives, and what it compared. */
export interface Finding extends Outcome {
  /** The period, the weekday, the wall clock in milliseconds since midnight, or a number; null where that is not known. */
  value: string | number | null;
  /** Of a condition over days: each of them. */
  days: readonly DayResult[];
}

export interface DayResult extends RuleDay, Outcome {}

interface Outcome {
  truth: Truth;
  /** The same by official colours and the tariff's laws alone; null where a forecast decides. */
  certain: Truth;
}
