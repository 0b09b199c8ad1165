import { describe, expect, test } from "vitest";
import { lintWithoutForecasts } from "../../src/config/rule-warnings-without-forecasts.ts";
import { ruleOf, rulesOf } from "../support/rules.ts";
import { PARIS } from "../support/tariff.ts";

const warningsOf = (when: object, more: object = {}, laws: "tempo" | "off" = "tempo") =>
  lintWithoutForecasts([ruleOf(when, more)], { ...PARIS, laws }).map(({ words }) =>
    typeof words === "string" ? words : words.en,
  );
const D3_ROUGE = { day: "d3", color: "rouge" };
const NOW_ROUGE = { day: "now", color: "rouge" };

describe("without forecasts", () => {
  test.each<[string, object]>([
    ["a colour of a day that no source names yet", D3_ROUGE],
    ["together with others", { all: [{ period: "hp" }, D3_ROUGE] }],
    ["the days ahead one and all", { any: [D3_ROUGE, { day: "d2", color: "rouge" }] }],
    ["that such a day is known", { day: "d2", known: true }],
    ["that a day is a forecast", { day: "tomorrow", stage: "forecast" }],
    ["that it is official", { day: "d2", official: true }],
    ["three of the days ahead", { day: "next_5_days", color: "blanc", at_least: 3 }],
    ["every day of a week", { day: "next_7_days", color: "bleu", every: true }],
    ["what the service counts", { remaining: { rouge: { at_least: 3 } } }],
    ["what is left of the season by its count", { days_remaining: { below: 30 } }],
    ["not a count of the service", { not: { remaining: { rouge: { at_least: 3 } } } }],
  ])("%s is never ON", (_case, when) => {
    expect(warningsOf(when)).toEqual([
      expect.stringMatching(/^only a forecast service could turn it ON, and service.base_url is none(: |$)/),
    ]);
  });

  test.each<[string, object, string]>([
    ["that such a day is not known", { day: "d2", known: false }, "d2"],
    ["the opposite of a colour that the tariff forbids on some days", { not: D3_ROUGE }, "d3"],
    ["a season or a day that is not known", { any: [{ day: "d2", known: false }, NOW_ROUGE] }, "d2"],
  ])("%s is never OFF", (_case, when, day) => {
    expect(warningsOf(when)).toEqual([
      `only a forecast service could turn it OFF, and service.base_url is none: RTE names no day so far ahead (${day})`,
    ]);
  });

  test("a day that is too far ahead is said as the reason", () => {
    expect(warningsOf(D3_ROUGE)).toEqual([
      "only a forecast service could turn it ON, and service.base_url is none: RTE names no day so far ahead (d3)",
    ]);
  });

  test.each<[string, object, object?]>([
    ["the day in force", NOW_ROUGE],
    ["the next day, announced", { day: "next", color: "rouge", stage: ["announced", "final"] }],
    ["tomorrow", { day: "tomorrow", color: "rouge" }],
    ["the next two days: at night both are official", { day: "next_2_days", color: "rouge", at_least: 2 }],
    ["one of several that official colours decide", { any: [D3_ROUGE, NOW_ROUGE] }],
    ["vigie's own count", { left: { rouge: { at_most: 3 } } }],
    [
      "a price, a period, a time, a weekday",
      { rate: { above: 0.3 }, period: "hp", between: ["07:00", "09:00"], weekday: "mon" },
    ],
    ["a day ahead, where an unknown verdict counts as ON", D3_ROUGE, { when_unknown: "on" }],
  ])("%s can turn", (_case, when, more = {}) => {
    expect(warningsOf(when, more)).toEqual([]);
  });

  const NONE = "and service.base_url is none: ";
  test.each<[object, string]>([
    [
      {
        any: [
          { day: "next", color: "rouge", confidence: 80 },
          { day: "now", confidence: 60 },
        ],
      },
      `asks for forecasts, ${NONE}confidence counts for forecasts only, and without a service there are none`,
    ],
    [
      { day: "next_7_days", color: "rouge" },
      `asks for forecasts, ${NONE}of next_7_days at most two days are ever known`,
    ],
    [
      { day: "next_5_days", color: "rouge", at_least: 2 },
      `asks for forecasts, ${NONE}of next_5_days at most two days are ever known`,
    ],
    [
      { day: "tomorrow", stage: ["forecast", "announced"] },
      `asks for forecasts, ${NONE}no day has the stage forecast`,
    ],
    [
      { remaining: { rouge: { at_least: 3 } } },
      `only a forecast service could turn it ON, ${NONE}remaining is what the service says (left is what vigie counts)`,
    ],
    [
      { days_remaining: { below: 30 } },
      `only a forecast service could turn it ON, ${NONE}days_remaining is what the service says`,
    ],
  ])("%j is warned of with the reason", (when, words) => {
    expect(warningsOf(when)).toEqual([words]);
  });

  test("the opposite of a day ahead is never ON where the tariff forbids nothing", () => {
    expect(warningsOf({ not: D3_ROUGE }, {}, "off").join()).toContain("turn it ON");
  });

  test("a rule that needs another is warned of with it", () => {
    const ahead = { id: "ahead", when: D3_ROUGE };
    const both = rulesOf(ahead, { id: "both", when: { all: [{ rule: "ahead" }, NOW_ROUGE] } });
    expect(lintWithoutForecasts(both, PARIS).map(({ index, id }) => [index, id])).toEqual([
      [0, "ahead"],
      [1, "both"],
    ]);
    const either = rulesOf(ahead, { id: "either", when: { any: [{ rule: "ahead" }, NOW_ROUGE] } });
    expect(lintWithoutForecasts(either, PARIS)).toHaveLength(1);
  });
});
