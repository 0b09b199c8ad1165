import { describe, expect, it } from "vitest";
import { COLORS } from "../../../src/core/calendar/tariff.ts";
import {
  allowedColors,
  isColorAllowed,
  isColorAllowedInRestOfSeason,
} from "../../../src/core/calendar/tariff-laws.ts";
import { seasonOf } from "../../../src/core/calendar/tariff-season.ts";
import { NO_REAL_DAYS, readRealDays } from "../../support/real-days.ts";

describe("what the tariff allows", () => {
  it.each([
    ["a Monday in January: all", "2026-01-05", ["bleu", "blanc", "rouge"]],
    ["a Saturday in January: no rouge", "2026-01-10", ["bleu", "blanc"]],
    ["a Sunday: only bleu", "2026-01-11", ["bleu"]],
    ["1 January: no rouge, it is a holiday", "2026-01-01", ["bleu", "blanc"]],
    ["Good Friday in March: all, it is no holiday", "2024-03-29", ["bleu", "blanc", "rouge"]],
    ["the last weekday of March", "2026-03-31", ["bleu", "blanc", "rouge"]],
    ["1 April: no rouge", "2026-04-01", ["bleu", "blanc"]],
    ["31 October: no rouge", "2025-10-31", ["bleu", "blanc"]],
    ["Monday 3 November: all", "2025-11-03", ["bleu", "blanc", "rouge"]],
    ["11 November: no rouge, it is a holiday", "2025-11-11", ["bleu", "blanc"]],
    ["a day in July: no rouge", "2026-07-15", ["bleu", "blanc"]],
  ])("on %s", (_, date, colors) => {
    expect(allowedColors(date, "tempo")).toEqual(colors);
    for (const color of COLORS) expect(isColorAllowed(date, color, "tempo")).toBe(colors.includes(color));
  });

  it("is every colour where the laws are off", () => {
    expect(allowedColors("2026-07-12", "off")).toEqual(COLORS);
    expect(isColorAllowed("2026-07-12", "rouge", "off")).toBe(true);
    expect(isColorAllowedInRestOfSeason("2026-07-12", "rouge", "off")).toBe(true);
  });

  it("in the rest of the season, by the last day that can have the colour", () => {
    expect(isColorAllowedInRestOfSeason("2026-03-31", "rouge", "tempo")).toBe(true);
    expect(isColorAllowedInRestOfSeason("2026-04-01", "rouge", "tempo")).toBe(false);
    expect(isColorAllowedInRestOfSeason("2026-08-31", "rouge", "tempo")).toBe(false);
    expect(isColorAllowedInRestOfSeason("2026-09-01", "rouge", "tempo")).toBe(true);
    // 30 and 31 March 2024 were a weekend, so Good Friday was the last.
    expect(isColorAllowedInRestOfSeason("2024-03-29", "rouge", "tempo")).toBe(true);
    expect(isColorAllowedInRestOfSeason("2024-03-30", "rouge", "tempo")).toBe(false);
  });
});

describe.skipIf(NO_REAL_DAYS)("eleven real seasons (skipped unless VIGIE_REAL_DAYS names the file)", () => {
  it("have no day that the laws rule out", () => {
    const days = readRealDays();
    expect(days.length).toBeGreaterThan(4000);
    expect(days.filter(({ date, color }) => !isColorAllowed(date, color, "tempo"))).toEqual([]);
  });

  it("have another number of rouge days in 2019-2020: quotas are not a law", () => {
    const rouge = new Map<string, number>();
    for (const { date, color } of readRealDays()) {
      if (color === "rouge") rouge.set(seasonOf(date).label, (rouge.get(seasonOf(date).label) ?? 0) + 1);
    }
    expect(rouge.get("2019-2020")).toBe(18);
    expect(rouge.get("2018-2019")).toBe(22);
  });
});
