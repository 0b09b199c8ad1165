import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCron } from "../../../src/app/read-poll-lines.ts";
import { lastMatch, nextMatch } from "../../../src/core/sources/cron-times.ts";
import { createIntlWallClock } from "../../support/intl-wall-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (iso: string) => Date.parse(iso);
const iso = (instant: number) => new Date(instant).toISOString();

const HOURLY = "17 5 * * * *";
const RECHECK = "17 50 5,18 * * *";
const AT_NIGHT = "17 30 2 * * *";

describe("the times of a cron line", () => {
  test.each([
    ["an hourly line matches in each hour", HOURLY, "UTC", "2026-01-05T10:05:17Z", "2026-01-05T11:05:17Z"],
    [
      "another time is read on the wall clock of its zone",
      RECHECK,
      "Europe/Paris",
      "2026-01-05T04:50:17Z",
      "2026-01-05T17:50:17Z",
    ],
    [
      "after the last of a day comes the first of the next",
      RECHECK,
      "Europe/Paris",
      "2026-01-05T17:50:17Z",
      "2026-01-06T04:50:17Z",
    ],
    [
      "hours may be listed in any order",
      "17 50 18,5 * * *",
      "Europe/Paris",
      "2026-01-05T04:50:17Z",
      "2026-01-05T17:50:17Z",
    ],
    [
      "a time that is skipped in March counts when the clocks are moved",
      AT_NIGHT,
      "Europe/Paris",
      "2026-03-28T01:30:17Z",
      "2026-03-29T01:00:00Z",
    ],
    [
      "a time that comes twice in October counts the first time",
      AT_NIGHT,
      "Europe/Paris",
      "2026-10-24T00:30:17Z",
      "2026-10-25T00:30:17Z",
    ],
    ["and the second time", AT_NIGHT, "Europe/Paris", "2026-10-25T00:30:17Z", "2026-10-25T01:30:17Z"],
    [
      "an hourly line matches in the hour that comes twice",
      HOURLY,
      "Europe/Paris",
      "2026-10-25T00:05:17Z",
      "2026-10-25T01:05:17Z",
    ],
    [
      "more than a UTC day may lie between two matches",
      "30 59 1 * * *",
      "Europe/Paris",
      "2026-10-24T23:59:30Z",
      "2026-10-26T00:59:30Z",
    ],
  ])("%s", (_case, line, zone, match, next) => {
    const cron = readCron(line, zone);
    expect(iso(nextMatch(cron, at(match)))).toBe(iso(at(next)));
    expect(iso(nextMatch(cron, at(next) - 1))).toBe(iso(at(next)));
    expect(iso(lastMatch(cron, at(match)))).toBe(iso(at(match)));
    expect(iso(lastMatch(cron, at(next) - 1))).toBe(iso(at(match)));
  });

  test.each(["5 6 * * *", "0,30 5 6 * * *", "* 5 6 * * *", "0 5 6 1 * *", "0 5 6 * * 1", "0 5 24 * * *"])(
    "a line that is no second, minutes and hours of every day is refused: %s",
    (line) => {
      expect(() => readCron(line, "UTC")).toThrow();
    },
  );
});

/** Each zone around its shifts: an hour, half an hour, over midnight, a minute after it, a day skipped, none. */
const NIGHTS = [
  ["Europe/Paris", "2026-03-29T01:00Z"],
  ["Europe/Paris", "2026-10-25T01:00Z"],
  ["Europe/Paris", "2026-06-01T12:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ["Africa/Cairo", "2026-04-23T22:00Z"],
  ["America/Havana", "2026-11-01T05:00Z"],
  ["America/Nuuk", "2026-10-25T01:00Z"],
  ["America/St_Johns", "2010-11-07T02:31Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["Asia/Kolkata", "2026-03-28T12:00Z"],
  ["UTC", "2026-03-28T12:00Z"],
] as const;

/** Before and after the shift: more than lies between two matches of a line with one time a day. */
const WALKED = 40 * HOUR;
/** What is asked for lies this near to the shift. */
const NEAR = 12 * HOUR;

/** The numbers below `count` that a line lists; none is written as `*`. */
const numbers = (count: number) =>
  fc.oneof(
    fc.constant<number[]>([]),
    fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 6 }),
  );
const LINE = fc.record({ second: fc.integer({ min: 0, max: 59 }), minutes: numbers(60), hours: numbers(24) });
type Line = typeof LINE extends fc.Arbitrary<infer Value> ? Value : never;

const written = ({ second, minutes, hours }: Line) =>
  `${second} ${minutes.join() || "*"} ${hours.join() || "*"} * * *`;

function hasMinute({ minutes, hours }: Line, wallMinute: number): boolean {
  const [minute, hour] = [wallMinute % 60, Math.floor(wallMinute / 60) % 24];
  return (minutes.length === 0 || minutes.includes(minute)) && (hours.length === 0 || hours.includes(hour));
}

describe.each(NIGHTS)("as found minute by minute in %s around %s", (zone, shiftText) => {
  const shift = at(shiftText);
  const clock = createIntlWallClock(zone);
  const walk = Array.from({ length: (2 * WALKED) / MINUTE }, (_, index) => {
    const minute = shift - WALKED + index * MINUTE;
    const { date, time } = clock(minute);
    return { minute, wallMinute: at(`${date}T${time}Z`) / MINUTE };
  });
  /** Before each minute, those of the wall clock that are skipped. */
  const skips = walk.map(({ wallMinute }, index) => {
    const expected = (walk[index - 1]?.wallMinute ?? wallMinute - 1) + 1;
    return Array.from({ length: Math.max(0, wallMinute - expected) }, (_, past) => expected + past);
  });

  /** In their order. If minutes are skipped that the line has, they count once, at the minute after them. */
  const walkedMatches = (line: Line) =>
    walk.flatMap(({ minute, wallMinute }, index) => {
      const matches = new Set<number>();
      if (skips[index]?.some((skipped) => hasMinute(line, skipped))) matches.add(minute);
      if (hasMinute(line, wallMinute)) matches.add(minute + line.second * 1000);
      return [...matches];
    });

  test("the last match and the next are those beside now", () => {
    const anyNow = fc.integer({ min: shift - NEAR, max: shift + NEAR });
    fc.assert(
      fc.property(LINE, fc.array(anyNow, { minLength: 5, maxLength: 10 }), (line, instants) => {
        const cron = readCron(written(line), zone);
        const matches = walkedMatches(line);
        const besideShift = matches.filter((match) => Math.abs(match - shift) < 2 * HOUR);
        const nows = [...instants, shift, ...besideShift];
        const found = nows.map((now) => [now, lastMatch(cron, now), nextMatch(cron, now)]);
        const expected = nows.map((now) => [
          now,
          matches.findLast((match) => match <= now),
          matches.find((match) => match > now),
        ]);
        expect(found).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
