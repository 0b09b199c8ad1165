import { describe, expect, test } from "vitest";
import { datesBetween } from "../../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../../src/core/calendar/tariff.ts";
import { seasonOf } from "../../../src/core/calendar/tariff-season.ts";
import { countRougeDays } from "../../../src/core/facts/rouge-days.ts";

/** All days of a season are bleu but for these. */
function winter(date: IsoDate, rouges: readonly IsoDate[], missing: readonly IsoDate[] = []) {
  const { start, end } = seasonOf(date);
  const dates = datesBetween(start, end).filter((one) => !missing.includes(one));
  return new Map(dates.map((one): [IsoDate, Color] => [one, rouges.includes(one) ? "rouge" : "bleu"]));
}

describe("the rouge days of a season", () => {
  test("are counted up to the same date as in the season in force", () => {
    const colors = winter("2025-01-01", ["2024-12-30", "2025-01-13", "2025-01-14"]);
    const { all, soFar, dates, known, hasGap } = countRougeDays(
      seasonOf("2025-01-01"),
      colors,
      "2026-01-13",
      "tempo",
    );
    expect({ all, soFar, hasGap, known }).toEqual({ all: 3, soFar: 2, hasGap: false, known: dates.length });
    expect([dates[0], dates.at(-1)]).toEqual(["2024-11-01", "2025-03-31"]);
  });

  test.each([
    ["2028-02-28", 1],
    ["2028-02-29", 1],
    ["2028-03-01", 2],
  ])("on %s compare with a year that has no 29 February", (now, soFar) => {
    const colors = winter("2027-01-01", ["2027-02-28", "2027-03-01"]);
    expect(countRougeDays(seasonOf("2027-01-01"), colors, now, "tempo").soFar).toBe(soFar);
  });

  test("on 28 February do not include the 29th of a leap year", () => {
    const colors = winter("2028-01-01", ["2028-02-28", "2028-02-29"]);
    expect(countRougeDays(seasonOf("2028-01-01"), colors, "2029-02-28", "tempo").soFar).toBe(1);
  });

  test.each([
    ["a day of an earlier season", "2025-01-01", ["2024-12-30"], true],
    ["a day before today", "2026-01-01", ["2026-01-12"], true],
    ["today", "2026-01-01", ["2026-01-13"], true],
    ["a day ahead", "2026-01-01", ["2026-01-14"], false],
    ["a day that cannot be rouge", "2026-01-01", ["2025-10-12"], false],
  ])("have a gap where %s is not known: %s", (_, season, missing, expected) => {
    const colors = winter(season, [], missing);
    expect(countRougeDays(seasonOf(season), colors, "2026-01-13", "tempo").hasGap).toBe(expected);
  });

  test.each([
    [21, "tempo", true],
    [22, "tempo", false],
    [23, "tempo", true],
    [22, "off", true],
  ] as const)("that are %i have a gap beside an unknown day, laws %s: %s", (count, laws, expected) => {
    const rouges = datesBetween("2025-01-02", "2025-03-31").slice(0, count);
    const found = countRougeDays(
      seasonOf("2025-01-01"),
      winter("2025-01-01", rouges, ["2024-11-05"]),
      "2026-01-13",
      laws,
    );
    expect([found.all, found.hasGap]).toEqual([count, expected]);
  });

  test("are looked for all year where the tariff has no laws", () => {
    const { dates } = countRougeDays(seasonOf("2025-01-01"), new Map(), "2026-01-13", "off");
    expect([dates[0], dates.at(-1)]).toEqual(["2024-09-01", "2025-08-31"]);
  });

  test("begin anew on 1 September", () => {
    const colors = winter("2026-01-01", ["2026-01-13"]);
    expect(countRougeDays(seasonOf("2026-08-31"), colors, "2026-08-31", "tempo").soFar).toBe(1);
    expect(countRougeDays(seasonOf("2026-09-01"), colors, "2026-09-01", "tempo").soFar).toBe(0);
  });
});
