import { describe, expect, test } from "vitest";
import { fastClock } from "../../src/simulator/fast-clock.ts";

describe("a fast clock", () => {
  test("starts at the given instant and runs at the given speed, whatever the wall clock does", () => {
    let steady = 5_000;
    const clock = fastClock(1_000_000, 240, { now: () => Math.random(), steady: () => steady });
    expect(clock.now()).toBe(1_000_000);
    steady += 1_500;
    expect(clock.now()).toBe(1_000_000 + 360_000);
  });
});
