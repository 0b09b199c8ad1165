import { chainOf, partsOf, type RuleText } from "./house.ts";

/** The rules that no value of the house decides, neither by themselves nor by rules to which they refer. */
export function rulesWithoutValues(rules: readonly RuleText[]): RuleText[] {
  return rules.filter((rule) => !usesValues(rule, rules));
}

export function usesValues(rule: RuleText, rules: readonly RuleText[]): boolean {
  return chainOf(rule, rules).some(({ when }) => partsOf(when).some(({ mqtt }) => mqtt !== undefined));
}
