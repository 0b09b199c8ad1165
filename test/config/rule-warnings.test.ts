import { describe, expect, test } from "vitest";
import { findRuleWarnings } from "../../src/config/rule-warnings.ts";
import type { Tariff } from "../../src/core/calendar/tariff.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import { ruleOf, rulesOf } from "../support/rules.ts";
import { PARIS } from "../support/tariff.ts";

const warningsOfRules = (rules: readonly Rule[], tariff = PARIS, hasService = true) =>
  findRuleWarnings(rules, tariff, hasService).map(
    ({ path, id, words }) => `${path.join(".")} ${id}: ${inEnglish(words)}`,
  );

const inEnglish = (words: string | { en: string }) => (typeof words === "string" ? words : words.en);
const warningsOf = (when: object, more: object = {}, tariff = PARIS) =>
  warningsOfRules([ruleOf(when, more)], tariff).join("\n");
const ROUGE = { day: "now", color: "rouge" };

describe("a rule that can never be ON", () => {
  test.each<[string, object]>([
    ["two colours of one day", { all: [ROUGE, { day: "now", color: ["bleu", "blanc"] }] }],
    [
      "two colours of one day, one of them deeper",
      {
        all: [
          { ...ROUGE, period: "hp" },
          { day: "now", color: "bleu" },
        ],
      },
    ],
    ["what it asks and its opposite", { all: [{ period: "hp" }, { not: { period: "hp" } }] }],
    ["rouge on a Saturday", { all: [ROUGE, { weekday: ["sat", "sun"] }] }],
    ["rouge in summer", { ...ROUGE, month: ["apr", 7, "oct"] }],
    ["blanc on a Sunday", { day: "now", color: "blanc", weekday: "sun" }],
    ["the day after Friday", { day: "next", color: "rouge", weekday: "fri" }],
    ["peak hours in a window of the night", { period: "hp", between: ["23:00", "05:00"] }],
    [
      "a value and its opposite",
      { all: [{ mqtt: { topic: "a", equals: 1 } }, { not: { mqtt: { topic: "a", equals: 1 } } }] },
    ],
    [
      "a band of confidences that nothing is in",
      { all: [{ ...ROUGE, confidence: 80 }, { not: { ...ROUGE, confidence: 50 } }] },
    ],
    [
      "the third pair of several",
      {
        all: [
          ROUGE,
          { not: { day: "now", color: "blanc" } },
          { day: "next", color: "rouge" },
          { not: { day: "next", color: "blanc" } },
          { day: "d3", color: "rouge" },
          { day: "d3", color: "bleu" },
        ],
      },
    ],
    ["two windows apart", { all: [{ between: ["01:00", "02:00"] }, { between: ["02:00", "03:00"] }] }],
    ["six rouge days in a row", { day: "next_6_days", color: "rouge", every: true }],
    ["bounds that exclude each other", { rate: { above: 0.3, below: 0.3 } }],
    ["bounds apart", { all: [{ left: { rouge: { at_most: 3 } } }, { left: { rouge: { above: 3 } } }] }],
    ["a colour of a day that is not known", { day: "next", color: "rouge", known: false }],
    ["a forecast that is official", { day: "next", stage: "forecast", official: true }],
    [
      "every way of several",
      { any: [{ all: [{ period: "hp" }, { period: "hc" }] }, { ...ROUGE, weekday: "sun" }] },
    ],
  ])("%s", (_, when) => {
    expect(warningsOf(when)).toMatch(/^rules\.0 r: can never be ON: /);
  });
});

test("off-peak hours of a season, of a weekday and of a contract that has yet to begin are possible", () => {
  const off_peak: Tariff["off_peak"] = [
    { from: "2031-12-01", windows: [{ from: "11:00", to: "12:00" }] },
    { months: ["jul"], weekdays: ["sat"], windows: [{ from: "14:00", to: "15:00" }] },
    { windows: [{ from: "22:00", to: "24:00" }] },
  ];
  const tariff = { ...PARIS, off_peak };
  const inOffPeak = (from: string, to: string, more: object) => ({
    period: "hc",
    between: [from, to],
    ...more,
  });
  for (const month of [{ month: "jul" }, { month: "feb" }, {}])
    expect(warningsOf(inOffPeak("11:00", "12:00", month), {}, tariff)).toBe("");
  expect(warningsOf(inOffPeak("14:00", "15:00", { month: "jul" }), {}, tariff)).toBe("");
  expect(warningsOf(inOffPeak("14:00", "15:00", { weekday: "sun" }), {}, tariff)).toMatch(/can never be ON/);
  expect(warningsOf(inOffPeak("12:00", "14:00", {}), {}, tariff)).toMatch(/can never be ON/);
});

