import type { Language } from "../calendar/day-in-words.ts";
import { memoize, memoizeByObject } from "../calendar/memoize.ts";
import type { Color, Month, Period, Weekday } from "../calendar/tariff.ts";
import { CIVIL_DAYS, type Stage } from "../facts/facts.ts";

/** A rule of the configuration. Plain data; durations in milliseconds. */
export interface Rule {
  id: string;
  name: Record<Language, string>;
  when: Condition;
  /** What an unknown verdict counts as; null leaves it unknown. */
  when_unknown: "on" | "off" | null;
  lead: number;
  lag: number;
  hold: number;
  /** Percent, can be moved while vigie runs; null if the rule declares none. */
  threshold: number | null;
}

export type Condition = Group | Negation | SimpleCondition;

/** An empty group cannot be built: an empty `all` would always be ON. */
export type Group = { kind: "all"; parts: NonEmpty<Condition> } | { kind: "any"; parts: NonEmpty<Condition> };

export type NonEmpty<T> = readonly [T, ...T[]];

export interface Negation {
  kind: "not";
  part: Condition;
}

/** A condition that has no other conditions in it. A new kind needs an entry in `CONDITION_KINDS` (evaluate-condition.ts). */
export type SimpleCondition =
  | DayCondition
  | PeriodCondition
  | BetweenCondition
  | WeekdayCondition
  | MonthCondition
  | NumberCondition
  | MqttCondition
  | RuleCondition;

/** Tests one day, or each day of a range; what is null is not tested. */
export interface DayCondition {
  kind: "day";
  day: DayName | `next_${number}_days`;
  /** How many tariff days from `next` on; null for a single day. */
  range: number | null;
  /** On how many days of the range the test must be passed. */
  least: number;
  color: readonly Color[] | null;
  /** Percent. */
  confidence: number | "threshold" | null;
  official: boolean | null;
  stage: readonly Stage[] | null;
  known: boolean | null;
}

export interface PeriodCondition {
  kind: "period";
  period: Period;
}

/** Two times of the wall clock, `03:30`; the first belongs to the window, the second does not. */
export interface BetweenCondition {
  kind: "between";
  from: string;
  to: string;
}

export interface WeekdayCondition {
  kind: "weekday";
  days: readonly Weekday[];
}

export interface MonthCondition {
  kind: "month";
  months: readonly Month[];
}

/** The verdict of another rule, as it is published. */
export interface RuleCondition {
  kind: "rule";
  /** Its id. */
  rule: string;
}

/** Compares a number with bounds. */
export type NumberCondition =
  | { kind: "rate"; bounds: Bounds }
  | { kind: "days_remaining"; bounds: Bounds }
  | { kind: "remaining"; color: Color; bounds: Bounds }
  | { kind: "left"; color: Color; bounds: Bounds };

/** Tests a value: the payload of a topic that another program in the house publishes, or a part of it. */
export interface MqttCondition {
  kind: "mqtt";
  topic: string;
  /** Keys and indexes into its JSON; null: the payload itself is tested. */
  path: readonly string[] | null;
  test: { kind: "bounds"; bounds: Bounds } | { kind: "equals"; values: NonEmpty<string | number | boolean> };
  /** Milliseconds after which a value is too old to be relied on; null: never. */
  max_age: number | null;
}

export interface Bounds {
  above?: number | undefined;
  below?: number | undefined;
  at_most?: number | undefined;
  at_least?: number | undefined;
}

export const DAY_NAMES = ["now", "next", ...CIVIL_DAYS] as const;
type DayName = (typeof DAY_NAMES)[number];

/** The longest range: `next_8_days`. */
export const LONGEST_RANGE = 8;

/** The longest `lead`, `lag` and `hold`, and the longest sum of leads and lags along a chain of rules: 24 hours. */
export const LONGEST_SHIFT = 24 * 3_600_000;

/** The conditions directly in a group or a negation; none in a simple condition. */
export function partsOf(condition: Condition): readonly Condition[] {
  if ("parts" in condition) return condition.parts;
  return "part" in condition ? [condition.part] : [];
}

/** All simple conditions in a condition, in order. */
export const simpleConditionsIn = memoizeByObject((condition: Condition): readonly SimpleCondition[] => {
  if ("parts" in condition || "part" in condition) return partsOf(condition).flatMap(simpleConditionsIn);
  return [condition];
});

/** The ids of the rules that a condition refers to, each once. */
export const rulesReferredTo = memoize((condition: Condition): readonly string[] => {
  const simple = simpleConditionsIn(condition);
  return [...new Set(simple.flatMap((one) => (one.kind === "rule" ? [one.rule] : [])))];
});

/** Each rule after those that it refers to. The configuration has no circle of rules. */
export function inOrderOfReference(rules: readonly Rule[]): Rule[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const ordered = new Set<Rule>();
  const add = (rule: Rule) => {
    if (ordered.has(rule)) return;
    for (const id of rulesReferredTo(rule.when)) {
      const referred = byId.get(id);
      if (referred) add(referred);
    }
    ordered.add(rule);
  };
  for (const rule of rules) add(rule);
  return [...ordered];
}

/** All tests of values in a condition. */
export const mqttConditionsIn = memoize((condition: Condition): readonly MqttCondition[] => {
  return simpleConditionsIn(condition).filter((simple) => simple.kind === "mqtt");
});

/** The topics that rules look at, each once. */
export function topicsOfRules(rules: readonly Rule[]): string[] {
  return [...new Set(rules.flatMap(({ when }) => mqttConditionsIn(when).map(({ topic }) => topic)))];
}

/** The rules with these ids, and those that they refer to. */
export function rulesInChain(ids: readonly string[], byId: ReadonlyMap<string, Rule>): Rule[] {
  const found = new Set<Rule>();
  const add = (some: readonly string[]) => {
    for (const id of some) {
      const rule = byId.get(id);
      if (!rule || found.has(rule)) continue;
      found.add(rule);
      add(rulesReferredTo(rule.when));
    }
  };
  add(ids);
  return [...found];
}
