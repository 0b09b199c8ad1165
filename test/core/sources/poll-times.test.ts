import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KnownDays, NO_KNOWN_DAYS, type ServiceWord } from "../../../src/core/days/known-days.ts";
import { duePoll, type PollTimesInput } from "../../../src/core/sources/poll-times.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
const at = (iso: string) => Date.parse(iso);

function input(knownDays: KnownDays = NO_KNOWN_DAYS, offset = 0): PollTimesInput {
  const poll = {
    every: 60 * MINUTE,
    announcement: { between: ["06:30", "12:00"] as [string, string], every: 5 * MINUTE },
  };
  return { poll, tariff: PARIS, knownDays, offset };
}

function official(date: string, confirmed: boolean): KnownDays {
  const rates = { hp: null, hc: null };
  const service_word: ServiceWord = { color: "rouge", rates, first_said: 0, confirmed };
  return { ...NO_KNOWN_DAYS, days: { [date]: { service_word } } };
}

const due = (last: string, now: string, knownDays?: KnownDays) =>
  duePoll(at(now), at(last), input(knownDays));
const POLL = { essential: false, recheck: false };
const HOURLY = { ...POLL, essential: true };

describe("when a poll is due", () => {
  test.each([
    ["at night once an hour", "01:59", "02:00", undefined, HOURLY],
    ["and not again before the next", "02:00", "02:59", undefined, null],
    ["from 06:30 every five minutes", "06:31", "06:35", undefined, POLL],
    ["just before 06:30 not yet", "06:00", "06:29", undefined, null],
    ["official and correctable: every half hour", "10:30", "10:55", official("2026-01-06", false), null],
    ["official and correctable: at the half hour", "10:06", "10:31", official("2026-01-06", false), POLL],
    ["final: once an hour again", "11:31", "11:59", official("2026-01-06", true), null],
    ["at noon the window is over", "12:00", "12:30", undefined, null],
    [
      "at 05:50, before the day begins, to check once more",
      "05:00",
      "05:50",
      undefined,
      { essential: true, recheck: true },
    ],
    ["at 18:00, to check once more", "17:00", "18:00", undefined, { essential: true, recheck: true }],
    [
      "a confirmation that was slept over is made up for",
      "05:00",
      "09:00",
      undefined,
      { essential: true, recheck: true },
    ],
  ] as const)("%s", (_case, last, now, knownDays, expected) => {
    expect(due(`2026-01-05T${last}:00+01:00`, `2026-01-05T${now}:00+01:00`, knownDays)).toEqual(expected);
  });

  test("at the start, and after the clock was set back behind the last poll", () => {
    const now = at("2026-01-05T02:17:00+01:00");
    expect(duePoll(now, null, input())).toMatchObject({ essential: true });
    expect(duePoll(now, now + MINUTE, input())).toMatchObject({ essential: true });
  });

  test("none goes more than an hour without a poll, whatever the hour and the offset", () => {
    const year = at("2026-01-01T00:00:00Z");
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 365 * 24 * 3600 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (seconds, offset) => {
          const now = year + seconds * 1000;
          expect(duePoll(now, now - 60 * MINUTE, input(NO_KNOWN_DAYS, offset))).toMatchObject({
            essential: true,
          });
        },
      ),
    );
  });

  test("whatever the offset, the hourly polls are among those of the announcement", () => {
    const begin = at("2026-01-05T06:30:00+01:00");
    for (const offset of [0, 0.1, 0.37, 0.5, 0.99]) {
      let last = begin;
      let polls = 0;
      for (let now = begin; now < begin + 4 * 60 * MINUTE; now += 10_000) {
        if (!duePoll(now, last, input(NO_KNOWN_DAYS, offset))) continue;
        last = now;
        polls += 1;
      }
      expect(polls).toBeLessThanOrEqual(49);
    }
  });

  test("an ordinary day asks at most 150 requests, each poll being the forecasts and tomorrow until it is final", () => {
    const start = at("2026-01-05T00:00:00+01:00");
    let last = start - 1;
    let requests = 0;
    for (let now = start; now < start + 24 * 60 * MINUTE; now += MINUTE) {
      const isFinal = now >= at("2026-01-05T11:30:00+01:00");
      const knownDays =
        now >= at("2026-01-05T10:30:00+01:00") ? official("2026-01-06", isFinal) : NO_KNOWN_DAYS;
      const poll = duePoll(now, last, input(knownDays, 0.37));
      if (!poll) continue;
      last = now;
      requests += isFinal && !poll.recheck ? 1 : 2;
    }
    expect(requests).toBeGreaterThan(100);
    expect(requests + 3).toBeLessThanOrEqual(150);
  });
});
