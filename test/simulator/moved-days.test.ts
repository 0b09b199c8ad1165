import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, civilDate, datesBetween, wallInstant } from "../../src/core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import { allowedColors, isColorAllowed } from "../../src/core/calendar/tariff-laws.ts";
import { seasonOf } from "../../src/core/calendar/tariff-season.ts";
import { forecastsAnswer } from "../../src/simulator/answers.ts";
import { moveDays } from "../../src/simulator/moved-days.ts";
import {
  announceAt,
  type MovedDays,
  OFFICIAL_AT,
  officialColor,
  trueColor,
  type World,
} from "../../src/simulator/official-colors.ts";
import { TEMPO } from "../../src/simulator/tempo.ts";
import { runs } from "../support/long.ts";

const SEED = 1;
const at = (date: IsoDate, time: string) => wallInstant(date, time, TEMPO.time_zone);
const worldOf = (moved: MovedDays): World => ({
  seed: SEED,
  moved,
  days: new Map(),
  announcements: announceAt(OFFICIAL_AT),
});
const first = (now: Instant) => moveDays({ at: now, seed: SEED, moved: {}, isFirst: true });
const ahead = (date: IsoDate, days: number) => datesBetween(addDays(date, 1), addDays(date, days));
/** What vigie is told of the next week. */
const told = (now: Instant, moved: MovedDays) => {
  const { tomorrow, forecast } = forecastsAnswer(now, worldOf(moved));
  return [tomorrow, ...forecast];
};
const colorsOfSeason = (date: IsoDate, moved: MovedDays) => {
  const { start, end } = seasonOf(date);
  return datesBetween(start, end).map((day): [IsoDate, Color] => [day, trueColor(day, worldOf(moved))]);
};
const instants = fc
  .tuple(
    fc.integer({ min: 0, max: 3_650 }),
    fc.constantFrom("00:30", "03:00", "06:10", "10:40", "14:00", "23:50"),
  )
  .map(([days, time]) => at(addDays("2020-09-01", days), time));

describe("a first start", () => {
  test.each(["03:00", "14:00"])(
    "on any day of a year at %s names a rouge day of the next three, if one may be",
    (time) => {
      for (const date of datesBetween("2026-09-01", "2027-08-31")) {
        const days = told(at(date, time), first(at(date, time)));
        const mayBe = (within: number) =>
          ahead(date, within).some((day) => isColorAllowed(day, "rouge", "tempo"));
        const [within, color] = mayBe(3) ? [3, "rouge"] : mayBe(7) ? [7, "rouge"] : [3, "blanc"];
        expect(
          days.slice(0, within).map((day) => day.color),
          `${date} ${time}`,
        ).toContain(color);
        // Enough for a rule that begins at 60 %.
        const surest = Math.max(
          ...days.filter((day) => day.color === color).map(({ confidence }) => confidence),
        );
        if (within === 3) expect(surest, date).toBeGreaterThan(0.7);
      }
    },
  );

  test.each([
    ["2026-11-23", "2026-11-24", "rouge"],
    ["2026-12-25", "2026-12-28", "rouge"],
    ["2027-03-27", "2027-03-30", "rouge"],
    ["2026-07-10", "2026-07-11", "blanc"],
  ])("on %s the day is %s: %s", (date, day, color) => {
    const days = told(at(date, "14:00"), first(at(date, "14:00")));
    expect(days.find((one) => one.color === color)?.date).toBe(day);
  });
});

describe("starts, one after the other,", () => {
  test("keep the laws and the numbers of a season, and each day that is official", () => {
    fc.assert(
      fc.property(fc.array(instants, { minLength: 1, maxLength: 12 }), (unsorted) => {
        let moved: MovedDays = {};
        let isFirst = true;
        for (const now of unsorted.toSorted((one, other) => one - other)) {
          const before = worldOf(moved);
          const next = moveDays({ at: now, seed: SEED, moved, isFirst });
          const date = civilDate(now, TEMPO.time_zone);
          const colors = colorsOfSeason(date, next);
          const count = (wanted: Color) => colors.filter(([, color]) => color === wanted).length;
          expect([count("rouge"), count("blanc")]).toEqual([22, 43]);
          expect(colors.filter(([day, color]) => !allowedColors(day, "tempo").includes(color))).toEqual([]);
          if (!isFirst) {
            const changed = colors.filter(
              ([day]) => officialColor(day, now, before) !== officialColor(day, now, worldOf(next)),
            );
            expect(changed).toEqual([]);
          }
          expect(moveDays({ at: now, seed: SEED, moved: next, isFirst: false })).toEqual(next);
          moved = next;
          isFirst = false;
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test("show a rouge day again some weeks later", () => {
    const begun = first(at("2026-11-03", "14:00"));
    const later = at("2026-11-24", "14:00");
    const moved = moveDays({ at: later, seed: SEED, moved: begun, isFirst: false });
    expect(told(later, begun).some(({ color }) => color === "rouge")).toBe(false);
    expect(
      told(later, moved)
        .slice(0, 3)
        .map(({ color }) => color),
    ).toContain("rouge");
  });

  test("late in March move none, if each rouge day of the season is past", () => {
    const begun = first(at("2027-01-11", "14:00"));
    const after = at("2027-03-29", "14:00");
    expect(moveDays({ at: after, seed: SEED, moved: begun, isFirst: false })).toSatisfy((moved: MovedDays) =>
      ahead("2027-03-29", 3).every((day) => moved[day] !== "rouge"),
    );
  });
});
