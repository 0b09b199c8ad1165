import fc from "fast-check";
import { expect, test } from "vitest";
import { askAbout, outcomesOf } from "../../src/config/rule-outcomes.ts";
import { addDays, civilDate } from "../../src/core/calendar/dates.ts";
import { COLORS } from "../../src/core/calendar/tariff.ts";
import { isColorAllowed } from "../../src/core/calendar/tariff-laws.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { anyCondition, anyConditionOnNext, anyDays, anyStart } from "../support/any-rules.ts";
import { forecast, knownDaysOf, official } from "../support/known-days.ts";
import { runs } from "../support/long.ts";
import { inputAt, refresh, refreshAll, ruleOf, rulesOf } from "../support/rules.ts";
import { PARIS } from "../support/tariff.ts";

const HOUR = 3_600_000;
const anyWhen = fc.record({
  when: anyCondition,
  threshold: fc.constantFrom(0, 50, 80, 100),
  when_unknown: fc.constantFrom(undefined, "on", "off"),
  refers: fc.constantFrom("not", "all", "any", "alone"),
});
/** The rouge months begin on another weekday each year. */
const endOfOctober = fc.integer({ min: 2026, max: 2036 }).map((year) => `${year}-10-30`);

test("a rule is never what it is said never to be, whatever is known of the days", () => {
  fc.assert(
    fc.property(
      anyWhen,
      fc.oneof(anyCondition, fc.constant({ day: "next", color: "rouge" })),
      fc.oneof(anyStart, endOfOctober).chain((start) => fc.tuple(fc.constant(start), anyDays(start))),
      fc.boolean(),
      ({ when, threshold, when_unknown, refers }, other, [start, days], isRteAlone) => {
        const rules = rulesOf(
          { id: "other", when: other },
          {
            id: "r",
            when: join(refers, when, { rule: "other" }),
            threshold,
            ...(when_unknown && { when_unknown }),
          },
        );
        const asked = askAbout(rules, PARIS, isRteAlone);
        const outcomes = rules.map((rule) => outcomesOf(rule, asked));
        for (let hour = 0; hour < 36; hour += 3) {
          const at = Date.parse(`${start}T04:07:00Z`) + hour * HOUR;
          const tomorrow = addDays(civilDate(at, PARIS.time_zone), 1);
          const known = Object.entries(days)
            .filter(
              ([date, day]) => isLawful(date, day) && (!isRteAlone || isNamedByRte(date, day, tomorrow)),
            )
            .map(([date, day]) => [date, day]);
          const { verdict } = refreshAll(rules, inputAt(at, knownDaysOf(Object.fromEntries(known))));
          for (const [index, { id }] of rules.entries()) {
            const { state } = verdict(id);
            if (state === true) expect(outcomes[index]?.on, id).toBe(true);
            if (state === false) expect(outcomes[index]?.off, id).toBe(true);
          }
        }
      },
    ),
    { numRuns: runs(150) },
  );
});

test("a rule whose parts ask of one day is never what it is said never to be", () => {
  const days: KnownDay[] = [
    {},
    ...COLORS.flatMap((color) => [official(color), official(color, { confirmed: false })]),
    ...COLORS.flatMap((color) =>
      [null, 0.4, 0.5, 0.79, 0.8, 0.95].map((confidence) => forecast(color, { confidence })),
    ),
  ];
  fc.assert(
    fc.property(anyConditionOnNext, (when) => {
      const can = outcomesOf(ruleOf(when, { threshold: 50 }), askAbout([], PARIS, false));
      for (const threshold of [0, 50, 80, 100]) {
        const rule = ruleOf(when, { threshold });
        for (const day of days) {
          const known = knownDaysOf({ "2026-01-06": day });
          const { state } = refresh(rule, inputAt("2026-01-05T11:00:00Z", known)).verdict;
          expect(state === true ? can.on : state === false ? can.off : true).toBe(true);
        }
      }
    }),
    { numRuns: runs(400) },
  );
});

function join(how: string, when: object, rule: object): object {
  if (how === "alone") return when;
  return how === "not" ? { all: [when, { not: rule }] } : { [how]: [when, rule] };
}

/** The official word of a source that the laws forbid makes a day unknown. */
function isLawful(date: string, { service_word, rte_word }: KnownDay): boolean {
  return [service_word, rte_word].every((word) => !word || isColorAllowed(date, word.color, PARIS.laws));
}

function isNamedByRte(date: string, { forecast }: KnownDay, tomorrow: string): boolean {
  return !forecast && date <= tomorrow;
}
