import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays } from "../../src/core/calendar/dates.ts";
import type { Answer, Request } from "../../src/core/contract/answer.ts";
import { readAnswer } from "../../src/service/read-answer.ts";
import { AnswerUnreadable, RangeIgnored } from "../../src/service/service-errors.ts";
import { runs } from "../support/long.ts";
import { readForecasts, SETTINGS } from "./read-forecasts.ts";

describe("forecasts", () => {
  it("a bad day loses only itself, and is a warning", () => {
    const { answer, warnings } = readForecasts({
      today: { date: "05/01/2026", color: "bleu" },
      tomorrow: { date: "2026-01-06", color: "rouge" },
      forecast: [null, { date: "2026-01-07", color: "blanc" }, "x", { date: "2026-02-30" }],
    });
    expect(answer.days.map(({ date, color }) => [date, color])).toEqual([
      ["2026-01-06", "rouge"],
      ["2026-01-07", "blanc"],
    ]);
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toContain('today: expected a day with a date, got the date "05/01/2026"');
  });

  it("a date that stands there twice counts once, today's and tomorrow's entries first", () => {
    const { answer } = readForecasts({
      forecast: [{ date: "2026-01-06", color: "bleu" }],
      tomorrow: { date: "2026-01-06", color: "rouge" },
    });
    expect(answer.days.map(({ color }) => color)).toEqual(["rouge"]);
  });

  it.each([
    ["2026-01-05T05:30:00Z", Date.UTC(2026, 0, 5, 5, 30)],
    ["2026-01-05T06:30:00+01:00", Date.UTC(2026, 0, 5, 5, 30)],
    ["2026-01-05T05:30:00.123456", Date.UTC(2026, 0, 5, 5, 30, 0, 123)],
    ["2026-01-05 05:30", Date.UTC(2026, 0, 5, 5, 30)],
    ["2026-02-30T05:30:00Z", null],
    ["9999-12-31T23:59:59Z", null],
    ["2026-01-05", null],
    ["just now", null],
    [1767591000, null],
    [null, null],
    [undefined, null],
  ])("updated_at %j is %s", (updated_at, at) => {
    expect(readForecasts({ updated_at, today: { date: "2026-01-05" } }).answer.updated_at).toBe(at);
  });

  it.each([
    null,
    [],
    "rouge",
    7,
    {},
    { today: null, tomorrow: null, forecast: [] },
    { today: {}, forecast: {} },
    { forecast: [{}] },
  ])("%j is no answer", (json) => {
    expect(() => readForecasts(json)).toThrow(AnswerUnreadable);
  });
});

describe("one date", () => {
  const ask = (json: unknown) => {
    const { answer } = readAnswer({ kind: "date", date: "2026-01-05" }, json, SETTINGS);
    if (answer.kind !== "date") throw new Error("Expected a date");
    return answer;
  };

  it.each([
    [true, true],
    [false, false],
    ["true", null],
    [1, null],
    [null, null],
    [undefined, null],
  ])("is_official %j is %s", (is_official, official) => {
    expect(ask({ date: "2026-01-05", color: "rouge", is_official }).is_official).toBe(official);
  });

  it.each([{ date: "2026-01-06", color: "rouge", is_official: true }, { color: "rouge" }, null, []])(
    "%j does not answer for 2026-01-05",
    (json) => {
      expect(() => ask(json)).toThrow(AnswerUnreadable);
    },
  );
});

describe("history", () => {
  const ask = (json: unknown) => {
    const { answer } = readAnswer(
      { kind: "history", start: "2026-01-05", end: "2026-01-07" },
      json,
      SETTINGS,
    );
    if (answer.kind !== "history") throw new Error("Expected history");
    return answer.entries;
  };

  it("what is unsorted, doubled or outside the range is sorted out", () => {
    const dates = ["2026-01-07", "2026-01-04", "2026-01-05", "2026-01-07", "2026-01-08"];
    const entries = ask(dates.map((date, index) => ({ date, color: "bleu", hp_rate: 0.1 + index / 100 })));
    expect(entries.map(({ date, rates }) => [date, rates.hp])).toEqual([
      ["2026-01-05", 0.12000000000000001],
      ["2026-01-07", 0.1],
    ]);
  });

  it("a bad entry loses itself only; an empty list is an answer", () => {
    expect(
      ask([{ color: "bleu" }, { date: "2026-01-06", color: "x", predicted_color: "red" }]),
    ).toMatchObject([
      { date: "2026-01-06", color: null, raw: "x", predicted_color: "rouge", prediction_confidence: null },
    ]);
    expect(ask([])).toEqual([]);
  });

  it.each([null, {}, "x", [1, 2], [{ color: "bleu" }]])("%j is no history", (json) => {
    expect(() => ask(json)).toThrow(AnswerUnreadable);
  });

  it("days that all lie elsewhere show that the range was not understood", () => {
    expect(() => ask([{ date: "2026-01-08" }])).toThrow(RangeIgnored);
  });
});

