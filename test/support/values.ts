import { mqttConditionsIn, type Rule } from "../../src/core/rules/rule.ts";
import {
  type HeardValue,
  NO_READINGS,
  readingsFrom,
  readValues,
  type ValueReadings,
} from "../../src/core/rules/value-readings.ts";

/** What rules find at an instant where these payloads were heard just then, by topic. */
export function valuesOf(
  rules: readonly Rule[],
  at: string | number,
  payloads: Record<string, string | HeardValue> | null,
): ValueReadings {
  if (payloads === null) return NO_READINGS;
  const now = typeof at === "number" ? at : Date.parse(at);
  const heard = new Map(
    Object.entries(payloads).map(([topic, value]) => [
      topic,
      typeof value === "string" ? { payload: value, at: now } : value,
    ]),
  );
  const conditions = rules.flatMap(({ when }) => mqttConditionsIn(when));
  return readingsFrom(readValues(conditions, { heard, kept: {} }, now, new Map(), 0));
}