describe("a rule that can never be OFF", () => {
  test.each<[string, object]>([
    ["one or the other period", { any: [{ period: "hp" }, { period: "hc" }] }],
    ["every colour", { day: "next", color: ["bleu", "blanc", "rouge"] }],
    ["every month", { month: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }],
    ["every weekday", { weekday: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] }],
    ["not of what is never ON", { not: { ...ROUGE, weekday: "sun" } }],
  ])("%s", (_, when) => {
    expect(warningsOf(when)).toMatch(/^rules\.0 r: can never be OFF: /);
  });
});

describe("a rule that refers to another", () => {
  const warningsBeside = (...rules: Parameters<typeof rulesOf>) => warningsOfRules(rulesOf(...rules));
  const REFERRED = { id: "rouge", when: { all: [ROUGE, { period: "hp" }] } };

  test("can never be ON if the other cannot be ON at that time", () => {
    expect(warningsBeside(REFERRED, { id: "r", when: { rule: "rouge", month: "jul" } })).toEqual([
      expect.stringMatching(/^rules\.1 r: can never be ON: /),
    ]);
    expect(
      warningsBeside({ id: "r", when: { rule: "middle", period: "hc" } }, REFERRED, {
        id: "middle",
        when: { rule: "rouge" },
      }),
    ).toEqual([expect.stringMatching(/^rules\.0 r: can never be ON: /)]);
    expect(
      warningsBeside(
        { id: "window", when: { between: ["12:00", "12:30"] } },
        { id: "r", when: { rule: "window", between: ["12:10", "13:00"] } },
        { id: "apart", when: { rule: "window", between: ["12:30", "13:00"] } },
      ),
    ).toEqual([expect.stringMatching(/^rules\.2 apart: can never be ON: /)]);
  });

  test("can never be ON while the same rule is not", () => {
    const when = { all: [{ rule: "rouge" }, { not: { rule: "rouge" } }] };
    expect(warningsBeside(REFERRED, { id: "r", when })).toEqual([
      expect.stringMatching(/^rules\.1 r: can never be ON/),
    ]);
  });

  test("can be ON if the other is ON by its lead or its lag", () => {
    for (const more of [{ lead: "10m" }, { lag: "10m" }]) {
      expect(
        warningsBeside({ ...REFERRED, ...more }, { id: "r", when: { rule: "rouge", period: "hc" } }),
      ).toEqual([]);
    }
  });

  test("can be ON if the other is ON while it is unknown", () => {
    const unknown = { id: "not_known", when: { day: "now", color: "rouge", known: false } };
    const [never, beside] = [false, true].map((isOn) =>
      warningsBeside(isOn ? { ...unknown, when_unknown: "on" } : unknown, {
        id: "r",
        when: { rule: "not_known" },
      }),
    );
    expect(never).toEqual([
      expect.stringMatching(/^rules\.0 .* ON/),
      expect.stringMatching(/^rules\.1 .* ON/),
    ]);
    expect(beside).toEqual([]);
  });

  test("can be OFF though the other never is by its conditions: a command can disable it", () => {
    const warnings = warningsBeside(
      { id: "always", when: { any: [{ period: "hp" }, { period: "hc" }] } },
      { id: "r", when: { rule: "always" } },
      { id: "other", when: { not: { rule: "always" } } },
    );
    expect(warnings).toEqual([expect.stringMatching(/^rules\.0 always: can never be OFF/)]);
  });
});

