import { COLORS, type Color } from "../core/calendar/tariff.ts";
import type { Bounds, Condition, DayCondition, NonEmpty } from "../core/rules/rule.ts";
import { type DayKey, type GivenCondition, type OneOrMore, rangeLength } from "./condition-options.ts";

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
  rate: (bounds) => [{ kind: "rate", bounds }],
  days_remaining: (bounds) => [{ kind: "days_remaining", bounds }],
  remaining: (counts) => byColor(counts, (color, bounds) => ({ kind: "remaining", color, bounds })),
  left: (counts) => byColor(counts, (color, bounds) => ({ kind: "left", color, bounds })),
  all: (parts) => [{ kind: "all", parts: nonEmpty(parts.map(readCondition)) }],
  any: (parts) => [{ kind: "any", parts: nonEmpty(parts.map(readCondition)) }],
  not: (part) => [{ kind: "not", part: readCondition(part) }],
};

function readKind<Kind extends Condition["kind"]>(kind: Kind, given: GivenCondition): readonly Condition[] {
  const value = given[kind] ?? null;
  return value === null ? [] : READERS[kind](value, given);
}

/** How each key beside `day` is read. */
const DAY_READERS: {
  [Key in DayKey]: (value: Given<Key>, range: number | null) => Partial<DayCondition>;
} = {
  color: (colors) => ({ color: listOf(colors) }),
  confidence: (confidence) => ({ confidence }),
  official: (official) => ({ official }),
  stage: (stages) => ({ stage: listOf(stages) }),
  known: (known) => ({ known }),
  at_least: (least) => ({ least }),
  every: (_, range) => ({ least: range ?? 1 }),
};

function readDay(day: Given<"day">, given: GivenCondition): DayCondition {
  const range = rangeLength(day) ?? null;
  const keys = Object.keys(DAY_READERS) as DayKey[];
  const tests = keys.map((key) => readDayKey(key, given, range));
  return Object.assign(
    {
      kind: "day",
      day,
      range,
      least: 1,
      color: null,
      confidence: null,
      official: null,
      stage: null,
      known: null,
    } satisfies DayCondition,
    ...tests,
  );
}

function readDayKey<Key extends DayKey>(
  key: Key,
  given: GivenCondition,
  range: number | null,
): Partial<DayCondition> {
  const value = given[key] ?? null;
  return value === null ? {} : DAY_READERS[key](value, range);
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

function listOf<T>(given: OneOrMore<T>): T[] {
  return Array.isArray(given) ? given : [given];
}
