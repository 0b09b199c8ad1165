import fc from "fast-check";
import { addDays } from "../../src/core/calendar/dates.ts";
import { COLORS, type IsoDate, MONTHS, WEEKDAYS } from "../../src/core/calendar/tariff.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { DAY_NAMES } from "../../src/core/rules/rule.ts";
import { forecast, official, saidByRte } from "./known-days.ts";

const time = fc
  .tuple(fc.nat({ max: 23 }), fc.constantFrom(0, 15, 30, 45))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
const color = fc.constantFrom(...COLORS);
const asked = fc.oneof(
  { weight: 3, arbitrary: color.map((one) => ({ color: one })) },
  fc.tuple(color, fc.constantFrom(50, 80, 95)).map(([one, confidence]) => ({ color: one, confidence })),
  fc.boolean().map((official) => ({ official })),
  fc.boolean().map((known) => ({ known })),
  fc.constantFrom("forecast", "announced", "final").map((stage) => ({ stage })),
  fc.constantFrom(50, 90).map((confidence) => ({ confidence })),
);
const leaf = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...DAY_NAMES), asked).map(([day, more]) => ({ day, ...more })),
  },
  fc
    .tuple(fc.integer({ min: 1, max: 8 }), asked)
    .map(([days, more]) => ({ day: `next_${days}_days`, ...more })),
  fc.constantFrom("hp", "hc").map((period) => ({ period })),
  fc
    .tuple(time, time)
    .filter(([from, to]) => from !== to)
    .map((between) => ({ between })),
  fc.subarray([...WEEKDAYS], { minLength: 1 }).map((weekday) => ({ weekday })),
  fc.subarray([...MONTHS], { minLength: 1 }).map((month) => ({ month })),
  fc.constantFrom(0.14, 0.16, 0.3).map((above) => ({ rate: { above } })),
);

const groupsOf = (simple: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc.letrec<{ condition: object }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3 },
      simple,
      fc.array(tie("condition"), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie("condition"), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
      tie("condition").map((not) => ({ not })),
    ),
  })).condition;

/** A condition as an owner could write it. */
export const anyCondition = groupsOf(leaf);

/** One whose parts all ask of `next`, or of one price. */
export const anyConditionOnNext = groupsOf(
  fc.oneof(
    asked.map((more) => ({ day: "next", ...more })),
    fc
      .constantFrom(0, 40, 79, 80, "threshold")
      .map((confidence) => ({ day: "next", color: "rouge", confidence })),
    fc
      .constantFrom({ above: 0.14 }, { below: 0.3, above: 0.16 }, { at_most: 0.14 })
      .map((rate) => ({ rate })),
  ),
);

const anyDay: fc.Arbitrary<KnownDay> = fc.oneof(
  fc.constant({}),
  fc.tuple(color, fc.boolean()).map(([one, confirmed]) => official(one, { confirmed })),
  fc.tuple(color, fc.boolean(), color, fc.boolean()).map(([one, confirmed, other, byRte]) => ({
    ...official(one, { confirmed }),
    ...saidByRte(other, { confirmed: byRte }),
  })),
  fc
    .tuple(fc.option(color, { nil: null }), fc.option(fc.constantFrom(0.4, 0.79, 0.8, 0.99), { nil: null }))
    .map(([one, confidence]) => forecast(one, { confidence })),
);

/** Days from two before a date on. */
export function anyDays(from: IsoDate): fc.Arbitrary<Record<IsoDate, KnownDay>> {
  return fc
    .array(anyDay, { minLength: 12, maxLength: 12 })
    .map((days) => Object.fromEntries(days.map((day, index) => [addDays(from, index - 2), day])));
}

/** Winter and summer, and both weekends on which the clocks are moved. */
export const anyStart = fc.constantFrom(
  "2026-01-05",
  "2026-03-27",
  "2026-03-28",
  "2026-07-10",
  "2026-10-23",
  "2026-10-24",
);
