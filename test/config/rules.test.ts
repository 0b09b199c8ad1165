import { describe, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import { loadText, problemsOf } from "./folder.ts";

async function rulesOf(yaml: string) {
  return (await loadText(`rules:\n${yaml}`)).config.rules;
}

describe("rules that are right are taken", () => {
  test("with what they leave out at its default", async () => {
    expect(await rulesOf("  - { id: rouge_now, when: { day: now, color: rouge } }")).toEqual([
      {
        id: "rouge_now",
        name: { fr: "rouge_now", en: "rouge_now" },
        when: {
          kind: "day",
          day: "now",
          range: null,
          least: 1,
          color: ["rouge"],
          confidence: null,
          official: null,
          stage: null,
          known: null,
        },
        when_unknown: null,
        lead: 0,
        lag: 0,
        hold: 0,
        threshold: null,
      },
    ]);
  });

  test.each(["fr", "en"])(
    "with a name in one language (%s), which counts for the other",
    async (language) => {
      const [rule] = await rulesOf(`  - { id: a, name: { ${language}: Tempo }, when: { period: hp } }`);
      expect(rule?.name).toEqual({ fr: "Tempo", en: "Tempo" });
    },
  );

  test("with everything", async () => {
    const [rule] = await rulesOf(`  - id: all_of_it
    name: Everything
    threshold: 60
    lead: 5m
    lag: 90s
    hold: 30m
    when_unknown: "off"
    when:
      day: next_3_days
      color: [rouge, blanc]
      confidence: threshold
      every: true
      weekday: sat
      month: [nov, 12, 3]
      not: { any: [ { period: hc }, { between: ["22:00", "06:00"] } ] }
      left: { rouge: { at_most: 3 } }
`);
    expect(rule).toMatchObject({
      name: { fr: "Everything", en: "Everything" },
      threshold: 60,
      when_unknown: "off",
      lead: 300_000,
      lag: 90_000,
      hold: 1_800_000,
      when: {
        kind: "all",
        parts: [
          { kind: "day", range: 3, least: 3, color: ["rouge", "blanc"], confidence: "threshold" },
          { kind: "weekday", days: ["sat"] },
          { kind: "month", months: ["nov", "dec", "mar"] },
          { kind: "left", color: "rouge", bounds: { at_most: 3 } },
          {
            kind: "not",
            part: {
              kind: "any",
              parts: [{ kind: "period" }, { kind: "between", from: "22:00", to: "06:00" }],
            },
          },
        ],
      },
    });
  });
});

test.each(["else", "unknown"])(
  "%s is no id of a rule: outputs say so that no rule has decided",
  async (id) => {
    const [problem = ""] = await problemsOf(loadText(`rules: [ { id: ${id}, when: { period: hp } } ]`));
    expect(problem).toContain(
      `rules[0].id: expected another id: else and unknown are words of outputs, got "${id}"`,
    );
  },
);

describe("a rule that is wrong is refused with its place, what was expected and the nearest word", () => {
  const NOW = "day: now, color: rouge";
  const RANGE = "day: next_3_days, color: rouge";
  test.each([
    ["{ day: nxt, color: rouge }", "day", 'next_8_days, got "nxt" (did you mean next?)'],
    ["{ day: next_9_days, color: rouge }", "day", 'next_8_days, got "next_9_days"'],
    ["{ day: next_0_days, color: rouge }", "day", "expected one of now, next, today"],
    ["{ day: now, color: rogue }", "color", 'got "rogue" (did you mean rouge?)'],
    ["{ day: now, color: [bleu, rot] }", "color[1]", "expected one of bleu, blanc, rouge"],
    ["{ day: now, colour: rouge }", "colour", "(did you mean color?)"],
    ["{ any: [ { dya: now } ] }", "any[0].dya", "(did you mean day?)"],
    ["{ color: rouge }", "color", "expected day beside it, such as { day: next, color: … }"],
    ["{ day: now }", "day", "expected color, confidence, official, stage or known beside it"],
    ["{ all: [] }", "all", "expected a list of conditions"],
    [`{ ${NOW}, every: true }`, "every", "expected a range of days beside it"],
    [`{ ${RANGE}, at_least: 4 }`, "at_least", "expected at most 3, the days of next_3_days, got 4"],
    [`{ ${RANGE}, at_least: 2, every: true }`, "every", "expected at_least or every, not both"],
    [`{ ${NOW}, confidence: threshold }`, "confidence", "expected a percent, or threshold: 60 beside this"],
    [`{ not: { ${NOW}, confidence: treshold } }`, "not.confidence", "(did you mean threshold?)"],
    [`{ ${NOW}, confidence: 0.8 }`, "confidence", "expected a whole percent from 0 to 100"],
    [`{ ${NOW}, confidence: 101 }`, "confidence", "expected a whole percent from 0 to 100"],
    [`{ ${NOW}, confidence: -1 }`, "confidence", "expected a whole percent from 0 to 100"],
    [`{ ${NOW}, official: "yes" }`, "official", 'expected true or false, got "yes"'],
    [`{ ${NOW}, stage: announcd }`, "stage", "(did you mean announced?)"],
    ["{ period: peak }", "period", "expected one of hp, hc"],
    ['{ between: ["3:30", "06:00"] }', "between[0]", "expected a time of day"],
    ['{ between: ["06:00"] }', "between", "expected two different times of day"],
    ['{ between: ["06:00", "06:00"] }', "between", "expected two different times of day"],
    ["{ weekday: monday }", "weekday", "expected one of mon, tue"],
    ["{ month: june }", "month", "expected one of jan, feb, mar"],
    ["{ month: juin }", "month", "(did you mean jun?)"],
    ["{ month: [jan, 13] }", "month[1]", "a number from 1 to 12, or a list of them, got 13"],
    ["{ month: 0 }", "month", "a number from 1 to 12, or a list of them, got 0"],
    ["{ month: [] }", "month", "or a list of them, got an empty list"],
    ["{ rule: Guests }", "rule", "expected the id of another rule"],
    ["{ rate: 0.3 }", "rate", "expected bounds, such as { at_most: 3 }"],
    ["{ rate: {} }", "rate", "expected bounds"],
    ["{ rate: { above: 30 } }", "rate.above", "expected a price in EUR/kWh from 0 to 5, got 30"],
    ["{ left: { at_most: 3 } }", "left.at_most", "expected a known option"],
  ])("when: %s", async (when, path, words) => {
    const [problem = ""] = await problemsOf(loadText(`rules: [ { id: a, when: ${when} } ]`));
    expect(problem).toContain(` rules[0].when.${path}: expected `);
    expect(problem).toContain(words);
  });

  test.each(["{ }", "[ { period: hp } ]", "rouge"])("when: %s, which is no condition", async (when) => {
    expect(await problemsOf(loadText(`instance: vigie\nrules:\n  - id: a\n    when: ${when}\n`))).toEqual([
      expect.stringContaining(
        ":4:11 rules[0].when: expected a condition, such as { day: next, color: rouge }, got ",
      ),
    ]);
  });

  test.each([
    ["id: Rouge", "rules[0].id", "expected small letters and digits"],
    [`id: ${"a".repeat(41)}`, "rules[0].id", "at most 40"],
    ["id: a, lead: 25h", "rules[0].lead", "expected a duration from 0s to 24h"],
    ["id: a, hold: soon", "rules[0].hold", "expected a duration from 0s to 24h"],
    ["id: a, when_unknown: maybe", "rules[0].when_unknown", "expected one of on, off"],
    ["id: a, threshold: 0.6", "rules[0].threshold", "expected a whole percent from 0 to 100"],
    ["id: a, name: {}", "rules[0].name", "expected a name of at most 100 characters"],
    ["id: a, treshold: 60", "rules[0].treshold", "(did you mean threshold?)"],
  ])("%s", async (parts, place, words) => {
    const problems = await problemsOf(loadText(`rules: [ { ${parts}, when: { period: hp } } ]`));
    expect(problems.join("\n")).toContain(place);
    expect(problems.join("\n")).toContain(words);
  });

  test("an id that comes twice, beside other problems", async () => {
    const one = "{ id: a, when: { period: hp } }";
    const problems = await problemsOf(loadText(`rules:\n  - ${one}\n  - { id: a, when: { period: hx } }\n`));
    expect(problems).toEqual([
      expect.stringContaining(':3:11 rules[1].id: expected an id that no other rule has, got "a"'),
      expect.stringContaining(":3:30 rules[1].when.period: expected one of hp, hc"),
    ]);
  });

  test("rules that are no list, and a rule that is none", async () => {
    expect(await problemsOf(loadText("rules: { a: 1 }"))).toEqual([
      expect.stringContaining("expected a list of rules"),
    ]);
    expect(await problemsOf(loadText("rules: [rouge]"))).toEqual([
      expect.stringContaining("expected a rule, such as"),
    ]);
  });

  test("a rule without a condition", async () => {
    expect(await problemsOf(loadText("rules: [ { id: a } ]"))).toEqual([
      expect.stringContaining(
        "rules[0].when: expected a condition, such as { day: next, color: rouge }, got nothing",
      ),
    ]);
  });
});

describe("a rule that refers to others", () => {
  const rule = (id: string, refersTo: string[], more = "") =>
    `  - { id: ${id}, ${more}when: { any: [ { period: hp }${refersTo.map((to) => `, { rule: ${to} }`).join("")} ] } }\n`;
  const problemsOfRules = async (...rules: string[]) =>
    (await problemsOf(loadText(`rules:\n${rules.join("")}`))).map((problem) =>
      problem.replace(/^[^ ]*vigie.yaml/, ""),
    );

  test("may stand before and after them, and several may refer to one", async () => {
    const rules = await rulesOf(
      [
        rule("top", ["left", "right"]),
        rule("left", ["base"]),
        rule("right", ["base"]),
        rule("base", []),
      ].join(""),
    );
    expect(rules[1]?.when).toEqual({
      kind: "any",
      parts: [
        { kind: "period", period: "hp" },
        { kind: "rule", rule: "base" },
      ],
    });
  });

  test("is refused with the nearest id where there is no such rule", async () => {
    expect(await problemsOfRules(rule("guests", []), rule("heating", ["gests"]))).toEqual([
      ':3:59 rules[1].when.any[1].rule: expected the id of another rule, such as guests, got "gests"',
    ]);
    expect(await problemsOfRules(rule("heating", ["guests"]))).toEqual([
      ':2:59 rules[0].when.any[1].rule: expected the id of another rule, but there is no other rule, got "guests"',
    ]);
  });

  test("is refused where the rules form a circle, which is named", async () => {
    const CIRCLE = "expected no circle of rules, because none of them could be decided first";
    expect(await problemsOfRules(rule("a", ["a"]))).toEqual([
      `:2:53 rules[0].when.any[1].rule: ${CIRCLE} (a → a), got "a"`,
    ]);
    expect(
      await problemsOfRules(rule("start", ["a"]), rule("a", ["b"]), rule("b", ["c"]), rule("c", ["a"])),
    ).toEqual([`:5:53 rules[3].when.any[1].rule: ${CIRCLE} (a → b → c → a), got "a"`]);
    const two = await problemsOfRules(rule("a", ["b", "c"]), rule("b", ["a"]), rule("c", ["a"]));
    expect(two.map((problem) => /\(.*\)/.exec(problem)?.[0])).toEqual(["(a → b → a)", "(a → c → a)"]);
  });

  test("is refused where leads and lags along the chain are more than 24 hours together", async () => {
    const base = rule("base", [], "lag: 12h, ");
    expect(await problemsOfRules(base, rule("a", ["base"], "lead: 12h, "), "")).toEqual([]);
    expect(
      await problemsOfRules(rule("top", ["a"]), rule("a", ["base"], "lead: 11h, lag: 61m, "), base),
    ).toEqual([
      ':3:74 rules[1].when.any[1].rule: expected at most 24h of lead and lag along a chain of rules (a 721m → base 12h: 1441m), got "base"',
    ]);
  });

  test("may have 24 hours of each while nothing else in its chain has any", async () => {
    expect(await problemsOfRules(rule("alone", [], "lead: 24h, lag: 24h, "))).toEqual([]);
  });

  test("is refused beside other problems", async () => {
    expect(await problemsOfRules(rule("a", ["a"]), rule("b", ["aa"], "hold: soon, "))).toEqual([
      expect.stringContaining("no circle of rules"),
      expect.stringContaining("rules[1].hold: expected a duration"),
      expect.stringContaining("such as a, got"),
    ]);
  });

  const length = LONG ? 1_000 : 200;
  test(`may have a chain of ${length} rules`, async () => {
    const rules = Array.from({ length }, (_, index) =>
      rule(`r${index}`, index === length - 1 ? [] : [`r${index + 1}`]),
    );
    expect(await rulesOf(rules.join(""))).toHaveLength(length);
  });
});

test("warnings of rules are those of the configuration", async () => {
  const { warnings } = await loadText(
    "rules: [ { id: a, when: { all: [ { period: hp }, { period: hc } ] } } ]",
  );
  expect(warnings).toEqual([
    expect.stringMatching(/^config\/vigie\.yaml:1:10 rules\[0\] a: can never be ON/),
  ]);
});
