import { rate } from "../facts/format-value.ts";
import type { ConditionFacts, Measure } from "./condition-facts.ts";
import type { ConditionKind } from "./condition-kind.ts";
import type { BoundaryKind } from "./evaluation-input.ts";
import type { Bounds, NumberCondition } from "./rule.ts";

type NumberConditionOf<K extends NumberCondition["kind"]> = Extract<NumberCondition, { kind: K }>;

export const RATE = numberKind<NumberConditionOf<"rate">>({
  measure: (facts) => facts.rate(),
  boundaries: ["tariff_day", "period"],
  name: () => "rate is",
  show: (value) => `${rate(value)} EUR/kWh`,
});

export const DAYS_REMAINING = numberKind<NumberConditionOf<"days_remaining">>({
  measure: (facts) => facts.season().days_remaining,
  boundaries: ["tariff_day"],
  name: () => "days remaining are",
  show: String,
});

export const REMAINING = numberKind<NumberConditionOf<"remaining">>({
  measure: (facts, { color }) => facts.season().remaining[color],
  boundaries: ["tariff_day"],
  name: ({ color }) => `${color} remaining is`,
  show: String,
});

export const LEFT = numberKind<NumberConditionOf<"left">>({
  measure: (facts, { color }) => facts.season().left[color],
  boundaries: ["tariff_day"],
  name: ({ color }) => `${color} left is`,
  show: String,
});

interface NumberKind<C extends NumberCondition> {
  measure: (facts: ConditionFacts, condition: C) => Measure;
  boundaries: BoundaryKind[];
  name: (condition: C) => string;
  show: (value: number) => string;
}

function numberKind<C extends NumberCondition>({
  measure,
  boundaries,
  name,
  show,
}: NumberKind<C>): ConditionKind<C> {
  return {
    evaluate: (condition, { facts }) => {
      const { value, certain } = measure(facts, condition);
      const truth = value === null ? null : isWithin(value, condition.bounds);
      return { truth, certain: certain ? truth : null, value, days: [] };
    },
    boundaries: () => ({ kinds: boundaries, times: [] }),
    possible: (condition) => (canBeWithin([condition.bounds], condition.kind) ? null : false),
    describe: (condition) => `${name(condition)} ${describeBounds(condition.bounds)}`,
    describeFinding: ({ value }) => (value === null ? "not known" : show(Number(value))),
  };
}

function isWithin(value: number, { above, below, at_most, at_least }: Bounds): boolean {
  return (
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (at_most === undefined || value <= at_most) &&
    (at_least === undefined || value >= at_least)
  );
}

/** Whether one number can be within all of these bounds. Days are whole numbers, a rate need not be. */
export function canBeWithin(bounds: readonly Bounds[], kind: NumberCondition["kind"]): boolean {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  const isWhole = kind !== "rate";
  for (const { above, below, at_most, at_least } of bounds) {
    if (above !== undefined) least = Math.max(least, isWhole ? Math.floor(above) + 1 : above + FRACTION);
    if (below !== undefined) most = Math.min(most, isWhole ? Math.ceil(below) - 1 : below - FRACTION);
    if (at_least !== undefined) least = Math.max(least, at_least);
    if (at_most !== undefined) most = Math.min(most, at_most);
  }
  return least <= most;
}

function describeBounds({ above, below, at_most, at_least }: Bounds): string {
  return [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(at_least === undefined ? [] : [`at least ${at_least}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
    ...(at_most === undefined ? [] : [`at most ${at_most}`]),
  ].join(" and ");
}

/** Smaller than any difference of prices. */
const FRACTION = 1e-9;
