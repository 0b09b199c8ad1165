import { describe, expect, it } from "vitest";
import { datesBetween } from "../../../src/core/calendar/dates.ts";
import { seasonOf, seasonWithLabel } from "../../../src/core/calendar/tariff-season.ts";

describe("a season", () => {
  it.each([
    ["2026-08-31", "2025-2026"],
    ["2026-09-01", "2026-2027"],
    ["2026-12-31", "2026-2027"],
    ["2027-01-01", "2026-2027"],
    ["2028-02-29", "2027-2028"],
  ])("of %s is %s", (date, label) => {
    expect(seasonOf(date).label).toBe(label);
  });

  it("runs from 1 September to 31 August, a leap season a day longer", () => {
    const { start, end } = seasonOf("2026-01-05");
    expect([start, end]).toEqual(["2025-09-01", "2026-08-31"]);
    expect(datesBetween(start, end)).toHaveLength(365);
    expect(datesBetween("2027-09-01", "2028-08-31")).toHaveLength(366);
  });

  it("is found by its label; what is not a label finds nothing", () => {
    expect(seasonWithLabel("2025-2026")).toEqual(seasonOf("2026-01-05"));
    for (const label of ["2025-2027", "2025", "2025-2026 ", "25-26"])
      expect(seasonWithLabel(label)).toBeUndefined();
  });

  it("has no dates where the end is before the start", () => {
    expect(datesBetween("2026-01-02", "2026-01-01")).toEqual([]);
  });
});