describe("what an owner may well mean is not warned of", () => {
  test.each<[string, object]>([
    ["rouge ahead", { any: [{ day: "next", color: "rouge", confidence: 80 }, ROUGE] }],
    ["two days of two colours", { all: [ROUGE, { day: "next", color: "bleu" }] }],
    [
      "next and tomorrow are not always one",
      {
        all: [
          { day: "next", color: "rouge" },
          { day: "tomorrow", color: "bleu" },
        ],
      },
    ],
    ["the same day twice", { all: [ROUGE, { day: "now", official: true }] }],
    ["the last cheap hours", { day: "next", color: "rouge", period: "hc", between: ["03:30", "06:00"] }],
    ["not rouge", { not: ROUGE }],
    ["not off-peak", { not: { period: "hc" } }],
    ["five rouge days in a row", { day: "next_5_days", color: "rouge", every: true }],
    ["known or not", { day: "next", known: false }],
    ["tomorrow by day", { day: "tomorrow", color: "rouge", period: "hp" }],
    ["tomorrow in the evening", { day: "tomorrow", color: "rouge", between: ["18:00", "23:59"] }],
    [
      "a forecast that says how sure it is",
      { day: "next", color: ["bleu", "blanc", "rouge"], confidence: 0 },
    ],
    ["either today or at night", { any: [{ day: "today", color: "rouge" }, { period: "hc" }] }],
    ["a price", { rate: { above: 0.3 } }],
  ])("%s", (_, when) => {
    expect(warningsOf(when)).toBe("");
  });

  const SURE = { ...ROUGE, confidence: 80 };
  const THRESHOLD = { ...ROUGE, confidence: "threshold" };
  test.each<[string, object, object?]>([
    ["a band of confidences", { ...ROUGE, confidence: 50, not: SURE }],
    ["what is outside a band of confidences", { any: [{ not: { ...ROUGE, confidence: 50 } }, SURE] }],
    ["above a threshold, but not sure", { ...THRESHOLD, not: SURE }, { threshold: 90 }],
    ["sure, but not above a threshold", { ...SURE, not: THRESHOLD }, { threshold: 40 }],
    [
      "a week after the last Sunday of October, which ends the month in another year",
      { month: "oct", weekday: "sun", day: "next_7_days", color: "rouge" },
    ],
  ])("%s: it can be ON, and it can be OFF", (_, when, more = {}) => {
    expect(warningsOf(when, more)).not.toContain("can never");
  });

  test("rouge on a Saturday, if no laws hold", () => {
    expect(warningsOf({ ...ROUGE, weekday: "sat" }, {}, { ...PARIS, laws: "off" })).toBe("");
  });
});

describe("what means something else than it seems", () => {
  test.each<[object, object, string]>([
    [{ not: { day: "next", color: "rouge", confidence: 80 } }, {}, "not over confidence"],
    [
      { all: [{ period: "hp" }, { not: { any: [{ day: "next", color: "rouge", official: true }] } }] },
      {},
      "not over official",
    ],
    [
      { not: { day: "next", color: "rouge", confidence: "threshold" } },
      { threshold: 60 },
      "not over threshold",
    ],
    [
      { day: "tomorrow", color: "rouge", period: "hc" },
      {},
      "tomorrow together with the night: tomorrow changes at 00:00",
    ],
    [
      { all: [{ day: "today", color: "rouge" }, { any: [{ between: ["22:00", "02:00"] }] }] },
      {},
      "today together with the night",
    ],
    [
      { day: "tomorrow", color: "rouge", between: ["01:00", "06:00"] },
      {},
      "tomorrow together with a time after midnight: tomorrow changes at 00:00, so it is then the day after the one that begins at 06:00; that one is called next",
    ],
    [{ day: "next", color: "rouge" }, { threshold: 60 }, "has a threshold that no condition asks for"],
  ])("%j", (when, more, words) => {
    expect(warningsOf(when, more)).toContain(`rules.0 r: ${words}`);
  });

  test.each([
    ["tomorrow at noon", { day: "tomorrow", color: "rouge", between: ["05:00", "12:00"] }],
    ["today before its colour begins", { day: "today", color: "rouge", between: ["01:00", "06:00"] }],
  ])("not %s", (_case, when) => {
    expect(warningsOf(when)).toBe("");
  });
});

