import Holidays from "date-holidays";
import { describe, expect, it } from "vitest";
import { datesBetween } from "../../../src/core/calendar/dates.ts";
import { isHoliday } from "../../../src/core/calendar/holidays.ts";
import { LONG } from "../../support/long.ts";

const FIRST = LONG ? 2000 : 2024;
const LAST = LONG ? 2060 : 2034;
const YEARS = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index);

describe("French public holidays", () => {
  it(`are those of an independent table, from ${FIRST} to ${LAST}`, () => {
    const table = new Holidays("FR");
    for (const year of YEARS) {
      const expected = table
        .getHolidays(year)
        .filter(({ type }) => type === "public")
        .map(({ date }) => date.slice(0, 10));
      const ours = datesBetween(`${year}-01-01`, `${year}-12-31`).filter(isHoliday);
      expect(ours, String(year)).toEqual([...new Set(expected)].sort());
    }
  });

  it.each([
    ["Good Friday, of Alsace and Moselle only", "2024-03-29"],
    ["26 December, of Alsace and Moselle only", "2025-12-26"],
    ["Easter Sunday, a Sunday anyway", "2026-04-05"],
  ])("are not %s", (_, date) => {
    expect(isHoliday(date)).toBe(false);
  });
});
