import type { ConditionKind } from "./condition-kind.ts";
import { DAY } from "./day-condition.ts";
import { DAYS_REMAINING, LEFT, RATE, REMAINING } from "./number-conditions.ts";
import type { SimpleCondition } from "./rule.ts";
import { BETWEEN, PERIOD, WEEKDAY } from "./time-conditions.ts";

/** Each kind of simple condition, with all that has to be known of it: a kind that is forgotten here does not compile. */
const CONDITION_KINDS: {
  [Kind in SimpleCondition["kind"]]: ConditionKind<Extract<SimpleCondition, { kind: Kind }>>;
} = {
  day: DAY,
  period: PERIOD,
  between: BETWEEN,
  weekday: WEEKDAY,
  rate: RATE,
  days_remaining: DAYS_REMAINING,
  remaining: REMAINING,
  left: LEFT,
};

export function kindOf(condition: SimpleCondition): ConditionKind {
  // The table pairs each kind with its own conditions; TypeScript does not follow that through the index.
  return CONDITION_KINDS[condition.kind] as ConditionKind;
}
