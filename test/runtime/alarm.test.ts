import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startAlarm } from "../../src/runtime/alarm.ts";
import { systemClock } from "../../src/runtime/clock.ts";

const START = Date.parse("2026-01-05T04:59:00Z");

/** A wall clock that can be set, beside a steady one that cannot. */
function clocks() {
  let offset = 0;
  return {
    clock: { ...systemClock, now: () => Date.now() + offset },
    set: (by: number) => {
      offset += by;
    },
  };
}

describe("the alarm", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: START, toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function start(due: number) {
    const { clock, set } = clocks();
    const rung: number[] = [];
    const jumps: number[] = [];
    let next = due;
    const { stop, reset } = startAlarm({
      clock,
      longestSleep: 15_000,
      due: () => next,
      onDue: () => {
        rung.push(clock.now());
        next = Number.POSITIVE_INFINITY;
      },
      onJump: (by) => jumps.push(by),
      onWake: () => undefined,
    });
    const setDue = (at: number) => {
      next = at;
      reset();
    };
    return { set, rung, jumps, stop, setDue };
  }

  test("rings at the very instant that is due", () => {
    const { rung, stop } = start(START + 60_000);
    vi.advanceTimersByTime(59_999);
    expect(rung).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rung).toEqual([START + 60_000]);
    stop();
  });

  test("rings within 15 s when the clock was set forward past what is due", () => {
    const { set, rung, jumps, stop } = start(START + 3_600_000);
    vi.advanceTimersByTime(5_500);
    set(2 * 3_600_000);
    vi.advanceTimersByTime(15_000);
    expect(rung).toHaveLength(1);
    expect(jumps).toEqual([2 * 3_600_000]);
    stop();
  });

  test("tells of a clock that was set back, and rings when it comes there again", () => {
    const { set, rung, jumps, stop } = start(START + 60_000);
    vi.advanceTimersByTime(5_500);
    set(-3_600_000);
    vi.advanceTimersByTime(60_000);
    expect(rung).toEqual([]);
    expect(jumps).toEqual([-3_600_000]);
    stop();
  });

  test("a stall is no jump: what was due meanwhile rings at once", () => {
    const { rung, jumps, stop } = start(START + 500);
    vi.advanceTimersByTime(30_000);
    expect(rung).toEqual([START + 500]);
    expect(jumps).toEqual([]);
    stop();
  });

  test("rings at the very instant that becomes due sooner than what it waits for", () => {
    const { rung, stop, setDue } = start(START + 60_000);
    vi.advanceTimersByTime(1_000);
    setDue(START + 3_000);
    vi.advanceTimersByTime(2_000);
    expect(rung).toEqual([START + 3_000]);
    stop();
  });

  test("compares the clocks in time, however often what is due next changes", () => {
    const { set, jumps, stop, setDue } = start(START + 3_600_000);
    set(2_700_000);
    for (let second = 1; second <= 15; second += 1) {
      vi.advanceTimersByTime(1_000);
      setDue(START + 3_600_000 + second);
    }
    expect(jumps).toEqual([2_700_000]);
    stop();
  });

  test("does nothing after it was stopped", () => {
    const { rung, stop } = start(START + 1_000);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(rung).toEqual([]);
  });
});
