import { expect, test } from "vitest";
import { includesRule } from "../../src/config/includes-rule.ts";
import { rulesOf } from "../support/rules.ts";

const ROUGE = { day: "now", color: "rouge" };
const PEAK = { period: "hp" };
const LATE = { between: ["20:00", "22:00"] };

/** Whether the first rule includes the second. */
function isIncluded(wide: object, narrow: object): boolean {
  const [one, other] = rulesOf(
    { id: "wide", when: ROUGE, ...wide },
    { id: "narrow", when: ROUGE, ...narrow },
  );
  if (!one || !other) throw new Error("Expected two rules");
  return includesRule(one, other);
}

test.each<[string, object, object]>([
  ["the same conditions", { when: ROUGE }, { when: ROUGE }],
  ["one of several", { when: { any: [ROUGE, LATE] } }, { when: LATE }],
  ["some of several", { when: { any: [ROUGE, PEAK, LATE] } }, { when: { any: [LATE, ROUGE] } }],
  ["a condition with more beside it", { when: ROUGE }, { when: { ...ROUGE, period: "hp" } }],
  ["more of the same", { when: { all: [ROUGE, PEAK] } }, { when: { all: [PEAK, LATE, ROUGE] } }],
  ["a rule by its id", { when: { any: [PEAK, { rule: "narrow" }] } }, { when: LATE, lead: "5m" }],
  ["a rule that asks for it", { when: PEAK }, { when: { all: [{ rule: "wide" }, LATE] } }],
  ["a rule with a shorter lead", { lead: "5m" }, { lead: "1m" }],
])("a rule includes %s", (_, wide, narrow) => {
  expect(isIncluded(wide, narrow)).toBe(true);
});

test.each<[string, object, object]>([
  ["other conditions", { when: PEAK }, { when: LATE }],
  ["one that asks for less", { when: { ...ROUGE, period: "hp" } }, { when: ROUGE }],
  ["one of which only a part is its own", { when: ROUGE }, { when: { any: [ROUGE, LATE] } }],
  ["one with a longer lead", { lead: "5m" }, { lead: "6m" }],
  ["one with a lag", {}, { lag: "1m" }],
  ["one that asks for it earlier", { when: PEAK, lead: "1h" }, { when: { rule: "wide" }, lead: "1m" }],
  ["one that follows sooner", { hold: "5m" }, {}],
  ["one that stays longer", {}, { hold: "5m" }],
  ["one that counts as ON when it is unknown", {}, { when_unknown: "on" }],
  ["one that is unknown when it counts as OFF", { when_unknown: "off" }, {}],
  [
    "one with another threshold",
    { when: { ...ROUGE, confidence: "threshold" }, threshold: 80 },
    { when: { ...ROUGE, confidence: "threshold" }, threshold: 60 },
  ],
  ["what it excludes", { when: { not: PEAK } }, { when: { all: [PEAK, LATE] } }],
])("a rule does not include %s", (_, wide, narrow) => {
  expect(isIncluded(wide, narrow)).toBe(false);
});
