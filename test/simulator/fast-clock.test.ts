import { describe, expect, test } from "vitest";
import { fastClock, parseTime } from "../../src/simulator/fast-clock.ts";

describe("a fast clock", () => {
  test("starts at the given instant and runs at the given speed, whatever the wall clock does", () => {
    let steady = 5_000;
    const clock = fastClock(1_000_000, 240, { now: () => Math.random(), steady: () => steady });
    expect(clock.now()).toBe(1_000_000);
    steady += 1_500;
    expect(clock.now()).toBe(1_000_000 + 360_000);
  });
});

describe("a time to start from", () => {
  test.each([
    ["2026-01-04T22:00:00Z", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04T23:00:00+01:00", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04T23:00", "2026-01-04T22:00:00.000Z"],
    ["2026-07-04T23:00:30", "2026-07-04T21:00:30.000Z"],
    ["2026-01-04", "2026-01-03T23:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(parseTime(text)).toBe(Date.parse(expected));
  });

  test.each([
    "",
    "yesterday",
    "2026-02-30",
    "2026-01-04T25:00",
    "2026-01-04T23:00T",
    "2026-01-04 23:00",
    "1767567600",
  ])("%j is none", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
