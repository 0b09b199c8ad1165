import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PollOptions, readPollLines } from "../../../src/app/read-poll-lines.ts";
import { type KnownDays, NO_KNOWN_DAYS, type ServiceWord } from "../../../src/core/days/known-days.ts";
import { startSource } from "../../../src/core/sources/poll.ts";
import { findDue, nextPollTime } from "../../../src/core/sources/poll-times.ts";
import { FORECAST_SERVICE } from "../../../src/core/sources/service-source.ts";
import { NEW_SOURCE } from "../../../src/core/sources/source-kept.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (iso: string) => Date.parse(iso);

const OPTIONS = {
  every: 60 * MINUTE,
  announcement: { between: ["06:30", "12:00"], every: 5 * MINUTE },
} as const;

function timesOf(knownDays: KnownDays = NO_KNOWN_DAYS, offset = 0, options: PollOptions = OPTIONS) {
  const pollLines = readPollLines(options, { ...PARIS, offset });
  const context = { source: FORECAST_SERVICE, tariff: PARIS, knownDays, trueTime: 0, behind: 0, pollLines };
  return FORECAST_SERVICE.times(startSource(NEW_SOURCE), context);
}

function duePoll(now: number, last: number | null, times = timesOf()) {
  const requested = { before_start: last, polled: last === null ? {} : { forecasts: last } };
  return findDue(times, requested, now)[0] ?? null;
}

function official(date: string, confirmed: boolean): KnownDays {
  const rates = { hp: null, hc: null };
  const service_word: ServiceWord = { color: "rouge", rates, first_said: 0, confirmed };
  return { ...NO_KNOWN_DAYS, days: { [date]: { service_word } } };
}

const due = (last: string, now: string, knownDays?: KnownDays) =>
  duePoll(at(now), at(last), timesOf(knownDays));
