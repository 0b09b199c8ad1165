import type { Condition, Rule } from "../../../src/core/rules/rule.ts";

/** The rules that no value of the house decides, neither by themselves nor by rules to which they refer. */
export function rulesWithoutValues(rules: readonly Rule[]): Rule[] {
  const dependsOnValue = (condition: Condition): boolean => {
    switch (condition.kind) {
      case "mqtt":
        return true;
      case "rule": {
        const other = rules.find(({ id }) => id === condition.rule);
        return other !== undefined && dependsOnValue(other.when);
      }
      case "not":
        return dependsOnValue(condition.part);
      case "all":
      case "any":
        return condition.parts.some(dependsOnValue);
      default:
        return false;
    }
  };
  return rules.filter(({ when }) => !dependsOnValue(when));
}
