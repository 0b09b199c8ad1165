import { expect, test } from "vitest";
import { millisecondsSinceMidnight } from "../../../src/core/calendar/dates.ts";
import { boundariesAfter } from "../../../src/core/rules/condition-boundaries.ts";
import { knownDaysOf, officialDays } from "../../support/known-days.ts";
import { inputAt, ruleOf } from "../../support/rules.ts";
import { PARIS } from "../../support/tariff.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WINDOWS = [{ between: ["00:00", "01:30"] }, { between: ["02:30", "23:30"] }];
const TIMES = [0, 90 * MINUTE, 150 * MINUTE, 23.5 * 60 * MINUTE];

/** Minute by minute, as somebody who watches a wall clock would note when it shows one of the times, or jumps. */
function watchWallClock(after: number, until: number, zone: string): number[] {
  const seen: number[] = [];
  for (let at = after + MINUTE; at <= until; at += MINUTE) {
    const [shown, before] = [
      millisecondsSinceMidnight(at, zone),
      millisecondsSinceMidnight(at - MINUTE, zone),
    ];
    if (TIMES.includes(shown) || (shown - before + DAY) % DAY !== MINUTE) seen.push(at);
  }
  return seen;
}

test.each([
  ["an even day", "Europe/Paris", "2026-01-05T11:07:00Z"],
  ["an hour that is left out", "Europe/Paris", "2026-03-28T12:00:00Z"],
  ["an hour that comes twice", "Europe/Paris", "2026-10-24T12:00:00Z"],
  ["a midnight that is left out", "America/Havana", "2026-03-07T12:00:00Z"],
  ["a midnight that comes twice", "Asia/Beirut", "2026-10-24T12:00:00Z"],
  ["half an hour that comes twice", "Australia/Lord_Howe", "2026-04-04T00:00:00Z"],
])("windows of the wall clock have the boundaries that a watcher sees, over %s", (_title, zone, from) => {
  const after = Date.parse(from);
  const until = after + 2 * DAY;
  const days = officialDays(from.slice(0, 10), new Date(until).toISOString().slice(0, 10));
  const input = inputAt(after, knownDaysOf(days), { tariff: { ...PARIS, time_zone: zone } });
  const { when } = ruleOf({ any: WINDOWS });
  const boundaries = [...boundariesAfter(when, input.intervals, () => [], after)].map(({ at }) => at);
  expect(boundaries.filter((at) => at <= until)).toEqual(watchWallClock(after, until, zone));
});
