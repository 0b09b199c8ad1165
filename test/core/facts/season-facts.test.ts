import { describe, expect, it } from "vitest";
import type { Tariff } from "../../../src/core/calendar/tariff.ts";
import type { KnownDays, KnownSeason } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import { SEASON } from "../../support/answers.ts";
import {
  factsInputAt,
  forecast,
  knownDaysOf,
  official,
  officialDays,
  saidByRte,
} from "../../support/known-days.ts";
import { UNPRICED } from "../../support/tariff.ts";

const KNOWN_SEASON: KnownSeason = { ...SEASON, seen_at: 0 };

const datedOf = (at: string, knownDays: KnownDays) =>
  deriveFacts(factsInputAt(at, knownDays), UNPRICED).dated;

describe("the season", () => {
  const rouge = { "2026-01-05": "rouge", "2026-01-06": "rouge" } as const;
  const days = officialDays("2025-09-01", "2026-01-07", rouge);
  const knownDays = knownDaysOf(days, { seasons: { "2025-2026": KNOWN_SEASON } });

  it("is as the service gives it and as vigie counts: the day in force is used, an announced one is not", () => {
    const { season, used, left } = datedOf("2026-01-05T12:00:00+01:00", knownDays);
    expect(season).toEqual(KNOWN_SEASON);
    expect(used).toEqual({ rouge: 1, blanc: 0, bleu: 126 });
    expect(left).toEqual({ rouge: 21, blanc: 43, bleu: 174 });
  });

  it("counts a day as used from its start on", () => {
    expect(datedOf("2026-01-06T05:59:59+01:00", knownDays).used?.rouge).toBe(1);
    expect(datedOf("2026-01-06T06:00:00+01:00", knownDays).used?.rouge).toBe(2);
  });

  it.each(["2025-09-01", "2025-12-24", "2026-01-05"])(
    "is not counted while the official colour of %s is missing",
    (date) => {
      const { [date]: _, ...others } = days;
      const gap = knownDaysOf({ ...others, [date]: forecast("bleu") }, { seasons: knownDays.seasons });
      expect(datedOf("2026-01-05T12:00:00+01:00", gap)).toMatchObject({ used: null, left: null });
    },
  );

  it("has no days left if a colour was used more often than the service says that the season has it", () => {
    const total = { ...SEASON.total, rouge: 0 };
    const wrong = knownDaysOf(days, { seasons: { "2025-2026": { ...KNOWN_SEASON, total } } });
    expect(datedOf("2026-01-05T12:00:00+01:00", wrong)).toMatchObject({ used: { rouge: 1 }, left: null });
  });

  it("has no days left where the service gave no total", () => {
    const { season, used, left } = datedOf("2026-01-05T12:00:00+01:00", knownDaysOf(days));
    expect([season, left]).toEqual([null, null]);
    expect(used?.rouge).toBe(1);
  });
});

describe("the season of a service that has never said it", () => {
  const bleu = Object.keys(officialDays("2025-09-01", "2026-01-05"));
  const byRte = Object.fromEntries(bleu.map((date) => [date, saidByRte("bleu")]));
  const at = "2026-01-05T12:00:00+01:00";

  it("is counted from RTE's words and the usual number of days, and named by the date", () => {
    const { season, by_date, used, left, assumed } = datedOf(at, knownDaysOf(byRte));
    expect([season, by_date?.label, assumed]).toEqual([null, "2025-2026", true]);
    expect(used).toEqual({ rouge: 0, blanc: 0, bleu: 127 });
    expect(left).toEqual({ rouge: 22, blanc: 43, bleu: 300 - 127 });
  });

  it("is not counted from words of another season, or of a day to come", () => {
    const days = { ...officialDays("2025-09-01", "2026-01-05"), "2026-01-06": saidByRte("bleu") };
    const others = { "2025-08-31": saidByRte("bleu"), ...days };
    expect(datedOf(at, knownDaysOf(others))).toMatchObject({ by_date: null, left: null, assumed: false });
  });

  it("is the service's once that has said it", () => {
    const known = knownDaysOf(byRte, { seasons: { "2025-2026": KNOWN_SEASON } });
    expect(datedOf(at, known)).toMatchObject({ season: KNOWN_SEASON, by_date: null, assumed: false });
  });
});

describe("the season without a service", () => {
  const colors = { "2026-01-05": "rouge", "2026-01-06": "blanc" } as const;
  const days = officialDays("2025-09-01", "2026-01-07", colors);
  const at = "2026-01-06T12:00:00+01:00";
  const datedBy = (tariff: Partial<Tariff>, knownDays = knownDaysOf(days)) =>
    deriveFacts(factsInputAt(at, knownDays), { ...UNPRICED, assume_season_total: true, ...tariff }).dated;

  it("has the usual number of days left: 22 rouge, 43 blanc, and the rest", () => {
    const { season, by_date, left, assumed } = datedBy({});
    expect([season, by_date?.label, assumed]).toEqual([null, "2025-2026", true]);
    expect(left).toEqual({ rouge: 21, blanc: 42, bleu: 300 - 126 });
  });

  it("has none left where the laws are off, where a day is missing, or where a colour was used too often", () => {
    expect(datedBy({ laws: "off" }).left).toBeNull();
    const { "2025-12-24": _, ...gap } = days;
    expect(datedBy({}, knownDaysOf(gap)).left).toBeNull();
    const many = Object.fromEntries(
      Object.entries(days).map(([date, day], index) => [date, index < 44 ? official("blanc") : day]),
    );
    expect(datedBy({}, knownDaysOf(many)).left).toBeNull();
  });
});

describe("what-if: The season ends · 31 August and 1 September", () => {
  const days = officialDays("2025-09-01", "2026-09-02", { "2026-08-31": "blanc", "2026-09-01": "blanc" });
  const next = { ...KNOWN_SEASON, label: "2026-2027", start: "2026-09-01", end: "2027-08-31" };
  const knownDays = knownDaysOf(days, { seasons: { "2025-2026": KNOWN_SEASON, "2026-2027": next } });

  it("the old season is in force until 06:00", () => {
    for (const at of [
      "2026-08-31T23:59:59+02:00",
      "2026-09-01T00:00:00+02:00",
      "2026-09-01T05:59:59+02:00",
    ]) {
      const { season, used } = datedOf(at, knownDays);
      expect(season?.label).toBe("2025-2026");
      expect(used).toEqual({ rouge: 0, blanc: 1, bleu: 364 });
    }
  });

  it("the new season is in force from 06:00 on, with one day used", () => {
    const { season, used } = datedOf("2026-09-01T06:00:00+02:00", knownDays);
    expect(season?.label).toBe("2026-2027");
    expect(used).toEqual({ rouge: 0, blanc: 1, bleu: 0 });
  });

  it("an answer about another season is not used for this one", () => {
    const old = knownDaysOf(days, { seasons: { "2025-2026": KNOWN_SEASON } });
    expect(datedOf("2026-09-01T06:00:00+02:00", old)).toMatchObject({ season: null, left: null });
  });
});
