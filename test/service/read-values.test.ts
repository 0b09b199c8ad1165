import { describe, expect, it } from "vitest";
import { type ReadSettings, spellingsOf } from "../../src/service/read-values.ts";
import { readForecasts } from "./read-forecasts.ts";

function readDay(day: object, settings: Partial<ReadSettings> = {}) {
  const [first] = readForecasts({ today: { date: "2026-01-05", ...day } }, settings).answer.days;
  if (first === undefined) throw new Error("Expected a day");
  return first;
}

describe("colours", () => {
  it.each([
    ["rouge", "rouge"],
    ["ROUGE", "rouge"],
    [" Red ", "rouge"],
    ["r", "rouge"],
    ["TEMPO_ROUGE", "rouge"],
    ["Tempo-Rouge", "rouge"],
    ["tempo rouge", "rouge"],
    ["rougé", "rouge"],
    [3, "rouge"],
    ["3", "rouge"],
    ["blanc", "blanc"],
    ["White", "blanc"],
    [2, "blanc"],
    ["bleu", "bleu"],
    ["BLUE", "bleu"],
    ["1", "bleu"],
  ])("%j is %s", (sent, color) => {
    expect(readDay({ color: sent })).toMatchObject({ color, raw: null });
  });

  it.each([
    ["violet", "violet"],
    ["unknown", "unknown"],
    ["", ""],
    ["b", "b"],
    ["rouge?", "rouge?"],
    ["red\u001b[31m\nfake log line", "red [31m fake log line"],
    [null, "null"],
    [0, "0"],
    [4, "4"],
    [true, "true"],
    [["rouge"], "a list"],
    [{ color: "rouge" }, "an object"],
    [undefined, null],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
  ])("%j is no colour, and is kept as %j", (sent, raw) => {
    expect(readDay({ color: sent })).toMatchObject({ color: null, raw });
  });

  it("the owner's spellings count, before the known ones", () => {
    const spellings = spellingsOf({ ROT: "rouge", "1": "rouge" });
    expect(readDay({ color: "rot" }, { spellings }).color).toBe("rouge");
    expect(readDay({ color: 1 }, { spellings }).color).toBe("rouge");
    expect(readDay({ color: "bleu" }, { spellings }).color).toBe("bleu");
  });

  it("a value that is no colour is a warning", () => {
    const { warnings } = readForecasts({ today: { date: "2026-01-05", color: "violet" } });
    expect(warnings).toEqual([
      'The service sent "violet" as a colour, which vigie does not know: that day has no colour. If it means one, add it to service.colors',
    ]);
  });
});

describe("confidence", () => {
  it.each([
    [0.85, 0.85],
    [1, 1],
    [0, 0],
    ["0.85", 0.85],
    [85, 0.85],
    [100, 1],
    [1.0000000000000002, 1],
    [101, null],
    [-0.1, null],
    ["NaN", null],
    ["85 %", null],
    ["0,85", null],
    ["", null],
    [true, null],
    [null, null],
    [undefined, null],
    [Number.POSITIVE_INFINITY, null],
  ])("%j alone is %s", (sent, confidence) => {
    expect(readDay({ confidence: sent }).confidence).toBe(confidence);
  });

  it("one value over 1 makes the whole answer percent", () => {
    const json = {
      today: { date: "2026-01-05", confidence: 1 },
      tomorrow: { date: "2026-01-06", confidence: 60 },
    };
    const { answer, assumptions } = readForecasts(json);
    expect(answer.days.map((day) => day.confidence)).toEqual([0.01, 0.6]);
    expect(assumptions).toContain("confidence: from 1 to 60, taken as percent");
  });

  it("a value on no scale shows nothing", () => {
    const json = {
      today: { date: "2026-01-05", confidence: 0.9 },
      tomorrow: { date: "2026-01-06", confidence: 250 },
    };
    expect(readForecasts(json).answer.days.map((day) => day.confidence)).toEqual([0.9, null]);
  });

  it("percent that was learnt, and a scale that is configured, count", () => {
    expect(readDay({ confidence: 1 }, { percent: true }).confidence).toBe(0.01);
    expect(readDay({ confidence: 1 }, { percent: true, confidence: "ratio" }).confidence).toBe(1);
    expect(readDay({ confidence: 85 }, { confidence: "ratio" }).confidence).toBeNull();
    expect(readDay({ confidence: 0.5 }, { confidence: "percent" }).confidence).toBe(0.005);
  });
});

describe("prices", () => {
  it.each([
    [0.7295, "EUR/kWh", 0.7295],
    ["0.7295", "EUR/kWh", 0.7295],
    [72.95, "c€/kWh", 0.7295],
    [16.12, "c€/kWh", 0.1612],
    [72.95, "EUR/kWh", null],
    [0.7295, "c€/kWh", null],
    [0, "EUR/kWh", null],
    [-1, "EUR/kWh", null],
    ["free", "EUR/kWh", null],
    [null, "EUR/kWh", null],
  ] as const)("%j in %s is %s", (hp, rate_unit, rate) => {
    expect(readDay({ rates: { hp } }, { rate_unit }).rates).toEqual({ hp: rate, hc: null });
  });

  it("a price in the wrong unit is a warning", () => {
    const { warnings } = readForecasts({
      today: { date: "2026-01-05", color: "bleu", rates: { hp: 16.12, hc: 13.25 } },
    });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("16.12");
  });

  it.each(["0.2", 7, null, []])("rates that are %j lose themselves only", (rates) => {
    expect(readDay({ color: "bleu", rates })).toMatchObject({ color: "bleu", rates: { hp: null, hc: null } });
  });
});
