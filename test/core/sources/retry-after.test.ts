import { describe, expect, it } from "vitest";
import { pauseAfter } from "../../../src/core/sources/retry-after.ts";

const AT = Date.UTC(2026, 0, 5, 10);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("the length of the pause after a 429", () => {
  it.each([
    ["as long as asked", null, 30_000, 30_000],
    ["an hour at most", null, 100 * HOUR, HOUR],
    ["a minute where nothing is said", null, null, MINUTE],
    ["twice as long the second time", { until: AT, turns: 1 }, null, 2 * MINUTE],
    ["four times the third time", { until: AT, turns: 2 }, null, 4 * MINUTE],
    ["an hour at most, however often", { until: AT, turns: 400 }, null, HOUR],
    ["not shorter when it repeats itself with a second", { until: AT, turns: 2 }, 1_000, 2 * MINUTE],
  ])("is %s", (_title, before, retryAfter, milliseconds) => {
    const pause = pauseAfter(before, retryAfter, AT);
    expect(pause).toEqual({ until: AT + milliseconds, turns: (before?.turns ?? 0) + 1 });
  });
});
