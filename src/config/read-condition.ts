import { COLORS, type Color } from "../core/calendar/tariff.ts";
import type { Bounds, Condition, DayCondition, MqttCondition, NonEmpty } from "../core/rules/rule.ts";
import { type GivenCondition, rangeLength } from "./condition-options.ts";
import { listOf, milliseconds, monthOf } from "./value-schemas.ts";

/** Keys in one object are joined by "and". */
export function readCondition(given: GivenCondition): Condition {
  const kinds = Object.keys(READERS) as Condition["kind"][];
  const parts = nonEmpty(kinds.flatMap((kind) => readKind(kind, given)));
  return parts.length === 1 ? parts[0] : { kind: "all", parts };
}

type Given<Key extends keyof GivenCondition> = NonNullable<GivenCondition[Key]>;

/** How each kind of condition is read, in the order in which reasons name them: a kind that is forgotten does not compile. */
const READERS: {
  [Kind in Condition["kind"]]: (
    value: Given<Kind>,
    given: GivenCondition,
  ) => NonEmpty<Extract<Condition, { kind: Kind }>>;
} = {
  day: (day, given) => [readDay(day, given)],
  period: (period) => [{ kind: "period", period }],
  between: ([from, to]) => [{ kind: "between", from, to }],
  weekday: (days) => [{ kind: "weekday", days: listOf(days) }],
  month: (months) => [{ kind: "month", months: listOf(months).map(monthOf) }],
  rate: (bounds) => [{ kind: "rate", bounds }],
  days_remaining: (bounds) => [{ kind: "days_remaining", bounds }],
  remaining: (counts) => byColor(counts, (color, bounds) => ({ kind: "remaining", color, bounds })),
  left: (counts) => byColor(counts, (color, bounds) => ({ kind: "left", color, bounds })),
  rule: (id) => [{ kind: "rule", rule: id }],
  mqtt: (test) => [readMqtt(test)],
  all: (parts) => [{ kind: "all", parts: nonEmpty(parts.map(readCondition)) }],
  any: (parts) => [{ kind: "any", parts: nonEmpty(parts.map(readCondition)) }],
  not: (part) => [{ kind: "not", part: readCondition(part) }],
};

function readKind<Kind extends Condition["kind"]>(kind: Kind, given: GivenCondition): readonly Condition[] {
  const value = given[kind] ?? null;
  return value === null ? [] : READERS[kind](value, given);
}

type DayTests = Omit<GivenCondition, Condition["kind"]>;

function readDay(day: Given<"day">, tests: DayTests): DayCondition {
  const { color, confidence, official, stage, known, at_least, every, ...unread } = tests;
  // A key that is not read here does not compile.
  unread satisfies Record<string, never>;
  const range = rangeLength(day) ?? null;
  return {
    kind: "day",
    day,
    range,
    least: every ? (range ?? 1) : (at_least ?? 1),
    color: color === undefined ? null : listOf(color),
    confidence: confidence ?? null,
    official: official ?? null,
    stage: stage === undefined ? null : listOf(stage),
    known: known ?? null,
  };
}

function readMqtt({ topic, path, max_age, equals, ...bounds }: Given<"mqtt">): MqttCondition {
  return {
    kind: "mqtt",
    topic,
    path: path?.split(".") ?? null,
    test:
      equals === undefined
        ? { kind: "bounds", bounds }
        : { kind: "equals", values: nonEmpty(listOf(equals)) },
    max_age: max_age === undefined ? null : milliseconds(max_age),
  };
}

function byColor<T>(counts: Given<"left">, read: (color: Color, bounds: Bounds) => T): NonEmpty<T> {
  return nonEmpty(
    COLORS.flatMap((color) => {
      const bounds = counts[color];
      return bounds ? [read(color, bounds)] : [];
    }),
  );
}

/** The schema lets no empty list and no empty condition through: an empty `all` would always be ON. */
function nonEmpty<T>(items: readonly T[]): NonEmpty<T> {
  const [first, ...others] = items;
  if (first === undefined) throw new RangeError("Expected one condition or more, got none");
  return [first, ...others];
}
