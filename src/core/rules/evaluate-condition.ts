import type { ConditionKind, ConditionResult, EvaluationMoment, GroupResult } from "./condition-types.ts";
import { DAY } from "./day-condition.ts";
import { MQTT } from "./mqtt-condition.ts";
import { DAYS_REMAINING, LEFT, RATE, REMAINING } from "./number-conditions.ts";
import type { Condition, Group, SimpleCondition } from "./rule.ts";
import { RULE } from "./rule-condition.ts";
import { BETWEEN, MONTH, PERIOD, WEEKDAY } from "./time-conditions.ts";
import { allOf, anyOf, opposite } from "./truth.ts";

/** Each kind of simple condition, with its functions: a kind that is forgotten here does not compile. */
const CONDITION_KINDS: {
  [Kind in SimpleCondition["kind"]]: ConditionKind<Extract<SimpleCondition, { kind: Kind }>>;
} = {
  day: DAY,
  period: PERIOD,
  between: BETWEEN,
  weekday: WEEKDAY,
  month: MONTH,
  rate: RATE,
  days_remaining: DAYS_REMAINING,
  remaining: REMAINING,
  left: LEFT,
  rule: RULE,
  mqtt: MQTT,
};

export function kindOf(condition: SimpleCondition): ConditionKind {
  // The table pairs each kind with its own conditions; TypeScript does not follow that through the index.
  return CONDITION_KINDS[condition.kind] as ConditionKind;
}

/** What a condition gives at one moment, and why. */
export function evaluateCondition(condition: Condition, moment: EvaluationMoment): ConditionResult {
  switch (condition.kind) {
    case "all":
    case "any":
      return evaluateGroup(condition, moment);
    case "not": {
      const part = evaluateCondition(condition.part, moment);
      return { condition, truth: opposite(part.truth), by: part.by, parts: [part] };
    }
    default:
      return { condition, ...kindOf(condition).evaluate(condition, moment) };
  }
}

/** Every part is evaluated, also when one has decided: the reasons show them all. */
function evaluateGroup(condition: Group, moment: EvaluationMoment): GroupResult {
  const parts = condition.parts.map((part) => evaluateCondition(part, moment));
  const { truth, by } = condition.kind === "all" ? allOf(parts) : anyOf(parts);
  return { condition, truth, by, parts };
}
