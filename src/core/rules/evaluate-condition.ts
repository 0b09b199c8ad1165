import type { ConditionMoment } from "./condition-kind.ts";
import { kindOf } from "./condition-kinds.ts";
import type { ConditionResult, GroupResult } from "./condition-result.ts";
import type { Condition, Group } from "./rule.ts";
import { both, either, opposite, type Truth } from "./truth.ts";

/** What a condition gives at one moment, and why. */
export function evaluateCondition(condition: Condition, moment: ConditionMoment): ConditionResult {
  switch (condition.kind) {
    case "all":
    case "any":
      return evaluateGroup(condition, moment);
    case "not": {
      const part = evaluateCondition(condition.part, moment);
      const [truth, certain] = [opposite(part.truth), opposite(part.certain)];
      return { condition, truth, certain, parts: [part] };
    }
    default: {
      const { truth, certain, value, days } = kindOf(condition).evaluate(condition, moment);
      return { condition, truth, certain, value, days };
    }
  }
}

/** Every part is evaluated, also when one has decided: the reasons show them all. */
function evaluateGroup(condition: Group, moment: ConditionMoment): GroupResult {
  const join = condition.kind === "all" ? both : either;
  let truth: Truth = condition.kind === "all";
  let certain: Truth = truth;
  const parts: ConditionResult[] = [];
  for (const part of condition.parts) {
    const result = evaluateCondition(part, moment);
    truth = join(truth, result.truth);
    certain = join(certain, result.certain);
    parts.push(result);
  }
  return { condition, truth, certain, parts };
}
