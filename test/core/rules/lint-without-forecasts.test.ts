import { describe, expect, test } from "vitest";
import { lintWithoutForecasts } from "../../../src/core/rules/lint-without-forecasts.ts";
import { ruleOf, rulesOf } from "../../support/rules.ts";
import { PARIS } from "../../support/tariff.ts";

const warningsOf = (when: object, more: object = {}, laws: "tempo" | "off" = "tempo") =>
  lintWithoutForecasts([ruleOf(when, more)], { ...PARIS, laws }).map(({ words }) => words);
const D3_ROUGE = { day: "d3", color: "rouge" };
const NOW_ROUGE = { day: "now", color: "rouge" };

describe("without forecasts", () => {
  test.each<[string, object]>([
    ["a colour of a day that no source names yet", D3_ROUGE],
    ["together with others", { all: [{ period: "hp" }, D3_ROUGE] }],
    ["the days ahead one and all", { any: [D3_ROUGE, { day: "d2", color: "rouge" }] }],
    ["that such a day is known", { day: "d2", known: true }],
    ["that it is official", { day: "d2", official: true }],
    ["three of the days ahead", { day: "next_5_days", color: "blanc", at_least: 3 }],
    ["every day of a week", { day: "next_7_days", color: "bleu", every: true }],
    ["what the service counts", { remaining: { rouge: { at_least: 3 } } }],
    ["what is left of the season by its count", { days_remaining: { below: 30 } }],
    ["not a count of the service", { not: { remaining: { rouge: { at_least: 3 } } } }],
  ])("%s is never ON", (_case, when) => {
    expect(warningsOf(when)).toEqual(["only a forecast could turn it ON, and service.base_url is none"]);
  });

  test.each<[string, object]>([
    ["that such a day is not known", { day: "d2", known: false }],
    ["the opposite of a colour that the tariff forbids on some days", { not: D3_ROUGE }],
    ["a season or a day that is not known", { any: [{ day: "d2", known: false }, NOW_ROUGE] }],
  ])("%s is never OFF", (_case, when) => {
    expect(warningsOf(when)).toEqual(["only a forecast could turn it OFF, and service.base_url is none"]);
  });

  test.each<[string, object, object?]>([
    ["the day in force", NOW_ROUGE],
    ["the next day, however sure", { day: "next", color: "rouge", confidence: 80 }],
    ["tomorrow", { day: "tomorrow", color: "rouge" }],
    ["one day of a week, as the next one may be it", { day: "next_7_days", color: "rouge" }],
    [
      "two of the days ahead: at night both are official",
      { day: "next_5_days", color: "rouge", at_least: 2 },
    ],
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
