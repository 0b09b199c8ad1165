import { type ConditionKind, daysIn } from "./condition-types.ts";
import type { RuleCondition } from "./rule.ts";
import { nameTruth } from "./truth.ts";

export const RULE: ConditionKind<RuleCondition> = {
  evaluate: ({ rule }, { referred }) => {
    const { state, by, conditions, isDisabled, seen, date } = referred(rule);
    const describeFinding = () => `it is ${nameTruth(state)}${isDisabled ? ", disabled" : ""}`;
    const daysOfRule = () => (conditions && !isDisabled ? daysIn(conditions()) : []);
    return { truth: state, by, describeFinding, days: [], daysOfRule, seen, date };
  },
  // Those of the other rule are added to these (condition-boundaries.ts).
  boundaries: () => ({ kinds: [], times: [] }),
  describe: ({ rule }) => `rule ${rule} is ON`,
};
