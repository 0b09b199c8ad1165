import { describe, expect, it } from "vitest";
import { isoInstant } from "../../../src/core/calendar/dates.ts";
import type { Instant } from "../../../src/core/calendar/tariff.ts";
import type { KnownDays } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { RateSpan } from "../../../src/core/facts/facts.ts";
import { factsInputAt, forecast, knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { AUGUST_PRICES, UNPRICED } from "../../support/tariff.ts";

const iso = (at: Instant | null) => at && isoInstant(at);
const datedOf = (at: string, knownDays: KnownDays, tariff = UNPRICED) =>
  deriveFacts(factsInputAt(at, knownDays), tariff).dated;
const PRICED = { ...UNPRICED, rates: [{ ...AUGUST_PRICES, from: "2025-08-01" }] };

describe("at noon of the first of two rouge days", () => {
  const rouge = { "2026-01-05": "rouge", "2026-01-06": "rouge" } as const;
  const knownDays = knownDaysOf(officialDays("2025-09-01", "2026-01-07", rouge));
  const { moment, dated } = deriveFacts(factsInputAt("2026-01-05T12:00:00+01:00", knownDays), PRICED);

  it("the colour in force holds to the end of the tariff day, and changes after the second", () => {
    expect(iso(moment?.now.color_until ?? null)).toBe("2026-01-06T05:00:00Z");
    expect(iso(dated.next_change.color)).toBe("2026-01-07T05:00:00Z");
  });

  it("the next rouge is the second, and the first counts as used", () => {
    expect(dated.next_rouge).toEqual({ date: "2026-01-06", confidence: 1, outlook: "known" });
    expect(dated.used?.rouge).toBe(1);
  });

  it("period and rate change at 22:00", () => {
    expect(iso(dated.next_change.period)).toBe("2026-01-05T21:00:00Z");
    expect(iso(dated.next_change.rate)).toBe("2026-01-05T21:00:00Z");
  });
});

describe("the next change", () => {
  const noon = "2026-01-05T12:00:00+01:00";
  const bleu = official("bleu");

  it.each([
    ["counts forecasts", { "2026-01-05": bleu, "2026-01-06": forecast("blanc") }, "2026-01-06T05:00:00Z"],
    ["is unknown behind an unknown day", { "2026-01-05": bleu, "2026-01-07": official("rouge") }, null],
    ["is unknown where nothing known differs", { "2026-01-05": bleu, "2026-01-06": bleu }, null],
    ["is unknown while the colour in force is", { "2026-01-06": official("rouge") }, null],
    [
      "does not count a forecast that the tariff rules out",
      { "2026-01-05": bleu, "2026-01-06": forecast("rouge"), "2026-01-10": forecast("rouge") },
      "2026-01-06T05:00:00Z",
    ],
  ])("of the colour %s", (_, days, expected) => {
    expect(iso(datedOf(noon, knownDaysOf(days)).next_change.color)).toBe(expected);
  });

  it("of the rate is not where the period changes and the rate stays", () => {
    const equal = { hp: 0.2, hc: 0.2 };
    const flat = { from: "2025-08-01", bleu: equal, blanc: equal, rouge: { hp: 0.7, hc: 0.2 } };
    const days = officialDays("2026-01-05", "2026-01-07", { "2026-01-06": "blanc", "2026-01-07": "rouge" });
    const { next_change } = datedOf(noon, knownDaysOf(days), { ...UNPRICED, rates: [flat] });
    expect(iso(next_change.rate)).toBe("2026-01-07T05:00:00Z");
    expect(iso(next_change.color)).toBe("2026-01-06T05:00:00Z");
  });

  it("of the rate is that to the only colour that an unknown Sunday can have", () => {
    const equal = { hp: 0.1921, hc: 0.1921 };
    const rates = [{ ...AUGUST_PRICES, from: "2025-08-01", blanc: equal }];
    const knownDays = knownDaysOf({ "2026-01-10": official("blanc") });
    const { next_change } = datedOf("2026-01-10T12:00:00+01:00", knownDays, { ...UNPRICED, rates });
    expect(iso(next_change.rate)).toBe("2026-01-11T05:00:00Z");
  });

  it.each([
    ["no price is known", UNPRICED, knownDaysOf({ "2026-01-05": bleu })],
    ["the colour in force is unknown", PRICED, knownDaysOf({ "2026-01-06": bleu })],
  ])("of the rate is unknown while %s", (_, tariff, knownDays) => {
    expect(datedOf(noon, knownDays, tariff).next_change.rate).toBeNull();
  });

  it("of the rate is unknown where a missing rate comes first", () => {
    const half = official("bleu", { rates: { hp: 0.2, hc: null } });
    const whole = official("rouge", { rates: { hp: 0.7, hc: 0.3 } });
    const knownDays = knownDaysOf({ "2026-01-05": half, "2026-01-06": whole });
    expect(datedOf(noon, knownDays).next_change.rate).toBeNull();
  });

  it("of the rate is ahead of now, whatever changed earlier in the tariff day", () => {
    const knownDays = knownDaysOf({ "2026-01-05": bleu, "2026-01-06": bleu });
    expect(iso(datedOf("2026-01-05T23:00:00+01:00", knownDays, PRICED).next_change.rate)).toBe(
      "2026-01-06T05:00:00Z",
    );
  });

  it("of the period does not exist where there is no off-peak window", () => {
    expect(datedOf(noon, knownDaysOf({}), { ...UNPRICED, off_peak: [] }).next_change.period).toBeNull();
  });
});

describe("what-if: The season ends · the next rouge and the next blanc", () => {
  const monday = "2026-01-05T12:00:00+01:00";

  it.each([
    [
      "a forecast counts, with its confidence",
      { "2026-01-06": official("bleu"), "2026-01-07": forecast("rouge") },
      "2026-01-07",
      0.8,
      "known",
    ],
    ["an unknown weekday hides what comes after", { "2026-01-07": official("rouge") }, null, null, "unknown"],
    ["nothing known at all", {}, null, null, "unknown"],
    ["all known, none of it rouge", officialDays("2026-01-06", "2026-01-12"), null, null, "none_in_horizon"],
    ["the end of the horizon is d7", officialDays("2026-01-06", "2026-01-11"), null, null, "unknown"],
    [
      "days beyond the horizon do not count",
      officialDays("2026-01-06", "2026-01-13", { "2026-01-13": "rouge" }),
      null,
      null,
      "none_in_horizon",
    ],
  ] as const)("rouge: %s", (_, days, date, confidence, outlook) => {
    expect(datedOf(monday, knownDaysOf(days)).next_rouge).toEqual({ date, confidence, outlook });
  });

  it("an unknown day that the tariff rules out hides nothing", () => {
    const days = officialDays("2026-01-06", "2026-01-12", { "2026-01-12": "rouge" });
    const { "2026-01-10": _saturday, "2026-01-11": _sunday, ...others } = days;
    const { next_rouge, next_blanc } = datedOf(monday, knownDaysOf(others));
    expect(next_rouge).toMatchObject({ date: "2026-01-12", outlook: "known" });
    expect(next_blanc).toMatchObject({ date: null, outlook: "unknown" });
  });

  it("count from next on: a rouge day in force is not the next one", () => {
    const knownDays = knownDaysOf(officialDays("2026-01-05", "2026-01-12", { "2026-01-05": "rouge" }));
    expect(datedOf(monday, knownDays).next_rouge.date).toBeNull();
    expect(datedOf("2026-01-05T05:59:59+01:00", knownDays).next_rouge.date).toBe("2026-01-05");
  });

  it.each([
    ["2026-03-30T05:59:59+02:00", "unknown"],
    ["2026-03-31T05:59:59+02:00", "unknown"],
    ["2026-03-31T06:00:00+02:00", "season_over"],
    ["2026-08-30T12:00:00+02:00", "season_over"],
    ["2026-08-31T12:00:00+02:00", "none_in_horizon"],
    ["2026-10-24T12:00:00+02:00", "none_in_horizon"],
    ["2026-10-26T12:00:00+01:00", "unknown"],
  ])("with no known day at %s the outlook for rouge is %s", (at, outlook) => {
    expect(datedOf(at, knownDaysOf({})).next_rouge.outlook).toBe(outlook);
  });

  it("without the laws of the tariff no season is over", () => {
    const tariff = { ...UNPRICED, laws: "off" } as const;
    expect(datedOf("2026-07-01T12:00:00+02:00", knownDaysOf({}), tariff).next_rouge.outlook).toBe("unknown");
    const days = officialDays("2026-07-02", "2026-07-08");
    expect(datedOf("2026-07-01T12:00:00+02:00", knownDaysOf(days), tariff).next_rouge.outlook).toBe(
      "none_in_horizon",
    );
  });
});

describe("yesterday", () => {
  it("is the civil date before today, with the official colour and the prediction of history", () => {
    const prediction = { color: "blanc", confidence: 0.6 } as const;
    const knownDays = knownDaysOf({ "2026-01-04": { ...official("rouge"), prediction } });
    expect(datedOf("2026-01-05T00:00:00+01:00", knownDays).yesterday).toEqual({
      date: "2026-01-04",
      color: "rouge",
      predicted_color: "blanc",
      prediction_confidence: 0.6,
    });
  });

  it("is unknown where only a forecast is known", () => {
    const knownDays = knownDaysOf({ "2026-01-04": forecast("rouge") });
    expect(datedOf("2026-01-05T12:00:00+01:00", knownDays).yesterday).toMatchObject({
      color: null,
      predicted_color: null,
    });
  });
});

describe("the forecast", () => {
  const UPDATE = Date.parse("2026-01-05T00:00:00Z");

  it("lists the days from today to d7 that an answer has named", () => {
    const knownDays = knownDaysOf(
      {
        "2026-01-04": official("bleu"),
        "2026-01-05": official("bleu"),
        "2026-01-06": forecast(null, { raw: "violet" }),
        "2026-01-08": forecast("rouge"),
        "2026-01-09": { prediction: { color: "bleu", confidence: 1 } },
        "2026-01-12": forecast("bleu"),
        "2026-01-13": forecast("bleu"),
      },
      { updated_at: UPDATE },
    );
    const { forecast: listed } = datedOf("2026-01-05T03:00:00+01:00", knownDays);
    expect(listed.updated_at).toBe(UPDATE);
    expect(listed.days.map(({ date, color }) => [date, color])).toEqual([
      ["2026-01-05", "bleu"],
      ["2026-01-06", null],
      ["2026-01-08", "rouge"],
      ["2026-01-12", "bleu"],
    ]);
  });
});

describe("the rates ahead", () => {
  const knownDays = knownDaysOf({
    "2026-01-04": official("bleu"),
    "2026-01-05": official("rouge"),
    "2026-01-06": forecast("blanc"),
    "2026-01-08": official("bleu"),
  });
  const lines = (spans: RateSpan[]) => spans.map(({ start, end, value }) => [iso(start), iso(end), value]);
  const announced = [
    ["2026-01-04T05:00:00Z", "2026-01-04T21:00:00Z", 0.1654],
    ["2026-01-04T21:00:00Z", "2026-01-05T05:00:00Z", 0.1356],
    ["2026-01-05T05:00:00Z", "2026-01-05T21:00:00Z", 0.7295],
    ["2026-01-05T21:00:00Z", "2026-01-06T05:00:00Z", 0.1615],
  ];

  it("run from the start of the tariff day in force to the end of the last announced day", () => {
    expect(lines(datedOf("2026-01-05T05:59:59+01:00", knownDays, PRICED).rates)).toEqual(announced);
  });

  it("change at 00:00 where other off-peak hours begin, with the price of the tariff day in force", () => {
    const tariff = {
      ...PRICED,
      off_peak: [
        { from: "2026-01-06", windows: [{ from: "02:00", to: "07:00" }] },
        { windows: [{ from: "22:00", to: "06:00" }] },
      ],
    };
    const { rates, next_change } = datedOf("2026-01-05T23:00:00+01:00", knownDays, tariff);
    expect(lines(rates)).toEqual([
      ["2026-01-05T05:00:00Z", "2026-01-05T21:00:00Z", 0.7295],
      ["2026-01-05T21:00:00Z", "2026-01-05T23:00:00Z", 0.1615],
      ["2026-01-05T23:00:00Z", "2026-01-06T01:00:00Z", 0.7295],
      ["2026-01-06T01:00:00Z", "2026-01-06T05:00:00Z", 0.1615],
    ]);
    expect([next_change.period, next_change.rate].map(iso)).toEqual([
      "2026-01-05T23:00:00Z",
      "2026-01-05T23:00:00Z",
    ]);
  });

  it("go on with forecasts to the first unknown hour", () => {
    expect(lines(datedOf("2026-01-05T05:59:59+01:00", knownDays, PRICED).rates_forecast)).toEqual([
      ...announced,
      ["2026-01-06T05:00:00Z", "2026-01-06T21:00:00Z", 0.1921],
      ["2026-01-06T21:00:00Z", "2026-01-07T05:00:00Z", 0.1536],
    ]);
  });

  it("go on over a Sunday that nobody has named, as it can only be bleu", () => {
    const days = { "2026-01-10": official("blanc"), "2026-01-12": forecast("blanc") };
    const input = factsInputAt("2026-01-10T12:00:00+01:00", knownDaysOf(days));
    const { rates, rates_forecast, next_change, used } = deriveFacts(input, PRICED).dated;
    expect(lines(rates)).toEqual([
      ["2026-01-10T05:00:00Z", "2026-01-10T21:00:00Z", 0.1921],
      ["2026-01-10T21:00:00Z", "2026-01-11T05:00:00Z", 0.1536],
    ]);
    expect(rates_forecast.map(({ value }) => value)).toEqual([
      0.1921, 0.1536, 0.1654, 0.1356, 0.1921, 0.1536,
    ]);
    expect([iso(next_change.color), used]).toEqual([null, null]);
    const doubted = deriveFacts({ ...input, clock: { at: input.clock.at, right: false } }, PRICED).dated;
    expect(doubted.rates_forecast).toHaveLength(2);
  });

  it("end in the middle of a day where a rate is not known", () => {
    const half = knownDaysOf({ "2026-01-05": official("bleu", { rates: { hp: 0.2, hc: null } }) });
    expect(lines(datedOf("2026-01-05T12:00:00+01:00", half).rates)).toEqual([
      ["2026-01-05T05:00:00Z", "2026-01-05T21:00:00Z", 0.2],
    ]);
  });

  it("are none while the day in force is not announced", () => {
    const unsure = knownDaysOf({ "2026-01-05": forecast("bleu"), "2026-01-06": official("bleu") });
    const { rates, rates_forecast } = datedOf("2026-01-05T12:00:00+01:00", unsure, PRICED);
    expect(rates).toEqual([]);
    expect(rates_forecast).toHaveLength(4);
  });
});
