import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, datesBetween, wallInstant } from "../../src/core/calendar/dates.ts";
import { allowedColors } from "../../src/core/calendar/tariff-laws.ts";
import { forecastFor, lastUpdate, predictionFor } from "../../src/simulator/forecast.ts";
import { announceAt, trueColor, type World } from "../../src/simulator/official-colors.ts";

const ZONE = "Europe/Paris";
const worldOf = (seed: number): World => ({ seed, days: new Map(), announcements: announceAt("10:30") });
const dates = fc.integer({ min: 0, max: 3652 }).map((days) => addDays("2020-09-01", days));
const noonBefore = (date: string, days: number) => wallInstant(addDays(date, -days), "12:00", ZONE);

describe("the error model", () => {
  test("is right as often as it says, at every lead and at every confidence", () => {
    const said = Array.from({ length: 30 }, (_, seed) => worldOf(seed)).flatMap((world) =>
      datesBetween("2025-10-01", "2026-04-30").flatMap((date) =>
        [1, 2, 5, 7].map((lead) => {
          const { color, confidence } = forecastFor(date, noonBefore(date, lead), world);
          return { lead, confidence, right: color === trueColor(date, world) ? 1 : 0 };
        }),
      ),
    );
    // A date with one lawful colour is forecast with certainty: nothing to measure there.
    const open = said.filter(({ confidence }) => confidence < 1);
    for (const lead of [1, 2, 5, 7]) expectCalibrated(open.filter((one) => one.lead === lead));
    for (const low of [0.5, 0.6, 0.7, 0.8, 0.9]) {
      expectCalibrated(open.filter(({ confidence }) => confidence >= low && confidence < low + 0.1));
    }
  });

  test("names lawful colours only, with a confidence from a third to one", () => {
    fc.assert(
      fc.property(dates, fc.integer(), fc.integer({ min: 0, max: 7 }), (date, seed, lead) => {
        const { color, confidence } = forecastFor(date, noonBefore(date, lead), worldOf(seed));
        expect(allowedColors(date, "tempo")).toContain(color);
        expect(confidence).toBeGreaterThan(0.33);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("becomes no less confident as the day comes nearer, and keeps the right colour once it has it", () => {
    fc.assert(
      fc.property(dates, fc.integer(), (date, seed) => {
        const world = worldOf(seed);
        const said = [7, 6, 5, 4, 3, 2, 1].map((lead) => forecastFor(date, noonBefore(date, lead), world));
        const sure = said.map(({ confidence }) => confidence);
        expect(sure).toEqual(sure.toSorted((one, other) => one - other));
        const right = said.map(({ color }) => (color === trueColor(date, world) ? 1 : 0));
        expect(right).toEqual(right.toSorted((one, other) => one - other));
      }),
    );
  });

  test("changes a colour now and then", () => {
    const world = worldOf(3);
    const turned = datesBetween("2025-10-01", "2026-04-30").filter(
      (date) =>
        forecastFor(date, noonBefore(date, 7), world).color !==
        forecastFor(date, noonBefore(date, 2), world).color,
    );
    expect(turned.length).toBeGreaterThan(10);
  });

  test("answers the same whenever it is asked again within the hour of an update", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 0, max: 86_399_999 }), (date, millisecond) => {
        const at = wallInstant(date, "00:00", ZONE) + millisecond;
        const world = worldOf(1);
        const week = (from: number) =>
          datesBetween(addDays(date, 2), addDays(date, 7)).map((day) => forecastFor(day, from, world));
        expect(at - lastUpdate(at)).toBeLessThan(3_600_000);
        expect(week(lastUpdate(at))).toEqual(week(at));
      }),
    );
  });

  test("gives an indication at 06:35 of the day before, at once sure", () => {
    const world = worldOf(5);
    const [before, after] = ["06:34", "06:35"].map((time) =>
      datesBetween("2026-01-05", "2026-01-10").map(
        (date) => forecastFor(date, wallInstant(addDays(date, -1), time, ZONE), world).confidence,
      ),
    );
    expect(Math.min(...after!)).toBeGreaterThan(0.96);
    expect(before!.every((sure, index) => sure < after![index]!)).toBe(true);
  });

  test("keeps for history what it said the evening before the indication", () => {
    const world = worldOf(5);
    const eve = (date: string) => wallInstant(addDays(date, -1), "06:00", ZONE);
    for (const date of datesBetween("2026-01-01", "2026-03-31")) {
      expect(predictionFor(date, world)).toEqual(forecastFor(date, eve(date), world));
    }
  });
});

function expectCalibrated(said: { confidence: number; right: number }[]): void {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const stated = mean(said.map(({ confidence }) => confidence));
  const margin = 4 * Math.sqrt((stated * (1 - stated)) / said.length);
  expect(said.length).toBeGreaterThan(100);
  expect(Math.abs(mean(said.map(({ right }) => right)) - stated)).toBeLessThan(margin);
}
