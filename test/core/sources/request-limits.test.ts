import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  PER_MINUTE,
  requestAllowance,
  type SentRequests,
  withoutOneRequest,
} from "../../../src/core/sources/request-limits.ts";
import { LONGEST_PAUSE } from "../../../src/core/sources/retry-after.ts";
import { FORECAST_SERVICE } from "../../../src/core/sources/service-source.ts";

const AT = Date.UTC(2026, 0, 5, 10);
const DAILY_BUDGET = FORECAST_SERVICE.budget;
const ESSENTIAL = Number.POSITIVE_INFINITY;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FRESH: SentRequests = { recent: [], spent: { day: "2026-01-05", count: 0 }, pause: null };

/** Sends all requests that may be sent at this instant. */
function sendAll(before: SentRequests, now: number): { count: number; sent: SentRequests } {
  let count = 0;
  let sent = before;
  for (;;) {
    const allowance = requestAllowance(sent, now, DAILY_BUDGET);
    if (allowance.kind !== "granted") return { count, sent };
    sent = allowance.sent;
    count += 1;
  }
}

describe("the limit of a minute", () => {
  it("lets ten be sent at once, and the eleventh after a minute", () => {
    const { count, sent } = sendAll(FRESH, AT);
    expect(count).toBe(PER_MINUTE);
    expect(requestAllowance(sent, AT + 20_000, ESSENTIAL)).toEqual({ kind: "wait", milliseconds: 40_000 });
    expect(sendAll(sent, AT + MINUTE).count).toBe(PER_MINUTE);
  });

  it("never lets more than ten be sent within any minute", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 120 }), (gaps) => {
        let sent = FRESH;
        let now = AT;
        const instants: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const allowance = requestAllowance(sent, now, ESSENTIAL);
          if (allowance.kind !== "granted") continue;
          sent = allowance.sent;
          instants.push(now);
        }
        for (const at of instants)
          expect(instants.filter((other) => other >= at && other < at + MINUTE).length).toBeLessThanOrEqual(
            10,
          );
      }),
    );
  });
});

describe("the budget of a day", () => {
  const full: SentRequests = { ...FRESH, spent: { day: "2026-01-05", count: DAILY_BUDGET } };

  it("lets only essential requests be sent once it is spent", () => {
    expect(requestAllowance(full, AT, DAILY_BUDGET)).toEqual({ kind: "budget spent" });
    expect(requestAllowance(full, AT, ESSENTIAL).kind).toBe("granted");
  });

  it("begins anew with the day in UTC", () => {
    expect(requestAllowance(full, Date.UTC(2026, 0, 5, 23, 59, 59), DAILY_BUDGET).kind).toBe("budget spent");
    const allowance = requestAllowance(full, Date.UTC(2026, 0, 6), DAILY_BUDGET);
    expect(allowance).toMatchObject({ kind: "granted", sent: { spent: { day: "2026-01-06", count: 1 } } });
  });

  it("goes on counting where the clock went back to an earlier day, and is free again the day after", () => {
    const yesterday = AT - 24 * HOUR;
    const counted = requestAllowance(
      { ...FRESH, spent: { day: "2026-01-05", count: 40 } },
      yesterday,
      DAILY_BUDGET,
    );
    expect(counted).toMatchObject({ kind: "granted", sent: { spent: { day: "2026-01-04", count: 41 } } });
    expect(requestAllowance(full, yesterday, DAILY_BUDGET).kind).toBe("budget spent");
    // A state file of 2030: the count is kept, not the year.
    const future = requestAllowance(
      { ...full, spent: { day: "2030-01-01", count: DAILY_BUDGET } },
      AT,
      ESSENTIAL,
    );
    if (future.kind !== "granted") throw new Error(`Expected granted, got ${future.kind}`);
    expect(requestAllowance(future.sent, AT + 24 * HOUR, DAILY_BUDGET).kind).toBe("granted");
  });

  it("is not charged for a request that was never sent", () => {
    expect(withoutOneRequest({ day: "2026-01-05", count: 3 })).toEqual({ day: "2026-01-05", count: 2 });
    expect(withoutOneRequest({ day: "2026-01-05", count: 0 })).toEqual({ day: "2026-01-05", count: 0 });
  });
});

describe("the pause after a 429", () => {
  it("lets nothing be sent, however essential; a long one is not waited for", () => {
    const paused = (until: number) =>
      requestAllowance({ ...FRESH, pause: { until, turns: 1 } }, AT, ESSENTIAL);
    expect(paused(AT + 30_000)).toEqual({ kind: "wait", milliseconds: 30_000 });
    expect(paused(AT + HOUR)).toEqual({ kind: "paused", milliseconds: HOUR });
    expect(paused(AT).kind).toBe("granted");
  });

  it("does not count where it was noted while the clock was wrong", () => {
    const pause = { until: AT + LONGEST_PAUSE + 1, turns: 1 };
    expect(requestAllowance({ ...FRESH, pause }, AT, DAILY_BUDGET).kind).toBe("granted");
  });
});
