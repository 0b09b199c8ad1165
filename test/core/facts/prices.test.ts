import { describe, expect, it } from "vitest";
import type { Tariff } from "../../../src/core/calendar/tariff.ts";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { daysAt } from "../../../src/core/facts/days-view.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import { oldPriceRow } from "../../../src/core/facts/prices.ts";
import { factsInputAt, forecast, knownDaysOf, official, saidByRte } from "../../support/known-days.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, UNPRICED } from "../../support/tariff.ts";

const NOON = "2026-12-07T12:00:00+01:00";
const TABLE = { ...UNPRICED, rates: [AUGUST_PRICES, FEBRUARY_PRICES] };
const NONE = { hp: null, hc: null };

function pricesAt(at: string, days: Record<string, KnownDay>, tariff: Tariff = TABLE) {
  return deriveFacts(factsInputAt(at, knownDaysOf(days)), tariff).dated.prices;
}

describe("the prices in force", () => {
  it("are the owner's newest row that has begun, where the service gives none", () => {
    const { from: _, ...august } = AUGUST_PRICES;
    const { from: __, ...february } = FEBRUARY_PRICES;
    expect(pricesAt(NOON, {})).toMatchObject({ ...august, source: "owner" });
    expect(pricesAt("2026-08-01T05:59:59+02:00", {})).toMatchObject({ ...february, source: "owner" });
    expect(pricesAt("2026-08-01T06:00:00+02:00", {})).toMatchObject({ ...august, source: "owner" });
  });

  it("are unknown where nobody gives any", () => {
    expect(pricesAt(NOON, {}, UNPRICED)).toMatchObject({
      bleu: NONE,
      blanc: NONE,
      rouge: NONE,
      source: null,
    });
    expect(pricesAt("2026-01-05T12:00:00+01:00", {})).toMatchObject({ bleu: NONE, source: null });
  });

  it("are the service's of the latest day of that colour, the owner's for the others", () => {
    const prices = pricesAt(NOON, {
      "2026-12-01": official("bleu", { rates: { hp: 0.1, hc: 0.05 } }),
      "2026-12-04": official("bleu", { rates: { hp: 0.2, hc: 0.15 } }),
      "2026-12-05": official("bleu"),
      "2026-12-08": forecast("bleu", { rates: { hp: 0.3, hc: 0.25 } }),
    });
    expect(prices).toMatchObject({
      bleu: { hp: 0.2, hc: 0.15 },
      blanc: AUGUST_PRICES.blanc,
      source: "service",
    });
  });

  it("are the nearest day's ahead where no day of that colour has begun", () => {
    const prices = pricesAt(NOON, {
      "2026-12-10": forecast("rouge", { rates: { hp: 0.8, hc: 0.2 } }),
      "2026-12-08": forecast("rouge", { rates: { hp: 0.7, hc: 0.1 } }),
    });
    expect(prices.rouge).toEqual({ hp: 0.7, hc: 0.1 });
  });

  it("do not use what the service gave for a day before the row in force, nor for one after it", () => {
    const stale = { "2026-07-31": official("bleu", { rates: { hp: 0.1, hc: 0.05 } }) };
    expect(pricesAt(NOON, stale)).toMatchObject({ bleu: AUGUST_PRICES.bleu, source: "owner" });
    const early = { "2026-08-01": forecast("bleu", { rates: { hp: 0.1, hc: 0.05 } }) };
    expect(pricesAt("2026-07-31T12:00:00+02:00", early)).toMatchObject({
      bleu: FEBRUARY_PRICES.bleu,
      source: "owner",
    });
  });

  it("use only days from now on where no row tells how long a price holds", () => {
    const days = {
      "2026-12-06": official("rouge", { rates: { hp: 0.7, hc: 0.1 } }),
      "2026-12-07": official("bleu", { rates: { hp: 0.2, hc: 0.15 } }),
    };
    expect(pricesAt(NOON, days, UNPRICED)).toMatchObject({
      bleu: { hp: 0.2, hc: 0.15 },
      blanc: NONE,
      rouge: NONE,
      source: "service",
    });
  });

  it("do not use what the service gave with another colour, or with one that the tariff rules out", () => {
    const rates = { hp: 0.7, hc: 0.1 };
    const prices = pricesAt(NOON, {
      "2026-12-07": { ...forecast("rouge", { rates }), ...official("bleu") },
      "2026-12-12": forecast("rouge", { rates }),
    });
    expect(prices).toMatchObject({ bleu: AUGUST_PRICES.bleu, rouge: AUGUST_PRICES.rouge, source: "owner" });
  });

  it("are the owner's where the owner counts first, the service's for what the table lacks", () => {
    const tariff = { ...TABLE, rates_first: "owner" } as const;
    const days = { "2026-12-07": official("bleu", { rates: { hp: 0.2, hc: 0.15 } }) };
    expect(pricesAt(NOON, days, tariff)).toMatchObject({ bleu: AUGUST_PRICES.bleu, source: "owner" });
    expect(pricesAt(NOON, days, { ...tariff, rates: [] })).toMatchObject({
      bleu: { hp: 0.2, hc: 0.15 },
      source: "service",
    });
  });
});