describe("without forecasts", () => {
  const D3_ROUGE = { day: "d3", color: "rouge" };
  const warningsOfRteAlone = (when: object, more: object = {}, laws: Tariff["laws"] = "tempo") =>
    warningsOfRules([ruleOf(when, more)], { ...PARIS, laws }, false).join("\n");

  test.each<[string, object]>([
    ["a colour of a day that no source names yet", D3_ROUGE],
    ["together with others", { all: [{ period: "hp" }, D3_ROUGE] }],
    ["the days ahead one and all", { any: [D3_ROUGE, { day: "d2", color: "rouge" }] }],
    ["that such a day is known", { day: "d2", known: true }],
    ["that a day is a forecast", { day: "tomorrow", stage: "forecast" }],
    ["that it is official", { day: "d2", official: true }],
    ["three of the days ahead", { day: "next_5_days", color: "blanc", at_least: 3 }],
    ["every day of a week", { day: "next_7_days", color: "bleu", every: true }],
  ])("%s is never ON", (_case, when) => {
    expect(warningsOfRteAlone(when)).toMatch(
      /^rules\.0 r: only a forecast service could turn it ON, .*: RTE names only today and tomorrow, [^\n]*$/,
    );
  });

  test.each<[string, object]>([
    ["that such a day is not known", { day: "d2", known: false }],
    ["the opposite of a colour that the tariff forbids on some days", { not: D3_ROUGE }],
    ["a season or a day that is not known", { any: [{ day: "d2", known: false }, ROUGE] }],
  ])("%s is never OFF", (_case, when) => {
    expect(warningsOfRteAlone(when)).toMatch(
      /^rules\.0 r: only a forecast service could turn it OFF, [^\n]*$/,
    );
  });

  test.each<[string, object]>([
    ["what the service counts", { remaining: { rouge: { at_least: 3 } } }],
    ["what is left of the season by its count", { days_remaining: { below: 30 } }],
    ["not a count of the service", { not: { remaining: { rouge: { at_least: 3 } } } }],
  ])("%s is neither ON nor OFF", (_case, when) => {
    expect(warningsOfRteAlone(when)).toMatch(
      /^rules\.0 r: only a forecast service could turn it ON or OFF, [^\n]*$/,
    );
  });

  test.each<[string, object, object?]>([
    ["the day in force", ROUGE],
    ["the next day, announced", { day: "next", color: "rouge", stage: ["announced", "final"] }],
    ["tomorrow", { day: "tomorrow", color: "rouge" }],
    ["the next two days: at night both are official", { day: "next_2_days", color: "rouge", at_least: 2 }],
    ["one of the days ahead: two of them are known", { day: "next_7_days", color: "rouge" }],
    ["a forecast or an announced day", { day: "tomorrow", stage: ["forecast", "announced"] }],
    ["a colour that is sure enough", { day: "next", color: "rouge", confidence: 80 }],
    ["one of several that official colours decide", { any: [D3_ROUGE, ROUGE] }],
    ["vigie's own count", { left: { rouge: { at_most: 3 } } }],
    [
      "a price, a period, a time, a weekday",
      { rate: { above: 0.3 }, period: "hp", between: ["07:00", "09:00"], weekday: "mon" },
    ],
    ["a day ahead, if an unknown verdict counts as ON", D3_ROUGE, { when_unknown: "on" }],
  ])("%s can turn", (_case, when, more = {}) => {
    expect(warningsOfRteAlone(when, more)).toBe("");
  });

  test("the opposite of a day ahead is never ON if the tariff forbids nothing", () => {
    expect(warningsOfRteAlone({ not: D3_ROUGE }, {}, "off")).toContain("turn it ON");
  });

  test("a rule that needs another is warned of with it", () => {
    const ahead = { id: "ahead", when: D3_ROUGE };
    const warningsBeside = (when: object) =>
      warningsOfRules(rulesOf(ahead, { id: "r", when }), PARIS, false).map((words) => words.slice(0, 9));
    expect(warningsBeside({ all: [{ rule: "ahead" }, ROUGE] })).toEqual(["rules.0 a", "rules.1 r"]);
    expect(warningsBeside({ any: [{ rule: "ahead" }, ROUGE] })).toEqual(["rules.0 a"]);
  });
});
