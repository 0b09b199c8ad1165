import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, civilDate, datesBetween, tariffDate, wallInstant } from "../../src/core/calendar/dates.ts";
import { seasonOf, seasonWithLabel } from "../../src/core/calendar/tariff-season.ts";
import { dateAnswer, forecastsAnswer, historyAnswer, seasonAnswer } from "../../src/simulator/answers.ts";
import { announceAt, officialColor, trueColor, type World } from "../../src/simulator/official-colors.ts";
import { ratesOn, seasonInForce, TEMPO } from "../../src/simulator/tempo.ts";
import { announceRevised } from "../support/faulty-service.ts";
import { runs } from "../support/long.ts";
import { NO_REAL_DAYS, readRealDays } from "../support/real-days.ts";
import { strictDate, strictForecasts, strictHistory, strictSeason } from "./strict.ts";

const ZONE = TEMPO.time_zone;
const world: World = { seed: 11, days: new Map(), announcements: announceAt("10:30") };
const instants = fc.integer({ min: Date.UTC(2014, 8, 1), max: Date.UTC(2034, 8, 1) });
const worlds = fc
  .record({ seed: fc.integer(), announcements: fc.constantFrom(world.announcements, announceRevised) })
  .map((some): World => ({ ...world, ...some }));
const at = (wall: string) => wallInstant(wall.slice(0, 10), wall.slice(11), ZONE);

describe("the four answers", () => {
  test("follow the interface to the letter at any instant, in any world", () => {
    fc.assert(
      fc.property(instants, worlds, (now, some) => {
        const today = civilDate(now, ZONE);
        const places = strictForecasts.parse(forecastsAnswer(now, some));
        const days = [places.today, places.tomorrow, ...places.forecast];
        expect(days.map(({ date }) => date)).toEqual(datesBetween(today, addDays(today, 7)));
        for (const day of days) {
          const one = strictDate.parse(dateAnswer(day.date, now, some));
          expect([one.color, one.confidence, one.is_official]).toEqual([
            day.color,
            day.confidence,
            day.source === "official",
          ]);
        }
        strictHistory.parse(historyAnswer(addDays(today, -20), addDays(today, 7), now, some));
        strictSeason.parse(seasonAnswer(seasonInForce(now), now, some));
      }),
      { numRuns: runs(60) },
    );
  });

  test("agree on what is official: today always, tomorrow from its hour on, nothing later", () => {
    fc.assert(
      fc.property(instants, (now) => {
        const today = civilDate(now, ZONE);
        const history = historyAnswer(addDays(today, -30), addDays(today, 7), now, world);
        const last = now >= wallInstant(today, "10:30", ZONE) ? addDays(today, 1) : today;
        expect(history.map(({ date }) => date)).toEqual(datesBetween(addDays(today, -30), last));
        expect(history.every(({ date, color }) => color === trueColor(date, world))).toBe(true);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("the season's counts", () => {
  test("add up at every instant: what is official and what remains is the total", () => {
    fc.assert(
      fc.property(instants, worlds, (now, some) => {
        const season = seasonInForce(now);
        const { remaining, total, days_elapsed, days_remaining, start_date } = seasonAnswer(
          season,
          now,
          some,
        );
        const dates = datesBetween(season.start, season.end);
        for (const color of ["rouge", "blanc", "bleu"] as const) {
          const used = dates.filter((date) => officialColor(date, now, some) === color).length;
          expect(remaining[color] + used).toBe(total[color]);
        }
        expect(total.rouge + total.blanc + total.bleu).toBe(dates.length);
        expect(days_elapsed + days_remaining).toBe(dates.length);
        expect(addDays(start_date, days_elapsed)).toBe(tariffDate(now, TEMPO));
      }),
      { numRuns: runs(40) },
    );
  });

  test.each([
    ["2026-08-31T23:00", "2025-2026", 364, 1],
    ["2026-09-01T05:59", "2025-2026", 364, 1],
    ["2026-09-01T06:00", "2026-2027", 0, 365],
    ["2028-02-29T12:00", "2027-2028", 181, 185],
    ["2026-03-29T05:59", "2025-2026", 208, 157],
    ["2026-03-29T06:00", "2025-2026", 209, 156],
    ["2026-10-25T05:59", "2026-2027", 53, 312],
    ["2026-10-25T06:00", "2026-2027", 54, 311],
  ])("at %s are those of %s with %i days over and %i to come", (wall, label, over, left) => {
    const { season, days_elapsed, days_remaining } = seasonAnswer(seasonInForce(at(wall)), at(wall), world);
    expect([season, days_elapsed, days_remaining]).toEqual([label, over, left]);
  });

  test("of a past season are all used, of a coming one none", () => {
    const now = at("2026-01-05T12:00");
    const past = seasonAnswer(seasonWithLabel("2023-2024")!, now, world);
    const coming = seasonAnswer(seasonWithLabel("2026-2027")!, now, world);
    expect([past.remaining, past.days_elapsed, past.days_remaining]).toEqual([
      { rouge: 0, blanc: 0, bleu: 0 },
      366,
      0,
    ]);
    expect([coming.remaining, coming.days_elapsed]).toEqual([{ rouge: 22, blanc: 43, bleu: 300 }, 0]);
  });
});

describe("prices", () => {
  test.each([
    ["2019-05-01", "bleu", 0.1612, 0.1325],
    ["2026-07-31", "rouge", 0.706, 0.1575],
    ["2026-08-01", "rouge", 0.7295, 0.1615],
    ["2027-01-01", "blanc", 0.1921, 0.1536],
  ] as const)("on %s of a day that is %s are %f and %f", (date, color, hp, hc) => {
    expect(ratesOn(date, color)).toEqual({ hp, hc });
  });
});

describe.skipIf(NO_REAL_DAYS)("the real seasons of the file that VIGIE_REAL_DAYS names", () => {
  test("come back as they were, and their counts add up", () => {
    const real = readRealDays();
    const given: World = { ...world, days: new Map(real.map(({ date, color }) => [date, color])) };
    const now = at("2025-11-14T12:00");
    const labels = [...new Set(real.map(({ date }) => seasonOf(date).label))];
    for (const label of labels) {
      const season = seasonWithLabel(label)!;
      const said = historyAnswer(season.start, season.end, now, given);
      const expected = real.filter(({ date }) => seasonOf(date).label === label);
      expect(said.slice(0, expected.length).map(({ date, color }) => ({ date, color }))).toEqual(expected);
      const { remaining, total, days_remaining } = strictSeason.parse(seasonAnswer(season, now, given));
      const left = remaining.rouge + remaining.blanc + remaining.bleu;
      expect(left).toBe(label === "2025-2026" ? days_remaining - 2 : 0);
      expect(total.rouge).toBe(label === "2019-2020" ? 18 : 22);
    }
  });
});
