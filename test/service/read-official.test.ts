import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OfficialRequest } from "../../src/core/contract/answer.ts";
import { countingWords, describeUnusable, whyFailure } from "../../src/core/days/official-answer.ts";
import { readOfficial, readWordsNow } from "../../src/service/read-official.ts";
import { AnswerUnreadable } from "../../src/service/service-errors.ts";
import { PARIS } from "../support/tariff.ts";

const NOW = Date.parse("2026-01-05T10:40:00+01:00");
const LIGHT: OfficialRequest = { kind: "light" };
const SEASON: OfficialRequest = { kind: "season", label: "2025-2026" };

/** The answer as the client reads it, and what the loop makes of it at this instant. */
function read(request: OfficialRequest, json: unknown, now = NOW, laws: "tempo" | "off" = "tempo") {
  const answer = readOfficial(request, json, { operation: "GET /tempo", tariff: { laws } });
  return {
    answer,
    words: countingWords(answer, now, PARIS),
    failure: whyFailure(answer, now, PARIS),
    warnings: describeUnusable(answer, now, PARIS),
  };
}

/** The words that count as `2026-01-05 rouge`. */
function words(request: OfficialRequest, values: Record<string, unknown>, now = NOW): string[] {
  return read(request, { values }, now).words.map(({ date, color }) => `${date} ${color}`);
}

describe("today and tomorrow", () => {
  test.each([
    ["both", { "2026-01-05": "RED", "2026-01-06": "WHITE" }, ["2026-01-05 rouge", "2026-01-06 blanc"]],
    ["today only, as tomorrow is not decided", { "2026-01-05": "BLUE" }, ["2026-01-05 bleu"]],
    ["any case", { "2026-01-05": "red", "2026-01-06": "White" }, ["2026-01-05 rouge", "2026-01-06 blanc"]],
    ["no date a year ago", { "2026-01-05": "RED", "2025-01-06": "RED" }, ["2026-01-05 rouge"]],
    ["no date after tomorrow", { "2026-01-05": "RED", "2026-01-07": "RED" }, ["2026-01-05 rouge"]],
    [
      "yesterday as well",
      { "2026-01-04": "BLUE", "2026-01-05": "RED" },
      ["2026-01-04 bleu", "2026-01-05 rouge"],
    ],
  ])("%s", (_case, values, expected) => {
    const { failure, warnings } = read(LIGHT, { values });
    expect(words(LIGHT, values)).toEqual(expected);
    expect([failure, warnings]).toEqual([null, []]);
  });

  test("keys that are no dates are skipped without a word", () => {
    const strange = { "": "RED", today: "RED", "2026-02-30": "RED", "20260105": "RED", "2026-1-5": "RED" };
    const reading = read(LIGHT, { values: { ...strange, "2026-01-05T06:00": "RED", "2026-01-05": "BLUE" } });
    expect(reading.words).toEqual([{ date: "2026-01-05", color: "bleu" }]);
    expect([reading.failure, reading.warnings]).toEqual([null, []]);
  });

  test.each([
    "GREEN",
    "ROUGE",
    " RED",
    "RED ",
    "R",
    "",
    "NOT_AVAILABLE",
    "whıte",
    null,
    3,
    true,
    ["RED"],
    { color: "RED" },
  ])("%j is no word, and is warned of", (word) => {
    const { words, warnings } = read(LIGHT, { values: { "2026-01-05": "BLUE", "2026-01-06": word } });
    expect(words).toEqual([{ date: "2026-01-05", color: "bleu" }]);
    expect(warnings).toEqual([expect.stringMatching(/for 2026-01-06, which is none of BLUE, WHITE, RED/)]);
  });

  test.each([
    ["2026-01-10", "RED", "rouge"],
    ["2026-01-11", "WHITE", "blanc"],
    ["2026-05-04", "RED", "rouge"],
  ])("%s %s, which the tariff forbids, is no word, and is warned of", (date, word, color) => {
    const now = Date.parse(`${date}T10:40:00+01:00`);
    const { words, warnings, failure } = read(LIGHT, { values: { [date]: word } }, now);
    expect(words).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(`the tariff has no ${color} day`)]);
    expect(failure).toContain(`Expected a colour for today, ${date}`);
    expect(read(LIGHT, { values: { [date]: word } }, now, "off").words).toEqual([{ date, color }]);
  });

  test.each([
    ["yesterday's answer", { "2026-01-04": "BLUE" }, ["2026-01-04 bleu"]],
    ["tomorrow only", { "2026-01-06": "RED" }, ["2026-01-06 rouge"]],
    ["today without a word", { "2026-01-05": "", "2026-01-06": "RED" }, ["2026-01-06 rouge"]],
    ["nothing", {}, []],
  ])("%s is a failure, although its words count", (_case, values, expected) => {
    expect(words(LIGHT, values)).toEqual(expected);
    const { failure } = read(LIGHT, { values });
    expect(failure).toMatch(/^Expected a colour for today, 2026-01-05, got (no dates|dates from 2026)/);
    expect(() => readWordsNow(read(LIGHT, { values }).answer, NOW, PARIS)).toThrow(
      new AnswerUnreadable("GET /tempoLight", failure ?? ""),
    );
  });

  test("today is the civil date of the tariff's zone", () => {
    const values = { "2026-01-06": "RED" };
    expect(read(LIGHT, { values }, Date.parse("2026-01-05T23:00:00Z")).failure).toBeNull();
    expect(read(LIGHT, { values }, Date.parse("2026-01-05T22:59:00Z")).failure).not.toBeNull();
  });
});

