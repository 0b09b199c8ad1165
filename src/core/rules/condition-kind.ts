import type { ConditionFacts } from "./condition-facts.ts";
import type { Finding, SimpleResult } from "./condition-result.ts";
import type { BoundaryKind } from "./evaluation-input.ts";
import type { SimpleCondition } from "./rule.ts";
import type { Truth } from "./truth.ts";

/** All that has to be known of one kind of condition; `CONDITION_KINDS` has one entry for each. */
export interface ConditionKind<C extends SimpleCondition = SimpleCondition> {
  evaluate: (condition: C, moment: ConditionMoment) => Finding;
  /** Where time alone can change what it gives. */
  boundaries: (condition: C) => ConditionBoundaries;
  /** Whatever becomes known of the days: true where it cannot be OFF, false where it cannot be ON, else null. */
  possible: (condition: C, moment: ConditionMoment) => Truth;
  /** What it tests, in words. */
  describe: (condition: C, threshold: number | null) => string;
  /** What it found, in words. */
  describeFinding: (result: SimpleResult & { condition: C }) => string;
}

/** The instant at which a condition is evaluated. */
export interface ConditionMoment {
  facts: ConditionFacts;
  /** Milliseconds since midnight. */
  wallClock: number;
  /** The rule's threshold in force, percent. */
  threshold: number | null;
}

export interface ConditionBoundaries {
  kinds: readonly BoundaryKind[];
  /** Times of the wall clock, `03:30`. */
  times: readonly string[];
}
