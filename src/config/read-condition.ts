import { COLORS } from "../core/calendar/tariff.ts";
import type { Condition, DayCondition } from "../core/rules/rule.ts";
import { rangeLength } from "./condition-conflicts.ts";
import type { GivenCondition, OneOrMore } from "./condition-options.ts";

/** Keys in one object are joined by "and". */
export function readCondition(given: GivenCondition): Condition {
  const parts = [...readDay(given), ...readTime(given), ...readNumbers(given), ...readGroups(given)];
  const [only, ...more] = parts;
  return only && more.length === 0 ? only : { kind: "all", parts };
}

function readGroups({ all, any, not }: GivenCondition): Condition[] {
  return [
    ...(all ? [{ kind: "all" as const, parts: all.map(readCondition) }] : []),
    ...(any ? [{ kind: "any" as const, parts: any.map(readCondition) }] : []),
    ...(not ? [{ kind: "not" as const, part: readCondition(not) }] : []),
  ];
}

function readDay(given: GivenCondition): DayCondition[] {
  if (given.day === undefined) return [];
  const range = rangeLength(given.day) ?? null;
  const { color, stage } = given;
  return [
    {
      kind: "day",
      day: given.day as DayCondition["day"],
      range,
      least: given.every ? (range ?? 1) : (given.at_least ?? 1),
      color: color === undefined ? null : listOf(color),
      confidence: given.confidence ?? null,
      official: given.official ?? null,
      stage: stage === undefined ? null : listOf(stage),
      known: given.known ?? null,
    },
  ];
}

function readTime({ period, between, weekday }: GivenCondition): Condition[] {
  return [
    ...(period ? [{ kind: "period" as const, period }] : []),
    ...(between ? [{ kind: "between" as const, from: between[0], to: between[1] }] : []),
    ...(weekday === undefined ? [] : [{ kind: "weekday" as const, days: listOf(weekday) }]),
  ];
}

function readNumbers({ rate, days_remaining, remaining, left }: GivenCondition): Condition[] {
  return [
    ...(rate ? [{ kind: "rate" as const, bounds: rate }] : []),
    ...(days_remaining ? [{ kind: "days_remaining" as const, bounds: days_remaining }] : []),
    ...byColor("remaining", remaining),
    ...byColor("left", left),
  ];
}

function byColor(kind: "remaining" | "left", given: GivenCondition["left"]): Condition[] {
  return COLORS.flatMap((color) => {
    const bounds = given?.[color];
    return bounds ? [{ kind, color, bounds }] : [];
  });
}

function listOf<T>(given: OneOrMore<T>): T[] {
  return Array.isArray(given) ? given : [given];
}