describe("service and owner compared", () => {
  const compare = (hp: number, hc: number | null) =>
    pricesAt(NOON, { "2026-12-07": official("bleu", { rates: { hp, hc } }) }).difference;

  it("differ where one of the two is out of date", () => {
    expect(compare(0.17, 0.1356)).toEqual({
      color: "bleu",
      period: "hp",
      service: 0.17,
      configured: 0.1654,
    });
  });

  it("do not differ by less than is published, nor where one has no price", () => {
    expect(compare(0.165400001, null)).toBeNull();
  });
});

describe("the newest row of the owner's prices is old", () => {
  const PRICED = { rates: { hp: 0.2, hc: 0.1 } };
  const oldRow = (date: string, days: Record<string, KnownDay>, hasService = true, tariff: Tariff = TABLE) =>
    oldPriceRow(daysAt(knownDaysOf(days), Date.parse(`${date}T12:00:00+02:00`), tariff), hasService);
  const unpriced = { "2027-04-30": official("bleu"), "2027-05-01": forecast("bleu") };

  it("after eight months, if the service names no price or there is none", () => {
    expect(oldRow("2027-04-01", {}, false)).toBeNull();
    expect(oldRow("2027-04-02", {}, false)).toBe("2026-08-01");
    expect(oldRow("2027-04-30", unpriced)).toBe("2026-08-01");
  });

  it("not until a row that is written already has begun", () => {
    const tariff = { ...TABLE, rates: [...TABLE.rates, { ...AUGUST_PRICES, from: "2027-05-02" }] };
    expect(oldRow("2027-05-01", unpriced, true, tariff)).toBe("2026-08-01");
    expect(oldRow("2027-05-02", unpriced, true, tariff)).toBeNull();
  });

  it("is not said if the service names prices, of whichever colour", () => {
    expect(oldRow("2027-05-01", { ...unpriced, "2027-03-01": official("blanc", PRICED) })).toBeNull();
    expect(oldRow("2027-05-01", { ...unpriced, "2027-05-02": forecast("bleu", PRICED) })).toBeNull();
  });

  it("is said if the service has named none for eight months", () => {
    expect(oldRow("2027-05-01", { ...unpriced, "2026-08-20": official("bleu", PRICED) })).toBe("2026-08-01");
  });

  it("is not said before the service has answered, nor if there are no rows, or none has begun", () => {
    expect(oldRow("2027-05-01", {})).toBeNull();
    expect(oldRow("2027-05-01", { "2027-05-01": saidByRte("bleu") })).toBeNull();
    expect(oldRow("2027-05-01", unpriced, true, UNPRICED)).toBeNull();
    expect(oldRow("2026-01-05", {}, false)).toBeNull();
  });
});