describe("the season", () => {
  test("fills days that are over only", () => {
    const values = { "2026-01-03": "BLUE", "2026-01-04": "BLUE", "2026-01-05": "RED", "2026-01-06": "RED" };
    expect(words(SEASON, values)).toEqual(["2026-01-03 bleu", "2026-01-04 bleu"]);
  });

  test("leaves out dates of other seasons", () => {
    const values = { "2025-08-31": "BLUE", "2025-09-01": "BLUE", "2026-09-01": "BLUE" };
    expect(words(SEASON, values)).toEqual(["2025-09-01 bleu"]);
  });

  test("of another year is a failure, and nothing of it counts", () => {
    const values = { "2024-12-01": "RED", "2024-12-02": "RED" };
    expect(() => read(SEASON, { values })).toThrow(
      "Expected dates of the season 2025-2026, got dates from 2024-12-01 to 2024-12-02",
    );
  });

  test("without a day, as at its beginning, is an answer", () => {
    expect(read(SEASON, { values: {} })).toMatchObject({ failure: null, words: [] });
  });

  test("names a few of many values that it cannot use", () => {
    const values = Object.fromEntries(
      Array.from({ length: 28 }, (_, index) => [
        `2025-12-${String(index + 1).padStart(2, "0")}`,
        `word ${index}`,
      ]),
    );
    expect(read(SEASON, { values }).warnings).toHaveLength(8);
  });
});

describe("what is no answer", () => {
  test.each([
    [{}, 'an object without "values"'],
    [{ values: null }, 'null as "values"'],
    [{ values: [] }, 'a list as "values"'],
    [{ values: "RED" }, '"RED" as "values"'],
    [[], "a list"],
    [null, "null"],
    ["RED", '"RED"'],
    [42, "42"],
  ])("%j", (json, got) => {
    expect(() => read(LIGHT, json)).toThrow(
      `Expected an object with "values", a colour for each date, got ${got}`,
    );
  });

  test("nothing that JSON can hold breaks the reader, and each word it gives is allowed and asked for", () => {
    const key = fc.oneof(
      fc.string(),
      fc
        .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
      fc.constantFrom("2026-01-04", "2026-01-05", "2026-01-06", "2026-01-07"),
    );
    const value = fc.oneof(fc.constantFrom("RED", "WHITE", "blue"), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(key, value).map((values) => ({ values })),
        ),
        (json) => {
          for (const request of [LIGHT, SEASON]) {
            try {
              for (const { date } of read(request, json).words) {
                expect(date <= (request === LIGHT ? "2026-01-06" : "2026-01-04")).toBe(true);
              }
            } catch (error) {
              expect(error).toBeInstanceOf(AnswerUnreadable);
            }
          }
        },
      ),
    );
  });
});
