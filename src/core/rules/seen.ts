import type { Color } from "../calendar/tariff.ts";
import type { DayFacts } from "../facts/facts.ts";
import type { DayCondition, Group, Negation, NumberCondition, TimeCondition } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** A condition with what it saw: verdict and reasons are made together. */
export type Seen = SeenGroup | SeenNegation | SeenDays | SeenValue;

interface Outcome {
  truth: Truth;
  /** The same by official colours and the laws alone; null where a forecast decides. */
  certain: Truth;
}

export interface SeenGroup extends Outcome {
  condition: Group;
  parts: readonly Seen[];
}

export interface SeenNegation extends Outcome {
  condition: Negation;
  parts: readonly [Seen];
}

export interface SeenDays extends Outcome {
  condition: DayCondition;
  /** Percent, as asked at this time; null where it is not asked. */
  confidence: number | null;
  days: readonly SeenDay[];
}

/** A date as a rule sees it. */
export interface Sight {
  facts: DayFacts;
  /** The colours that the tariff's laws allow. */
  possible: readonly Color[];
}

export interface SeenDay extends Sight {
  truth: Truth;
}

export interface SeenValue extends Outcome {
  condition: TimeCondition | NumberCondition;
  /** Of the wall clock: milliseconds since midnight. */
  value: string | number | null;
}