describe("season", () => {
  const said = {
    season: "2025-2026",
    start_date: "2025-09-01",
    end_date: "2026-08-31",
    remaining: { rouge: 20, blanc: 40, bleu: 200 },
    total: { rouge: 22, blanc: 43, bleu: 300 },
    days_elapsed: 105,
    days_remaining: 260,
  };
  const ask = (json: unknown, label?: string) =>
    readAnswer({ kind: "season", ...(label !== undefined && { label }) }, json, SETTINGS).answer;

  it("is read", () => {
    expect(ask(said, "2025-2026")).toEqual({
      kind: "season",
      season: {
        label: "2025-2026",
        start: "2025-09-01",
        end: "2026-08-31",
        remaining: said.remaining,
        total: said.total,
        days_elapsed: 105,
        days_remaining: 260,
      },
    });
  });

  it.each([
    [{ ...said, remaining: { rouge: 20, blanc: 40 } }, "remaining.bleu"],
    [{ ...said, days_elapsed: 1.5 }, "days_elapsed"],
    [{ ...said, start_date: "2026-09-01" }, "start"],
    [{ ...said, season: "2025" }, "season"],
    [null, "answer"],
  ])("%# what lacks a count or contradicts itself is no season", (json, word) => {
    expect(() => ask(json)).toThrow(new RegExp(`cannot be read: .*${word}`));
  });

  it("another season than the one asked for is no answer", () => {
    expect(() => ask(said, "2024-2025")).toThrow('Expected the season 2024-2025, got "2025-2026"');
  });
});

describe("whatever comes", () => {
  const requests: Request[] = [
    { kind: "forecasts" },
    { kind: "date", date: "2026-01-05" },
    { kind: "season" },
    { kind: "history", start: "2026-01-01", end: "2026-12-31" },
  ];
  const date = fc.oneof(
    fc.integer({ min: 0, max: 400 }).map((days) => addDays("2026-01-01", days)),
    fc.jsonValue(),
  );
  const color = fc.oneof(
    fc.constantFrom("rouge", "Blanc", "BLEU", 1, 2, 3, "red", "violet", null),
    fc.jsonValue(),
  );
  const number = fc.oneof(fc.double(), fc.integer(), fc.jsonValue());
  const day = fc.record(
    {
      date,
      color,
      confidence: number,
      source: fc.jsonValue(),
      explanation: fc.jsonValue(),
      rates: fc.oneof(fc.record({ hp: number, hc: number }), fc.jsonValue()),
      is_official: fc.jsonValue(),
      hp_rate: number,
      hc_rate: number,
      predicted_color: color,
      prediction_confidence: number,
    },
    { requiredKeys: [] },
  );
  const json = fc.oneof(
    fc.jsonValue(),
    day,
    fc.array(fc.oneof(day, fc.jsonValue())),
    fc.record(
      { today: day, tomorrow: fc.jsonValue(), forecast: fc.array(day), updated_at: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );

  function colorsIn(answer: Answer): (string | null)[] {
    switch (answer.kind) {
      case "forecasts":
        return answer.days.map((said) => said.color);
      case "date":
        return [answer.day.color];
      case "history":
        return answer.entries.flatMap((entry) => [entry.color, entry.predicted_color]);
      case "season":
        return [];
    }
  }

  const SAID = {
    rouge: /"(rouge|red|r|3)"|[:[,]3\b/i,
    blanc: /"(blanc|white|w|2)"|[:[,]2\b/i,
    bleu: /"(bleu|blue|1)"|[:[,]1\b/i,
  };

  it("is an answer or AnswerUnreadable, and holds no colour that was not said", () => {
    fc.assert(
      fc.property(fc.constantFrom(...requests), json, (request, value) => {
        const text = JSON.stringify(value);
        try {
          const { answer, warnings } = readAnswer(request, JSON.parse(text), SETTINGS);
          for (const said of colorsIn(answer))
            if (said !== null) expect(text).toMatch(SAID[said as keyof typeof SAID]);
          for (const warning of warnings) expect(warning.length).toBeLessThan(300);
          expect(answer.kind).toBe(request.kind);
        } catch (error) {
          if (!(error instanceof AnswerUnreadable)) throw error;
          expect(error.message.length).toBeLessThan(1500);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it("is answered even where it holds a hundred thousand numbers", () => {
    const days = Array.from({ length: 50_000 }, (_, index) => ({
      date: addDays("2026-01-01", index),
      rates: { hp: 0.1, hc: 0.2 },
    }));
    expect(readForecasts({ forecast: days }).assumptions).toContain(
      "prices: from 0.1 to 0.2, taken as EUR/kWh",
    );
  });

  it("is answered even where it is nested a hundred thousand deep", () => {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(
      readForecasts({ today: { date: "2026-01-05", color: deep, rates: deep, confidence: deep } }).answer
        .days,
    ).toHaveLength(1);
  });
});
