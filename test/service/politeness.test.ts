import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BUCKET,
  DAILY_BUDGET,
  LONGEST_PAUSE,
  type Politeness,
  pauseAfter,
  takeTurn,
  unspend,
} from "../../src/service/politeness.ts";

const AT = Date.UTC(2026, 0, 5, 10);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FRESH: Politeness = { taken: [], spent: { day: "2026-01-05", count: 0 }, pause: null };

/** Takes every turn there is until this instant. */
function takeAll(
  politeness: Politeness,
  now: number,
  essential = false,
): { sent: number; politeness: Politeness } {
  let sent = 0;
  let current = politeness;
  for (
    let turn = takeTurn(current, now, essential);
    turn.kind === "go";
    turn = takeTurn(current, now, essential)
  ) {
    current = turn.politeness;
    sent += 1;
  }
  return { sent, politeness: current };
}

describe("the bucket", () => {
  it("lets ten go at once, and the eleventh after a minute", () => {
    const { sent, politeness } = takeAll(FRESH, AT);
    expect(sent).toBe(BUCKET);
    expect(takeTurn(politeness, AT + 20_000, true)).toEqual({ kind: "wait", milliseconds: 40_000 });
    expect(takeAll(politeness, AT + MINUTE).sent).toBe(BUCKET);
  });

  it("never lets more than ten go within any minute", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 120 }), (gaps) => {
        let politeness = FRESH;
        let now = AT;
        const sent: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const turn = takeTurn(politeness, now, true);
          if (turn.kind !== "go") continue;
          politeness = turn.politeness;
          sent.push(now);
        }
        for (const at of sent)
          expect(sent.filter((other) => other >= at && other < at + MINUTE).length).toBeLessThanOrEqual(10);
      }),
    );
  });

  it("is not locked by a clock that goes back, nor opened wide by one that goes forward", () => {
    const { politeness } = takeAll(FRESH, AT);
    const back = takeTurn(politeness, AT - 24 * HOUR, true);
    expect(back).toEqual({ kind: "wait", milliseconds: MINUTE });
    expect(takeAll(politeness, AT + 24 * HOUR).sent).toBe(BUCKET);
  });
});

describe("the budget of a day", () => {
  const full: Politeness = { ...FRESH, spent: { day: "2026-01-05", count: DAILY_BUDGET } };

  it("lets only what is essential go once it is spent", () => {
    expect(takeTurn(full, AT, false)).toEqual({ kind: "spent" });
    expect(takeTurn(full, AT, true).kind).toBe("go");
  });

  it("begins anew with the day in UTC", () => {
    expect(takeTurn(full, Date.UTC(2026, 0, 5, 23, 59, 59), false).kind).toBe("spent");
    const turn = takeTurn(full, Date.UTC(2026, 0, 6), false);
    expect(turn).toMatchObject({ kind: "go", politeness: { spent: { day: "2026-01-06", count: 1 } } });
  });

  it("goes on counting where the clock went back to an earlier day, and is free again the day after", () => {
    const yesterday = AT - 24 * HOUR;
    const counted = takeTurn({ ...FRESH, spent: { day: "2026-01-05", count: 40 } }, yesterday, false);
    expect(counted).toMatchObject({ kind: "go", politeness: { spent: { day: "2026-01-04", count: 41 } } });
    expect(takeTurn(full, yesterday, false).kind).toBe("spent");
    // A state file of 2030: the count is kept, not the year.
    const future = takeTurn({ ...full, spent: { day: "2030-01-01", count: DAILY_BUDGET } }, AT, true);
    if (future.kind !== "go") throw new Error(`Expected go, got ${future.kind}`);
    expect(takeTurn(future.politeness, AT + 24 * HOUR, false).kind).toBe("go");
  });

  it("is given back what was never sent, but not more", () => {
    expect(unspend({ day: "2026-01-05", count: 3 })).toEqual({ day: "2026-01-05", count: 2 });
    expect(unspend({ day: "2026-01-05", count: 0 })).toEqual({ day: "2026-01-05", count: 0 });
  });
});

describe("the pause after a 429", () => {
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

  it("lets nothing go, however essential; a long one is not waited for", () => {
    const paused = (until: number) => takeTurn({ ...FRESH, pause: { until, turns: 1 } }, AT, true);
    expect(paused(AT + 30_000)).toEqual({ kind: "wait", milliseconds: 30_000 });
    expect(paused(AT + HOUR)).toEqual({ kind: "busy", milliseconds: HOUR });
    expect(paused(AT).kind).toBe("go");
  });

  it("is not believed where it was noted by another clock", () => {
    const pause = { until: AT + LONGEST_PAUSE + 1, turns: 1 };
    expect(takeTurn({ ...FRESH, pause }, AT, false).kind).toBe("go");
  });
});
