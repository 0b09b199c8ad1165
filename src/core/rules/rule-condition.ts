import { type ConditionKind, daysIn } from "./condition-types.ts";
import type { RuleCondition } from "./rule.ts";
import { nameTruth } from "./truth.ts";

export const RULE: ConditionKind<RuleCondition> = {
  evaluate: ({ rule }, { referred }) => {
    const { state, sure, conditions, seen } = referred(rule);
    const describeFinding = () => `it is ${nameTruth(state)}${conditions ? "" : ", disabled"}`;
    return {
      truth: state,
      certain: sure ? state : null,
      describeFinding,
      days: conditions ? daysIn(conditions) : [],
      seen,
    };
  },
  boundaries: ({ rule }) => ({ kinds: [], times: [], rules: [rule] }),
  possible: ({ rule }, { referred }) => referred(rule).state,
  describe: ({ rule }) => `rule ${rule} is ON`,
};
