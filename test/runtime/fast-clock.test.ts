import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ClockWithTimers } from "../../src/runtime/clock.ts";
import { fastClock } from "../../src/runtime/fast-clock.ts";

const FROM = 1_000_000;
const SPEED = 240;
const MINUTE = 60_000;

/** A real clock that stands still but when it is told to go on; its timers ring late where they are told to. */
function realClock() {
  let steady = 5_000;
  let timer: { at: number; run: () => void } | undefined;
  const clock: ClockWithTimers = {
    // Nothing may depend on it: it can be set.
    now: () => Math.random(),
    steady: () => steady,
    after: (milliseconds, run) => {
      const own = { at: steady + milliseconds, run };
      timer = own;
      return () => {
        if (timer === own) timer = undefined;
      };
    },
    atRealPace: (answer) => answer,
  };
  const ring = () => {
    const due = timer;
    timer = undefined;
    due?.run();
  };
  return {
    clock,
    /** Real milliseconds pass, and timers ring on time. */
    pass: async (milliseconds: number) => {
      const to = steady + milliseconds;
      await setImmediate();
      while (timer && timer.at <= to) {
        steady = Math.max(steady, timer.at);
        ring();
        await setImmediate();
      }
      steady = to;
    },
    /** The process is busy for so long: no timer rings meanwhile. */
    block: (milliseconds: number) => {
      steady += milliseconds;
    },
    ring,
  };
}

describe("a fast clock", () => {
  test("starts at the given instant and runs at the given speed, whatever the wall clock does", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    expect(clock.now()).toBe(FROM);
    await real.pass(1_500);
    expect(clock.now()).toBe(FROM + 1_500 * SPEED);
    expect(clock.steady()).toBe(1_500 * SPEED);
  });

  test("calls back after that many of its own milliseconds, the earlier wait first, and not after a cancel", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    const called: [string, number][] = [];
    const call = (name: string) => () => called.push([name, clock.now() - FROM]);
    clock.after(2 * MINUTE, call("two minutes"));
    clock.after(MINUTE, call("one minute"));
    const cancel = clock.after(30_000, call("cancelled"));
    cancel();
    await real.pass(MINUTE / SPEED - 1);
    expect(called).toEqual([]);
    await real.pass(MINUTE / SPEED + 1);
    expect(called).toEqual([
      ["one minute", MINUTE],
      ["two minutes", 2 * MINUTE],
    ]);
  });

  test("stands still while the process computes", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    expect(clock.now()).toBe(FROM);
    real.block(20);
    expect([clock.now(), clock.steady()]).toEqual([FROM, 0]);
    await setImmediate();
    expect(clock.now()).toBe(FROM + 20 * SPEED);
  });

  test("does not go past a wait that is over while the process was busy, and goes on from there", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    const called: number[] = [];
    const again = () => {
      called.push(clock.now() - FROM);
      if (called.length < 3) clock.after(MINUTE, again);
    };
    clock.after(MINUTE, again);
    real.block(10_000);
    await setImmediate();
    expect(clock.now()).toBe(FROM + MINUTE);
    real.ring();
    expect(clock.now()).toBe(FROM + MINUTE);
    await real.pass((2 * MINUTE) / SPEED);
    expect(called).toEqual([MINUTE, 2 * MINUTE, 3 * MINUTE]);
  });

  test("shows the instant of a wait whose real timer rang a little early, and never goes back", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    let shown = 0;
    clock.after(MINUTE, () => {
      shown = clock.now();
    });
    await real.pass(MINUTE / SPEED - 0.5);
    real.ring();
    expect(shown).toBe(FROM + MINUTE);
    expect(clock.now()).toBe(FROM + MINUTE);
  });

  test("keeps the pace of the real one while another program is awaited, also when that fails", async () => {
    const real = realClock();
    const clock = fastClock(FROM, SPEED, real.clock);
    let answer: (text: string) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const first = clock.atRealPace(new Promise<string>((resolve) => (answer = resolve)));
    const second = clock.atRealPace(new Promise<string>((_, reject) => (fail = reject)));
    await real.pass(1_000);
    expect(clock.now()).toBe(FROM + 1_000);
    answer("an answer");
    expect(await first).toBe("an answer");
    await real.pass(1_000);
    expect(clock.now()).toBe(FROM + 2_000);
    fail(new Error("none"));
    await expect(second).rejects.toThrow("none");
    await real.pass(1_000);
    expect(clock.now()).toBe(FROM + 2_000 + 1_000 * SPEED);
  });
});