const POLL = { asks: "forecasts", isEssential: false, isRecheck: false };
const HOURLY = { ...POLL, isEssential: true };
const RECHECK = { ...HOURLY, isRecheck: true };

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
    ["at 05:50, before the day begins, to check once more", "05:00", "05:50", undefined, RECHECK],
    ["at 18:00, to check once more", "17:00", "18:00", undefined, RECHECK],
    ["a confirmation that was slept over is made up for", "05:00", "09:00", undefined, RECHECK],
  ] as const)("%s", (_case, last, now, knownDays, expected) => {
    expect(due(`2026-01-05T${last}:00+01:00`, `2026-01-05T${now}:00+01:00`, knownDays)).toEqual(expected);
  });

  test("a start asks nothing essential again for a time that a source puts a little later than the last request", () => {
    const asked = { before_start: at("2026-01-05T01:59:59.950+01:00"), polled: {} };
    expect(findDue(timesOf(), asked, at("2026-01-05T02:08:00+01:00"))[0]?.isEssential).toBe(false);
  });

  test("at the start, and after the clock was set back behind the last poll", () => {
    const now = at("2026-01-05T02:17:00+01:00");
    expect(duePoll(now, null)).toMatchObject({ isEssential: true });
    expect(duePoll(now, now + MINUTE)).toMatchObject({ isEssential: true });
  });

  test("once, if a source says with its answer that it is a second earlier", () => {
    const hour = at("2026-01-05T03:00:00+01:00");
    expect(duePoll(hour, hour - 50 * MINUTE)).toMatchObject({ asks: "forecasts" });
    // The poll began at the hour, which is a second before it by what was said since.
    expect(duePoll(hour, hour - 1000)).toBeNull();
    const everyMinute = { ...OPTIONS, announcement: { ...OPTIONS.announcement, every: MINUTE } };
    const times = timesOf(NO_KNOWN_DAYS, 0, everyMinute);
    const seven = at("2026-01-05T07:00:00+01:00");
    expect(duePoll(seven + MINUTE, seven + 2000, times)).not.toBeNull();
  });

  test("none goes more than an hour without a poll, whatever the hour and the offset", () => {
    const year = at("2026-01-01T00:00:00Z");
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 365 * 24 * 3600 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (seconds, offset) => {
          const now = year + seconds * 1000;
          expect(duePoll(now, now - 61 * MINUTE, timesOf(NO_KNOWN_DAYS, offset))).toMatchObject({
            isEssential: true,
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
        if (!duePoll(now, last, timesOf(NO_KNOWN_DAYS, offset))) continue;
        last = now;
        polls += 1;
      }
      expect(polls).toBeLessThanOrEqual(49);
    }
  });

  test.each([
    [15, 24 * 4],
    [20, 24 * 3],
    [60, 24],
    [120, 12],
    [360, 4],
  ])("every %i minutes it is due %i times a day, at the installation's own time", (minutes, count) => {
    const [every] = timesOf(NO_KNOWN_DAYS, 0.7, { ...OPTIONS, every: minutes * MINUTE });
    if (!every) throw new Error("Expected a time");
    const begin = at("2026-01-05T00:00:00Z");
    const found: number[] = [];
    for (let now = nextPollTime([every], begin - 1); now < begin + DAY; now = nextPollTime([every], now))
      found.push(now);
    expect(found).toHaveLength(count);
    // Seven tenths of an hour.
    expect(
      found.every(
        (one) => (one - at("2026-01-05T00:42:00Z")) % (minutes < 60 ? minutes * MINUTE : 60 * MINUTE) === 0,
      ),
    ).toBe(true);
  });

  test("the next time is the first at which something will be due, if nothing is learnt before", () => {
    const next = (now: string, knownDays?: KnownDays) => {
      const time = nextPollTime(timesOf(knownDays), at(`2026-01-05T${now}+01:00`));
      return new Date(time).toISOString().slice(11, 16);
    };
    expect(next("02:00:00")).toBe("02:00");
    expect(next("06:29:59")).toBe("05:30");
    expect(next("06:30:00")).toBe("05:35");
    expect(next("10:40:00", official("2026-01-06", false))).toBe("10:00");
    expect(next("11:35:00", official("2026-01-06", true))).toBe("11:00");
    expect(next("17:30:00", official("2026-01-06", true))).toBe("17:00");
    expect(next("05:10:00")).toBe("04:50");
  });

  test("hours of the announcement in which no time falls have none, and the hourly polls go on", () => {
    for (let offset = 0; offset < 1; offset += 0.01) {
      const between = ["09:00", "09:05"] as const;
      const times = timesOf(NO_KNOWN_DAYS, offset, {
        ...OPTIONS,
        announcement: { between, every: 60 * MINUTE },
      });
      const now = at("2026-01-05T08:00:00+01:00");
      expect(nextPollTime(times, now) - now).toBeLessThanOrEqual(60 * MINUTE);
      expect(duePoll(now, now - 61 * MINUTE, times)).toMatchObject({ isEssential: true });
    }
  });

  test("the hours of the announcement have the times of announcement.every, and the hourly ones", () => {
    const times = timesOf(NO_KNOWN_DAYS, 0, {
      ...OPTIONS,
      announcement: { ...OPTIONS.announcement, every: 20 * MINUTE },
    });
    const found: string[] = [];
    let now = at("2026-01-05T06:29:00+01:00");
    while (found.length < 6) {
      now = nextPollTime(times, now);
      found.push(new Date(now).toISOString().slice(11, 16));
    }
    expect(found).toEqual(["05:40", "06:00", "06:20", "06:40", "07:00", "07:20"]);
  });

  test("an ordinary day asks at most 150 requests, each poll being the forecasts and tomorrow until it is final", () => {
    const start = at("2026-01-05T00:00:00+01:00");
    let last = start - 1;
    let requests = 0;
    for (let now = start; now < start + 24 * 60 * MINUTE; now += MINUTE) {
      const isFinal = now >= at("2026-01-05T11:30:00+01:00");
      const knownDays =
        now >= at("2026-01-05T10:30:00+01:00") ? official("2026-01-06", isFinal) : NO_KNOWN_DAYS;
      const poll = duePoll(now, last, timesOf(knownDays, 0.37));
      if (!poll) continue;
      last = now;
      requests += isFinal && !poll.isRecheck ? 1 : 2;
    }
    expect(requests).toBeGreaterThan(100);
    expect(requests + 3).toBeLessThanOrEqual(150);
  });
});
