import { describe, expect, test } from "vitest";
import { checkClock } from "../../../src/core/facts/check-clock.ts";

const NOON = Date.parse("2026-01-05T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const answer = (skew: number) => ({ date: NOON, now: NOON + skew, steady: 1000 });

describe("whether this machine's clock is right", () => {
  test.each([
    ["with nothing to compare it with", { answer: null, newest: null }, NOON, 0, true, NOON],
    [
      "a few minutes behind the newest known instant",
      { answer: null, newest: NOON + 4 * MINUTE },
      NOON,
      0,
      true,
      NOON,
    ],
    [
      "a day behind the newest known instant",
      { answer: null, newest: NOON },
      NOON - 24 * HOUR,
      0,
      false,
      NOON,
    ],
    [
      "an answer within the hour",
      { answer: answer(50 * MINUTE), newest: null },
      NOON + 50 * MINUTE,
      1000,
      true,
      NOON + 50 * MINUTE,
    ],
    [
      "an answer a day apart",
      { answer: answer(-24 * HOUR), newest: null },
      NOON - 24 * HOUR + MINUTE,
      1000 + MINUTE,
      false,
      NOON + MINUTE,
    ],
    [
      "corrected after such an answer: at once",
      { answer: answer(-24 * HOUR), newest: null },
      NOON + MINUTE,
      1000 + MINUTE,
      true,
      NOON + MINUTE,
    ],
    [
      "suspended for a night after a right answer, the steady clock standing still",
      { answer: answer(0), newest: null },
      NOON + 8 * HOUR,
      2000,
      true,
      NOON + 8 * HOUR,
    ],
    [
      "set back a day after a right answer",
      { answer: answer(0), newest: NOON },
      NOON - 24 * HOUR,
      2000,
      false,
      NOON + 1000,
    ],
    [
      "half an hour ahead, then corrected: the answer counts more than the newest known instant",
      { answer: answer(30 * MINUTE), newest: NOON + 30 * MINUTE },
      NOON + MINUTE,
      1000 + MINUTE,
      true,
      NOON + MINUTE,
    ],
  ] as const)("%s", (_case, evidence, now, steady, right, best) => {
    expect(checkClock(now, steady, evidence)).toEqual({ at: best, right });
  });
});
