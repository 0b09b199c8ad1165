import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillPlaceholders, findPlaceholders, PLACEHOLDERS } from "../../../src/core/outputs/placeholders.ts";
import { anyText } from "../../support/any-text.ts";
import { anyFacts, rougeFacts } from "../../support/facts.ts";

describe("placeholders", () => {
  test.each([
    ["now.color", "rouge"],
    ["now.date", "2026-01-05"],
    ["now.confidence", "100"],
    ["now.period", "hp"],
    ["now.rate", "0.706"],
    ["next.color", "rouge"],
    ["next.date", "2026-01-06"],
    ["next.day", "Tuesday 6 January"],
    ["next.confidence", "100"],
    ["today.date", "2026-01-05"],
    ["tomorrow.color", "rouge"],
    ["d2.date", "2026-01-07"],
    ["d7.day", "Monday 12 January"],
    ["next_rouge.date", "2026-01-06"],
    ["next_rouge.day", "Tuesday 6 January"],
    ["left.rouge", "21"],
    ["left.blanc", "34"],
    ["remaining.bleu", "185"],
  ])("{%s} reads %s", (name, value) => {
    expect(fillPlaceholders(`<{${name}}>`, rougeFacts, "en")).toBe(`<${value}>`);
  });

  test("say a day in the language of the household", () => {
    expect(fillPlaceholders("{now.day}, {tomorrow.day}", rougeFacts, "fr")).toBe(
      "lundi 5 janvier, mardi 6 janvier",
    );
    expect(fillPlaceholders({ day: "{next.day}" }, rougeFacts, "fr")).toBe('{"day":"mardi 6 janvier"}');
  });

  test("read None where nothing is known", () => {
    const facts = rougeFacts();
    const unknown = { ...facts, moment: null, dated: { ...facts.dated, season: null, left: null } };
    const unsaid = PLACEHOLDERS.filter((name) => !name.startsWith("next_rouge."));
    for (const name of unsaid) expect(fillPlaceholders(`{${name}}`, () => unknown, "en")).toBe("None");
  });

  test("leave JSON alone", () => {
    const json = '{"state":"ON","color":"{next.color}","deep":{"a":1}}';
    expect(fillPlaceholders(json, rougeFacts, "en")).toBe(json.replace("{next.color}", "rouge"));
    expect(findPlaceholders(json)).toEqual(["next.color"]);
  });

  test("become JSON values in an object where they are a whole text", () => {
    const template = {
      method: "Set",
      params: { "{now.color}": ["{now.color}", "{left.rouge}", "{now.rate}"], text: "{left.rouge} left" },
      on: false,
      nothing: null,
      other: "{color}",
    };
    expect(JSON.parse(fillPlaceholders(template, rougeFacts, "en"))).toEqual({
      method: "Set",
      params: { "{now.color}": ["rouge", 21, 0.706], text: "21 left" },
      on: false,
      nothing: null,
      other: "{color}",
    });
    const unknown = { ...rougeFacts(), moment: null };
    expect(fillPlaceholders({ a: "{now.color}", b: "<{now.color}>" }, () => unknown, "en")).toBe(
      '{"a":null,"b":"<None>"}',
    );
    expect(findPlaceholders(template)).toEqual([
      "now.color",
      "left.rouge",
      "now.rate",
      "left.rouge",
      "color",
    ]);
  });

  test("are found whether known or not", () => {
    expect(findPlaceholders("{color} {Next.color} {next.colour.} {} {a b} {left.green}")).toEqual([
      "color",
      "Next.color",
      "left.green",
    ]);
  });

  test("are never empty, and nothing else of a text changes", () => {
    fc.assert(
      fc.property(
        anyFacts,
        anyText({ maxLength: 20 }),
        fc.constantFrom(...PLACEHOLDERS),
        (facts, text, name) => {
          const around = text.replaceAll(/[{}]/g, "");
          const filled = fillPlaceholders(`${around}{${name}}${around}`, () => facts, "en");
          expect(filled.startsWith(around) && filled.endsWith(around)).toBe(true);
          expect(filled.length).toBeGreaterThan(2 * around.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
