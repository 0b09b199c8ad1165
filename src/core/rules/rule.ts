import type { Color, Period } from "../calendar/tariff.ts";
import { CIVIL_DAYS, type Stage } from "../facts/facts.ts";

/** What is asked of the days, as its owner wrote it. Plain data; lengths of time in milliseconds. */
export interface Rule {
  id: string;
  name: { fr: string; en: string };
  when: Condition;
  /** What an unknown verdict counts as; null leaves it unknown. */
  when_unknown: "on" | "off" | null;
  lead: number;
  lag: number;
  hold: number;
  /** Percent, movable; null where the rule declares none. */
  threshold: number | null;
}

export type Condition = Group | Negation | Leaf;

/** Asks something itself. */
export type Leaf = DayCondition | TimeCondition | NumberCondition;

export interface Group {
  kind: "all" | "any";
  parts: readonly Condition[];
}

export interface Negation {
  kind: "not";
  part: Condition;
}

/** Asks one day, or each of a range; what is null is not asked. */
export interface DayCondition {
  kind: "day";
  day: DayName | `next_${number}_days`;
  /** How many tariff days from `next` on; null for a single day. */
  range: number | null;
  /** How many days of the range must be so. */
  least: number;
  color: readonly Color[] | null;
  /** Percent. */
  confidence: number | "threshold" | null;
  official: boolean | null;
  stage: readonly Stage[] | null;
  known: boolean | null;
}

export type TimeCondition =
  | { kind: "period"; period: Period }
  | { kind: "between"; from: string; to: string }
  | { kind: "weekday"; days: readonly Weekday[] };

/** A number held against its bounds. */
export type NumberCondition = { bounds: Bounds } & (
  | { kind: "rate" }
  | { kind: "days_remaining" }
  | { kind: "remaining" | "left"; color: Color }
);

export interface Bounds {
  above?: number | undefined;
  below?: number | undefined;
  at_most?: number | undefined;
  at_least?: number | undefined;
}

export const DAY_NAMES = ["now", "next", ...CIVIL_DAYS] as const;
export type DayName = (typeof DAY_NAMES)[number];

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The longest range: `next_8_days`. */
export const LONGEST_RANGE = 8;

/** The longest `lead`, `lag` and `hold`: 24 hours. */
export const LONGEST_SHIFT = 24 * 3_600_000;
