import { describe, expect, it } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { dayFacts } from "../../../src/core/facts/day-facts.ts";
import { forecast, official, saidByRte } from "../../support/known-days.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, UNPRICED } from "../../support/tariff.ts";

const NOON = Date.parse("2026-01-05T12:00:00+01:00");
const factsOf = (date: string, day: KnownDay | undefined, tariff = UNPRICED) =>
  dayFacts(date, day, NOON, tariff);

describe("a day", () => {
  it("has its official colour with certainty, whatever was forecast", () => {
    expect(factsOf("2026-01-06", { ...official("bleu"), ...forecast("rouge") })).toMatchObject({
      color: "bleu",
      confidence: 1,
      official: true,
      source: "official",
      explanation: null,
    });
  });

  it.each([
    ["RTE", saidByRte("rouge")],
    ["the service", official("rouge")],
  ])(
    "that %s names has no forecast as its source, and keeps the explanation of the same colour",
    (_, word) => {
      expect(factsOf("2026-01-06", { ...word, ...forecast("rouge", { source: "forecast" }) })).toMatchObject({
        official: true,
        source: "official",
        explanation: "cold and no wind",
      });
    },
  );

  it("else has the forecast's colour and confidence, and none where it has none", () => {
    expect(factsOf("2026-01-07", forecast("rouge"))).toMatchObject({
      color: "rouge",
      confidence: 0.8,
      official: false,
      stage: "forecast",
    });
    expect(factsOf("2026-01-07", forecast("rouge", { confidence: null })).confidence).toBeNull();
  });

  it.each([
    ["official, not final, not begun", "2026-01-06", official("rouge", { confirmed: false }), "announced"],
    ["official and final", "2026-01-06", official("rouge"), "final"],
    ["official, not final, begun", "2026-01-05", official("rouge", { confirmed: false }), "final"],
    ["forecast, though begun", "2026-01-05", forecast("rouge"), "forecast"],
    ["forecast without a colour", "2026-01-06", forecast(null), null],
    ["of which nothing is known", "2026-01-06", undefined, null],
    [
      "of which only a prediction is known",
      "2026-01-06",
      { prediction: { color: "bleu", confidence: 1 } },
      null,
    ],
  ] as const)("%s has its stage", (_, date, day, stage) => {
    expect(factsOf(date, day).stage).toBe(stage);
  });

  it("is final from its start on, not a second before", () => {
    const day = official("rouge", { confirmed: false });
    const stage = (at: string) => dayFacts("2026-01-06", day, Date.parse(at), UNPRICED).stage;
    expect(stage("2026-01-06T05:59:59+01:00")).toBe("announced");
    expect(stage("2026-01-06T06:00:00+01:00")).toBe("final");
  });

  it.each([
    ["rouge on a Saturday", "2026-01-10", "rouge"],
    ["rouge in July", "2026-07-15", "rouge"],
    ["blanc on a Sunday", "2026-01-11", "blanc"],
  ] as const)("forecast as %s is unknown: the tariff rules it out", (_, date, color) => {
    expect(factsOf(date, forecast(color))).toMatchObject({
      color: null,
      confidence: null,
      stage: null,
      source: "model",
      explanation: "cold and no wind",
    });
    expect(factsOf(date, forecast(color), { ...UNPRICED, laws: "off" }).color).toBe(color);
    expect(factsOf(date, official(color)).color).toBe(color);
  });

  it("of which nothing is known stays unknown, even where only bleu is allowed", () => {
    expect(factsOf("2026-01-11", undefined).color).toBeNull();
    expect(factsOf("2026-01-11", undefined, { ...UNPRICED, rates: [AUGUST_PRICES] }).color).toBeNull();
  });

  it("has the colour that it was revised from", () => {
    expect(factsOf("2026-01-06", official("rouge", { revised_from: "bleu" })).revised_from).toBe("bleu");
    expect(factsOf("2026-01-06", official("rouge")).revised_from).toBeNull();
  });
});

describe("the rates of a day", () => {
  const rows = { ...UNPRICED, rates: [FEBRUARY_PRICES, AUGUST_PRICES] };
  const owners = { ...rows, rates_first: "owner" } as const;
  const given = { hp: 0.7, hc: 0.2 };

  it.each([
    ["the service's, where it counts first", forecast("rouge", { rates: given }), rows, { hp: 0.7, hc: 0.2 }],
    [
      "the owner's, where it counts first",
      forecast("rouge", { rates: given }),
      owners,
      { hp: 0.7295, hc: 0.1615 },
    ],
    [
      "the other's for a missing half",
      forecast("rouge", { rates: { hp: 0.7, hc: null } }),
      rows,
      { hp: 0.7, hc: 0.1615 },
    ],
    [
      "the service's where the owner has none",
      forecast("rouge", { rates: given }),
      { ...owners, rates: [] },
      given,
    ],
    ["unknown where nobody gives any", forecast("rouge"), UNPRICED, { hp: null, hc: null }],
    ["none without a colour", forecast(null, { rates: given }), rows, { hp: null, hc: null }],
    [
      "those given with the official colour",
      { ...forecast("rouge"), ...official("rouge", { rates: given }) },
      rows,
      given,
    ],
    [
      "the agreeing forecast's for an official day",
      { ...forecast("rouge", { rates: given }), ...official("rouge") },
      rows,
      given,
    ],
    [
      "never the forecast's of another colour",
      { ...forecast("rouge", { rates: given }), ...official("bleu") },
      rows,
      { hp: 0.1654, hc: 0.1356 },
    ],
  ])("are %s", (_, day, tariff, rates) => {
    expect(factsOf("2026-12-01", day, tariff).rates).toEqual(rates);
  });

  it.each([
    ["of a Sunday are those of the only colour that it can have", "2026-12-06", undefined, rows, "laws"],
    ["of a forecast that the tariff rules out, too", "2026-12-06", forecast("blanc"), rows, "laws"],
    ["are unknown where the laws are off", "2026-12-06", undefined, { ...rows, laws: "off" }, null],
    ["are unknown where the tariff leaves two colours", "2026-12-05", undefined, rows, null],
    ["are unknown where the owner has none", "2026-12-06", undefined, UNPRICED, null],
  ] as const)("that nobody has named %s", (_, date, day, tariff, source) => {
    const unknown = { hp: null, hc: null };
    expect(factsOf(date, day, tariff)).toMatchObject({
      color: null,
      official: false,
      stage: null,
      source,
      rates: source === "laws" ? { hp: 0.1654, hc: 0.1356 } : unknown,
    });
  });

  it("are of the row in force when the day starts", () => {
    const hp = (date: string) => factsOf(date, official("bleu"), rows).rates.hp;
    expect([hp("2026-01-31"), hp("2026-02-01"), hp("2026-07-31"), hp("2026-08-01")]).toEqual([
      null,
      0.1612,
      0.1612,
      0.1654,
    ]);
  });
});
