import type { ConditionResult, GroupResult, Moment } from "./condition-kind.ts";
import { kindOf } from "./condition-kinds.ts";
import type { Condition, Group } from "./rule.ts";
import { both, either, opposite, type Truth } from "./truth.ts";

/** What a condition gives at one moment, and why. */
export function evaluateCondition(condition: Condition, moment: Moment): ConditionResult {
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
function evaluateGroup(condition: Group, moment: Moment): GroupResult {
  const parts = condition.parts.map((part) => evaluateCondition(part, moment));
  const join = condition.kind === "all" ? both : either;
  let truth: Truth = condition.kind === "all";
  let certain: Truth = truth;
  for (const part of parts) {
    truth = join(truth, part.truth);
    certain = join(certain, part.certain);
  }
  return { condition, truth, certain, parts };
}
