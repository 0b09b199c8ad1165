import type { Color, Instant, IsoDate } from "../calendar/tariff.ts";
import type { DaysView } from "../facts/days-view.ts";
import type { DayFacts } from "../facts/facts.ts";
import type { Group, Negation, SimpleCondition } from "./rule.ts";
import type { Judged, Truth } from "./truth.ts";
import type { ValueReadings } from "./value-readings.ts";

/** The functions for one kind of condition; `CONDITION_KINDS` has one entry for each. */
export interface ConditionKind<C extends SimpleCondition = SimpleCondition> {
  evaluate: (condition: C, moment: EvaluationMoment) => Finding;
  /** When time alone can change what it gives. */
  boundaries: (condition: C) => Boundaries;
  /** What it tests, in words. */
  describe: (condition: C, threshold: number | null) => string;
}

export interface Boundaries {
  kinds: readonly BoundaryKind[];
  /** Times of the wall clock, `03:30`. */
  times: readonly string[];
}

export type BoundaryKind = "tariff_day" | "civil_day" | "period" | "clock_shift" | "simulation";

/** The instant at which conditions are evaluated. */
export interface EvaluationMoment {
  /** The days at the start of the interval that holds this instant: until its end they stay as they are. */
  view: DaysView;
  /** Milliseconds since midnight. */
  wallClock: number;
  /** The rule's threshold in force, percent. */
  threshold: number | null;
  /** What another rule is then, by its id. */
  referred: (id: string) => RuleSpan;
  /** The values of the house, the same at every instant: they are assumed to stay. */
  values: ValueReadings;
}

/** A time in which the conditions give the same. */
export interface Stretch extends Judged {
  start: Instant;
  end: Instant;
  /** What they find, which few ask for. */
  conditions: () => ConditionResult;
  failure: RuleSpan["failure"];
}

/** What a rule is from an instant to before another. */
export interface RuleSpan extends Judged {
  start: Instant;
  end: Instant;
  /** `truth` with `when_unknown`: true is ON, false OFF, null unknown. */
  state: Truth;
  isDisabled: boolean;
  /** An error of vigie itself, so nothing is known; null: none. */
  failure: { error: unknown } | null;
  /** The conditions that decide; null: only the verdict was kept of them. */
  conditions: (() => ConditionResult) | null;
  /** When these conditions hold: later by a lead, earlier by a lag. */
  decided: { start: Instant; end: Instant };
  /** What it saw if it is ON. */
  seen: () => Seen;
  /** The day that decides; null: none does. */
  date: () => IsoDate | null;
}

/** What a rule is over time, by what is known now: in order, without a gap. */
export type Timeline = readonly RuleSpan[];

/** What a rule saw that is ON. */
export interface Seen {
  /**
   * The day that decides: the latest date among the conditions on one day that make the rule ON, also those of rules that it refers
   * to; null if there is none. Ranges, `not`, rates and values name no day.
   */
  date: IsoDate | null;
  /** The instant that it saw; null: the present one. By a lead it is the first at which the conditions hold, by a lag the last. */
  at: Instant | null;
}

/** A condition with what it found: verdict and reasons are made together. */
export type ConditionResult = GroupResult | SimpleResult;

export interface GroupResult extends Judged {
  condition: Group | Negation;
  parts: readonly ConditionResult[];
}

export interface SimpleResult extends Finding {
  condition: SimpleCondition;
}

/** What a simple condition gives, and what it compared. */
export interface Finding extends Judged {
  /** What it found, in words. */
  describeFinding: () => string;
  /** The same with a value or the time, `06:00`, which are not published: the time would make a message of each look. */
  describeForOwner?: (time: string) => string;
  /** What a condition on a number compared; null if that is not known. */
  number?: number | null;
  /** If it is a condition on another rule: what that one saw, the day that decides it, and all days that its conditions look at. */
  seen?: () => Seen;
  date?: () => IsoDate | null;
  daysOfRule?: () => readonly DayResult[];
  /** The days that a condition looks at. */
  days: readonly DayResult[];
}

export interface DayResult extends RuleDay, Judged {}

/** One date, as a condition compares it. */
export interface RuleDay {
  facts: DayFacts;
  /** The colours that the tariff's laws allow on this date. */
  allowed: readonly Color[];
}

export function simpleResultsIn(result: ConditionResult): readonly SimpleResult[] {
  return "parts" in result ? result.parts.flatMap(simpleResultsIn) : [result];
}

/** The days that conditions look at, also through other rules. */
export function daysIn(result: ConditionResult): readonly DayResult[] {
  return simpleResultsIn(result).flatMap(({ days, daysOfRule }) => daysOfRule?.() ?? days);
}
