import type { Tariff } from "../calendar/tariff.ts";
import { alternatives } from "./alternatives.ts";
import { leavesOf, partsOf } from "./condition-parts.ts";
import { isFeasible } from "./feasible.ts";
import type { Condition, DayCondition, Rule } from "./rule.ts";

/** What is allowed, but probably not what its owner means. */
export function lintRules(rules: readonly Rule[], tariff: Tariff): string[] {
  return rules.flatMap((rule, index) =>
    [
      ...warnOfConstants(rule, tariff),
      ...warnOfNegations(rule.when),
      ...warnOfMidnight(rule.when, tariff),
      ...warnOfThreshold(rule),
    ].map((words) => `rules[${index}] ${rule.id}: ${words}`),
  );
}

function warnOfConstants({ when }: Rule, tariff: Tariff): string[] {
  const can = (state: boolean) =>
    alternatives(when, state)?.some((demands) => isFeasible(demands, tariff)) ?? true;
  return [
    ...(can(true)
      ? []
      : ["can never be ON: its conditions exclude each other, or the tariff does not allow them"]),
    ...(can(false) ? [] : ["can never be OFF: its conditions leave no other case"]),
  ];
}

/** Rouge at 79 % would count as "not rouge". */
function warnOfNegations(condition: Condition): string[] {
  const doubtful = negated(condition).find(
    ({ confidence, official }) => confidence !== null || official !== null,
  );
  if (!doubtful) return [];
  const { confidence } = doubtful;
  const key = confidence === null ? "official" : confidence === "threshold" ? "threshold" : "confidence";
  return [
    `not over ${key}: a day that is only not ${key === "official" ? key : "sure enough"} counts as "not ${doubtful.color?.join(" or ") ?? doubtful.day}" too; leave ${key} out of what is negated`,
  ];
}

/** Days that are asked below a `not`. */
function negated(condition: Condition): DayCondition[] {
  if (condition.kind !== "not") return partsOf(condition).flatMap(negated);
  return leavesOf(condition).filter((leaf) => leaf.kind === "day");
}

/** `today` and `tomorrow` flip at 00:00, in the middle of the night. */
function warnOfMidnight(condition: Condition, tariff: Tariff): string[] {
  const night = joined(condition).find((group) => group.some(isCivil) && group.some(isNight));
  const day = night?.find(isCivil);
  if (!day) return [];
  const name = day.kind === "day" ? day.day : "";
  const instead = name === "today" ? "now (or next)" : name === "tomorrow" ? "next" : "now or next";
  return [
    `${name} together with the night: it flips at 00:00, in the middle of it, and not at ${tariff.day_starts_at}; ${instead} flips with the tariff day`,
  ];
}

/** What must hold at one time: for each "all" everything in it, however deep. */
function joined(condition: Condition): Condition[][] {
  const below = partsOf(condition).flatMap(joined);
  return condition.kind === "all" ? [leavesOf(condition), ...below] : below;
}

function isCivil(condition: Condition): boolean {
  return (
    condition.kind === "day" &&
    condition.range === null &&
    condition.day !== "now" &&
    condition.day !== "next"
  );
}

function isNight(condition: Condition): boolean {
  if (condition.kind === "between") return condition.from > condition.to;
  return condition.kind === "period" && condition.period === "hc";
}

function warnOfThreshold({ threshold, when }: Rule): string[] {
  const isUsed = leavesOf(when).some((leaf) => leaf.kind === "day" && leaf.confidence === "threshold");
  return threshold === null || isUsed
    ? []
    : ["has a threshold that no condition asks for (confidence: threshold)"];
}
