import { expect, test } from "vitest";
import { viewAt } from "../../../src/core/facts/view.ts";
import { evaluateRules } from "../../../src/core/rules/evaluate-rules.ts";
import { planRules } from "../../../src/core/rules/forecast-verdicts.ts";
import { readyRules } from "../../../src/core/rules/ready.ts";
import { EMPTY_MEMORY } from "../../../src/core/rules/rules-memory.ts";
import { stepRules } from "../../../src/core/rules/step.ts";
import { openWorld } from "../../../src/core/rules/world.ts";
import { knownDaysOf, officialDays } from "../../support/known-days.ts";
import { ruleOf } from "../../support/rules.ts";
import { PARIS } from "../../support/tariff.ts";

/** How often the book is looked at for so many rules, each with a window of its own, in a refresh with futures. */
function looksOf(count: number): number {
  const rules = Array.from({ length: count }, (_, index) =>
    ruleOf({
      any: [{ day: "next_7_days", color: "rouge" }, { between: [time(index), time(index + 90)] }],
    }),
  ).map((rule, index) => ({ ...rule, id: `r${index}` }));
  let looks = 0;
  const world = openWorld({
    at: Date.parse("2026-01-05T11:00:00Z"),
    tariff: PARIS,
    knownDays: knownDaysOf(officialDays("2026-01-01", "2026-01-12")),
    look: (knownDays, at) => {
      looks += 1;
      return viewAt(knownDays, at, PARIS);
    },
  });
  const verdicts = evaluateRules(readyRules(rules), world, {}, EMPTY_MEMORY);
  const futures = planRules(verdicts, world, stepRules(EMPTY_MEMORY, verdicts, world));
  expect(futures).toHaveLength(count);
  return looks;
}

test("the days are looked at as often for a thousand rules as for one", () => {
  expect(looksOf(1000)).toBeLessThan(60);
});

function time(minutes: number): string {
  const of = minutes % 1440;
  return `${String(Math.floor(of / 60)).padStart(2, "0")}:${String(of % 60).padStart(2, "0")}`;
}
