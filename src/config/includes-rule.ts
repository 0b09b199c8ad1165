import { isEqual } from "../core/days/is-equal.ts";
import type { Condition, Rule } from "../core/rules/rule.ts";

/**
 * Whether `wide` is never OFF while `narrow` is ON or unknown, unless a command disables it. Only what is sure and easily
 * told: `any: [A, B]` includes `A` and `all: [A, C]`.
 */
export function includesRule(wide: Rule, narrow: Rule): boolean {
  if (wide.id === narrow.id) return true;
  // A hold keeps `wide` OFF for a while; a threshold is another one in each rule.
  if (wide.hold > 0 || wide.when_unknown === "off" || narrow.threshold !== null) return false;
  // The verdict of `narrow` has its lead and lag in it.
  if (includesCondition(wide.when, { kind: "rule", rule: narrow.id })) return true;
  // A hold keeps `narrow` ON for a while; a lead or a lag makes it ON when its conditions are not.
  const isAsWide = narrow.hold === 0 && narrow.lead <= wide.lead && narrow.lag <= wide.lag;
  if (!isAsWide || narrow.when_unknown === "on") return false;
  const isUnmoved = narrow.lead === 0 && narrow.lag === 0;
  return (
    includesCondition(wide.when, narrow.when) ||
    (isUnmoved && includesCondition({ kind: "rule", rule: wide.id }, narrow.when))
  );
}

function includesCondition(wide: Condition, narrow: Condition): boolean {
  if (isEqual(wide, narrow)) return true;
  if (narrow.kind === "any") return narrow.parts.every((part) => includesCondition(wide, part));
  if (wide.kind === "all") return wide.parts.every((part) => includesCondition(part, narrow));
  return (
    (narrow.kind === "all" && narrow.parts.some((part) => includesCondition(wide, part))) ||
    (wide.kind === "any" && wide.parts.some((part) => includesCondition(part, narrow)))
  );
}
