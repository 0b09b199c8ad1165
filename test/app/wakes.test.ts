import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createLoopParts, readKeptOf } from "../../src/app/loop-parts.ts";
import type { Beginning } from "../../src/app/loop-state.ts";
import { createOwnErrors } from "../../src/app/own-errors.ts";
import { createLoop } from "../../src/app/run-loop.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { emptyState } from "../../src/state/state.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";

/** What arrived first is taken first: two rounds of the event loop, each of which takes a millisecond of the faked timers. */
const ROUNDS = 2;

beforeEach(() => {
  const toFake = ["Date", "performance", "setTimeout", "clearTimeout", "setImmediate"] as const;
  vi.useFakeTimers({ now: Date.parse("2026-01-05T12:00:10Z"), toFake: [...toFake] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A loop without sources; it wakes every 15 s at least. Its wall clock can be set. */
function open() {
  let ahead = 0;
  const store = createMemoryStore(emptyState("test"));
  const options = configSchema.parse({
    service: { base_url: "http://127.0.0.1" },
    mqtt: { url: "mqtt://127.0.0.1" },
  });
  const config = { ...options, tariff: PARIS, rules: [], official: { source: "off" as const } };
  const wakes: number[] = [];
  const lines: string[] = [];
  /** The tariff day of each view that was shown, and when. */
  const days: [string | undefined, number][] = [];
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const loop = createLoop({
    clock,
    longestSleep: 15_000,
    ownErrors: createOwnErrors(createProblemLog(SILENT_LOG, clock)),
    wake: () => void wakes.push(clock.now()),
  });
  const parts = createLoopParts({
    config,
    store,
    clock,
    kept: readKeptOf(store, config),
    sources: { service: null, official: null, isInvented: false },
    broker: "mqtt://127.0.0.1",
    offset: 0,
    isDemo: false,
    before: null,
    post: loop.post,
  });
  const beginning: Beginning = {
    ...parts,
    sinks: [
      ...parts.sinks,
      { name: "days", show: ({ facts }) => void days.push([facts.moment?.now.date, Date.now()]) },
    ],
    say: (said) => {
      for (const line of said.lines) if ("level" in line) lines.push(line.sentence);
    },
  };
  loop.begin(beginning);
  const set = (by: number) => {
    ahead += by;
  };
  const jumps = () => lines.filter((line) => line.startsWith("The clock "));
  return { loop, wakes, days, set, jumps, beginning };
}

test("values that come each second put off no wake: systemd and the health file are told in time", () => {
  const { loop, wakes } = open();
  for (let second = 0; second < 120; second += 1) {
    vi.advanceTimersByTime(1_000);
    const payload = String(second);
    const heard = new Map([["car", { payload, at: Date.now() }]]);
    loop.post({ kind: "values", heard, kept: {}, isSettled: true });
  }
  loop.pause();
  const gaps = wakes.slice(1).map((at, index) => at - (wakes[index] ?? at));
  expect(wakes.length).toBeGreaterThanOrEqual(7);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15_100);
  // No timer of an event before is left: it would wake the loop once for each event.
  expect(wakes.length).toBeLessThanOrEqual(16);
});

test("while nothing happens it wakes four times a minute, and at the very instant at which something is due", () => {
  const { loop, wakes } = open();
  const due = loop.view().boundary.now;
  vi.advanceTimersByTime(due - Date.now() + 60_000);
  loop.pause();
  expect(wakes.filter((at) => at >= due && at <= due + ROUNDS)).toHaveLength(1);
  const inLastMinute = wakes.filter((at) => at > due + ROUNDS);
  expect(inLastMinute.length).toBeGreaterThanOrEqual(3);
  expect(inLastMinute.length).toBeLessThanOrEqual(5);
});

describe("what is due by the wall clock", () => {
  /** A minute before the tariff day of 5 January begins. */
  const START = Date.parse("2026-01-05T04:59:00Z");
  const SIX = START + 60_000;
  const NEW_DAY = "2026-01-05";
  const shownAt = (days: ReturnType<typeof open>["days"]) => days.find(([date]) => date === NEW_DAY)?.[1];
  beforeEach(() => {
    vi.setSystemTime(START);
  });

  test("is shown at its very instant", () => {
    const { days, loop } = open();
    vi.advanceTimersByTime(59_999);
    expect(shownAt(days)).toBeUndefined();
    vi.advanceTimersByTime(1 + ROUNDS);
    expect(shownAt(days)).toBe(SIX + ROUNDS);
    loop.pause();
  });

  test("is shown within 15 s when the clock was set forward past it", () => {
    const { days, loop, set, jumps } = open();
    vi.advanceTimersByTime(5_500);
    set(2 * 3_600_000);
    vi.advanceTimersByTime(15_000);
    expect(shownAt(days)).toBeLessThanOrEqual(START + 20_500);
    expect(jumps()).toEqual([expect.stringMatching(/^The clock went forward by 2 h: /)]);
    loop.pause();
  });

  test("is not shown when the clock was set back, which is told, before the clock is there again", () => {
    const { days, loop, set, jumps } = open();
    vi.advanceTimersByTime(5_500);
    set(-3_600_000);
    vi.advanceTimersByTime(60_000);
    expect(shownAt(days)).toBeUndefined();
    expect(jumps()).toEqual(["The clock was set back by 1 h"]);
    loop.pause();
  });

  test("is shown at once after a stall, which is no jump", () => {
    const { days, loop, jumps } = open();
    vi.advanceTimersByTime(90_000);
    expect(shownAt(days)).toBe(SIX + ROUNDS);
    expect(jumps()).toEqual([]);
    loop.pause();
  });

  test("is shown at its very instant also if it became due later than what was due before", async () => {
    const { loop } = open();
    vi.advanceTimersByTime(1_000);
    const request = { color: "rouge", from: "now", for: 3_000 } as const;
    loop.post({
      kind: "commands",
      commands: [{ topic: "simulation/set", command: { kind: "simulation", request } }],
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(loop.view().facts.simulation?.color).toBe("rouge");
    await vi.advanceTimersByTimeAsync(1 + ROUNDS);
    expect(loop.view().facts.simulation).toBeNull();
    loop.pause();
  });

  test("is not missed by a clock that is set while events come each second", () => {
    const { loop, set, jumps } = open();
    set(2_700_000);
    for (let second = 1; second <= 15; second += 1) {
      vi.advanceTimersByTime(1_000);
      const state = { connected: second % 2 === 0, url: "mqtt://127.0.0.1" };
      loop.post({ kind: "broker", state });
    }
    expect(jumps()).toEqual([expect.stringMatching(/^The clock went forward by 45 min: /)]);
    loop.pause();
  });

  test("is shown after a reload during which the clock was set forward past it, and the jump is told", () => {
    const { days, loop, set, jumps, beginning } = open();
    const known = loop.pause();
    set(2 * 3_600_000);
    loop.begin({ ...beginning, known });
    expect(shownAt(days)).toBe(START);
    vi.advanceTimersByTime(15_000 + ROUNDS);
    expect(jumps()).toEqual([expect.stringMatching(/^The clock went forward by 2 h: /)]);
    loop.pause();
  });

  test("is not shown any more after the loop was paused", () => {
    const { days, loop, wakes } = open();
    loop.pause();
    expect(vi.getTimerCount()).toBe(0);
    const [shown, woken] = [days.length, wakes.length];
    vi.advanceTimersByTime(120_000);
    expect([days.length, wakes.length]).toEqual([shown, woken]);
  });
});
