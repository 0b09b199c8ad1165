import { describe, expect, it } from "vitest";
import { NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { NO_SOURCE_CLOCKS, noteTime, tellTime } from "../../../src/core/facts/source-clocks.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const EVENING = Date.parse("2026-01-12T20:00:00Z");

/** Answers of RTE, in hours: when each came, and how far its `Date` is behind the true time. `set`: this clock is set then. */
function tell(answers: readonly { at: number; behind: number }[], set?: { at: number; by: number }) {
  let clocks = NO_SOURCE_CLOCKS;
  const here = (at: number) => ({
    now: EVENING + at * HOUR + (set && at >= set.at ? set.by * HOUR : 0),
    steady: at * HOUR,
  });
  for (const { at, behind } of answers)
    clocks = noteTime(clocks, "official", EVENING + (at - behind) * HOUR, here(at));
  return tellTime(clocks, NO_KNOWN_DAYS, "auto", here(answers.at(-1)?.at ?? 0)).right;
}

describe("a source that has agreed with this machine's clock, which was not set since", () => {
  it("does not make it wrong by one answer with another time, however old the others are", () => {
    // 05:50 and 06:20, after a night without a request.
    for (const behind of [1.5, 3, 26, -3])
      expect(
        tell([
          { at: 0, behind: 0 },
          { at: 9, behind },
        ]),
      ).toBe(true);
  });

  it("does not make it wrong by one answer that a cache replays again and again", () => {
    const replayed = [9, 9.5, 10, 10.5].map((at) => ({ at, behind: at - 6 }));
    expect(tell([{ at: 0, behind: 0 }, ...replayed])).toBe(true);
  });

  it("makes it wrong by a second answer that goes on from the first", () => {
    expect(
      tell([
        { at: 0, behind: 0 },
        { at: 9, behind: 3 },
        { at: 9.5, behind: 3 },
      ]),
    ).toBe(false);
  });
});

describe("one answer with another time makes this machine's clock wrong", () => {
  it("at once at the start", () => {
    expect(tell([{ at: 0, behind: 3 }])).toBe(false);
  });

  it("at once if the clock was set since the answer before", () => {
    const answers = [
      { at: 0, behind: 0 },
      { at: 9, behind: 0 },
    ];
    expect(tell(answers)).toBe(true);
    expect(tell(answers, { at: 8, by: 3 })).toBe(false);
    expect(tell(answers, { at: 8, by: (5 * MINUTE) / HOUR })).toBe(true);
  });
});
