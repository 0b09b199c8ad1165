import { describe, expect, test } from "vitest";
import { checkClock } from "../../../src/core/facts/check-clock.ts";

const NOON = Date.parse("2026-01-05T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const answer = (skew: number) => ({ date: NOON, now: NOON + skew, steady: 1000 });

describe("whether this machine's clock is right by one source", () => {
  test.each([
    ["with nothing to compare it with", { answers: [], newest: null }, NOON, 0, true, NOON],
    [
      "a few minutes behind the newest known instant",
      { answers: [], newest: NOON + 4 * MINUTE },
      NOON,
      0,
      true,
      NOON,
    ],
    [
      "a day behind the newest known instant",
      { answers: [], newest: NOON },
      NOON - 24 * HOUR,
      0,
      false,
      NOON,
    ],
    [
      "an answer within the hour",
      { answers: [answer(50 * MINUTE)], newest: null },
      NOON + 50 * MINUTE,
      1000,
      true,
      NOON + 50 * MINUTE,
    ],
    [
      "an answer a day apart",
      { answers: [answer(-24 * HOUR)], newest: null },
      NOON - 24 * HOUR + MINUTE,
      1000 + MINUTE,
      false,
      NOON + MINUTE,
    ],
    [
      "corrected after such an answer: at once",
      { answers: [answer(-24 * HOUR)], newest: null },
      NOON + MINUTE,
      1000 + MINUTE,
      true,
      NOON + MINUTE,
    ],
    [
      "suspended for a night after a right answer, the steady clock standing still",
      { answers: [answer(0)], newest: null },
      NOON + 8 * HOUR,
      2000,
      true,
      NOON + 8 * HOUR,
    ],
    [
      "set back a day after a right answer",
      { answers: [answer(0)], newest: NOON },
      NOON - 24 * HOUR,
      2000,
      false,
      NOON + 1000,
    ],
    [
      "a day ahead of an answer that names a time before the newest known instant",
      { answers: [answer(24 * HOUR)], newest: NOON + 23 * HOUR },
      NOON + 24 * HOUR,
      1000,
      true,
      NOON + 24 * HOUR,
    ],
    [
      "right, after one that was far ahead had set the newest known instant",
      { answers: [answer(0)], newest: NOON + 24 * HOUR },
      NOON + MINUTE,
      1000 + MINUTE,
      true,
      NOON + MINUTE,
    ],
    [
      "half an hour behind the newest known instant, with an answer that is not: one source alone withholds nothing",
      { answers: [answer(-30 * MINUTE)], newest: NOON },
      NOON - 30 * MINUTE,
      1000,
      true,
      NOON - 30 * MINUTE,
    ],
    [
      "half an hour ahead, then corrected: the answer counts more than the newest known instant",
      { answers: [answer(30 * MINUTE)], newest: NOON + 30 * MINUTE },
      NOON + MINUTE,
      1000 + MINUTE,
      true,
      NOON + MINUTE,
    ],
  ] as const)("%s", (_case, evidence, now, steady, right, best) => {
    expect(checkClock(now, steady, evidence)).toEqual({ at: best, right });
  });
});

describe("whether this machine's clock is right by two sources", () => {
  /** Sources that answered when the steady clock showed 1000: what each called the time, as a difference from noon. */
  const said = (...differences: number[]) =>
    differences.map((difference) => ({ date: NOON + difference, now: NOON, steady: 1000 }));
  const check = (answers: ReturnType<typeof said>, machine: number, newest: number | null = null) =>
    checkClock(NOON + machine, 1000, {
      answers: answers.map((one) => ({ ...one, now: NOON + machine })),
      newest,
    });
  const DAY = 24 * HOUR;

  test.each([
    ["that agree with it", said(0, 30 * MINUTE), 0, null, true],
    ["that agree with each other, and not with it", said(0, 30 * MINUTE), DAY, null, false],
    ["of which one is a day behind", said(-DAY, 0), 0, null, true],
    ["of which the other one is a day behind", said(0, -DAY), 0, null, true],
    ["that disagree with each other and with it", said(0, -DAY), 3 * DAY, null, false],
    [
      "of which the one that agrees with it names a time before the newest known instant",
      said(-DAY, 0),
      -DAY,
      NOON,
      false,
    ],
    [
      "that agree with it, and a newest known instant of a clock that was far ahead",
      said(0, 0),
      0,
      NOON + DAY,
      true,
    ],
  ])("%s", (_case, answers, machine, newest, right) => {
    expect(check(answers, machine, newest).right).toBe(right);
  });

  test("of which one answered more than two hours ago: it does not count", () => {
    const old = { date: NOON, now: NOON, steady: 0 };
    const recent = { date: NOON - DAY, now: NOON + 2 * HOUR, steady: 2 * HOUR };
    const input = { answers: [old, recent], newest: null };
    expect(checkClock(NOON + 2 * HOUR, 2 * HOUR, input)).toEqual({ at: NOON - DAY, right: false });
    const earlier = { answers: [{ ...old, steady: 1 }, recent], newest: null };
    expect(checkClock(NOON + 2 * HOUR, 2 * HOUR, earlier).right).toBe(true);
  });

  test("that both answered more than two hours ago: the later one still counts", () => {
    const wrong = { date: NOON - DAY, now: NOON, steady: 2 };
    const input = { answers: [{ date: NOON, now: NOON, steady: 1 }, wrong], newest: null };
    expect(checkClock(NOON + 3 * HOUR, 3 * HOUR, input).right).toBe(false);
  });

  test("of which one answered before the machine's clock jumped: it does not count any more", () => {
    const before = { date: NOON, now: NOON, steady: 0 };
    const after = { date: NOON + HOUR, now: NOON + HOUR + DAY, steady: HOUR };
    const input = { answers: [before, after], newest: null };
    expect(checkClock(NOON + HOUR + DAY, HOUR, input)).toEqual({ at: NOON + HOUR, right: false });
    expect(checkClock(NOON + HOUR, HOUR, input).right).toBe(true);
  });

  test("of which both answered before the jump: as with one, the later one counts until the next answer", () => {
    const input = { answers: said(0, 0), newest: NOON };
    expect(checkClock(NOON + 8 * HOUR, 2000, input).right).toBe(true);
    expect(checkClock(NOON - DAY, 2000, input).right).toBe(false);
  });

  test("of which only a wrong one answered lately: it is not believed before the newest known instant", () => {
    const old = { date: NOON, now: NOON, steady: 0 };
    const wrong = { date: NOON + 6 * HOUR - DAY, now: NOON + 6 * HOUR, steady: 6 * HOUR };
    const input = { answers: [old, wrong], newest: NOON };
    expect(checkClock(NOON + 6 * HOUR, 6 * HOUR, input).right).toBe(true);
  });
});
