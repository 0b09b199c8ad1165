import type { ConditionResult, DayResult, SimpleResult } from "./condition-types.ts";

/** The simple conditions that make the verdict what it is: the others could have another value without changing the verdict. */
export function decidingConditions(result: ConditionResult): SimpleResult[] {
  if (!("parts" in result)) return [result];
  const { condition, parts, truth } = result;
  if (condition.kind === "not") return parts.flatMap(decidingConditions);
  const agreeing = parts.filter((part) => part.truth === truth);
  const isOneEnough = condition.kind === "all" ? truth === false : truth === true;
  return (isOneEnough ? agreeing.slice(0, 1) : agreeing).flatMap(decidingConditions);
}

/** The first day of a range on which the test is passed, or could be. */
export function decidingDay({ condition, days, truth }: SimpleResult): DayResult | null {
  const isRange = condition.kind === "day" && condition.range !== null;
  if (!isRange) return days[0] ?? null;
  return days.find((day) => day.truth === truth && truth !== false) ?? null;
}
