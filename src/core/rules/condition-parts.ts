import type { Condition, Leaf } from "./rule.ts";

/** What a condition joins; none where it asks something itself. */
export function partsOf(condition: Condition): readonly Condition[] {
  if ("parts" in condition) return condition.parts;
  return "part" in condition ? [condition.part] : [];
}

/** The conditions in it that ask something themselves, in order. */
export function leavesOf(condition: Condition): Leaf[] {
  if ("parts" in condition || "part" in condition) return partsOf(condition).flatMap(leavesOf);
  return [condition];
}
