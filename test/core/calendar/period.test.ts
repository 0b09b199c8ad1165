import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dayStart, isoInstant } from "../../../src/core/calendar/dates.ts";
import { nextPeriodChange, periodAt, periodSpans } from "../../../src/core/calendar/period.ts";
import type { DailyWindow, Tariff } from "../../../src/core/calendar/tariff.ts";
import { offPeakRows } from "../../support/any-off-peak.ts";
import { createIntlWallClock } from "../../support/intl-wall-clock.ts";
import { LONG, runs } from "../../support/long.ts";
import { UNPRICED } from "../../support/tariff.ts";

const at = (text: string) => Date.parse(text);
const window = (text: string): DailyWindow => ({ from: text.slice(0, 5), to: text.slice(6) });
const withWindows = (...windows: string[]): Tariff => ({
  ...UNPRICED,
  off_peak: [{ windows: windows.map(window) }],
});

const seconds = (text: string) => {
  const [hours = 0, minutes = 0, rest = 0] = text.split(":").map(Number);
  return hours * 3600 + minutes * 60 + rest;
};

/** By the words of the configuration alone: the first row that names this date, and its windows as times of this date. */
function naivePeriods(date: string, { off_peak }: Tariff): (time: string) => string {
  const day = new Date(`${date}T12:00Z`);
  const month = day.toLocaleDateString("en", { month: "short", timeZone: "UTC" }).toLowerCase();
  const weekday = day.toLocaleDateString("en", { weekday: "short", timeZone: "UTC" }).toLowerCase();
  const row = off_peak.find(
    ({ from, months, weekdays }) =>
      !(
        (from !== undefined && Date.parse(date) < Date.parse(from)) ||
        (months && !months.some((one) => one === month)) ||
        (weekdays && !weekdays.some((one) => one === weekday))
      ),
  );
  const windows = row?.windows.map(({ from, to }) => [seconds(from), seconds(to)] as const) ?? [];
  return (time) => {
    const now = seconds(time);
    const isWithin = ([begin, end]: readonly [number, number]) =>
      begin < end ? begin <= now && now < end : now < end || begin <= now;
    return windows.some(isWithin) ? "hc" : "hp";
  };
}

/** Walks a stretch of time in steps, and compares each with what Intl says the wall shows. */
function checkWalk(tariff: Tariff, from: number, until: number, step: number): void {
  const naive = createIntlWallClock(tariff.time_zone);
  const periods = new Map<string, (time: string) => string>();
  const wrong: string[] = [];
  let edge: number | undefined;
  let later: string | undefined;
  for (let instant = until; instant >= from; instant -= step) {
    const wall = naive(instant);
    if (!periods.has(wall.date)) periods.set(wall.date, naivePeriods(wall.date, tariff));
    const period = periods.get(wall.date)?.(wall.time) ?? "none";
    if (later !== undefined && later !== period) edge = instant + step;
    if (periodAt(instant, tariff) !== period) wrong.push(`${wall.date} ${wall.time} is ${period}`);
    if (edge !== undefined && nextPeriodChange(instant, tariff) !== edge)
      wrong.push(`${wall.date} ${wall.time} is ${period} until ${isoInstant(edge)}`);
    later = period;
  }
  expect(wrong).toEqual([]);
}

describe("peak and off-peak", () => {
  it.each([
    ["05:59:59 is the last second of off-peak", "2026-01-05T04:59:59Z", "hc", "2026-01-05T05:00:00Z"],
    ["06:00:00 is the first of peak", "2026-01-05T05:00:00Z", "hp", "2026-01-05T21:00:00Z"],
    ["21:59:59 is the last of peak", "2026-01-05T20:59:59Z", "hp", "2026-01-05T21:00:00Z"],
    ["22:00:00 is the first of off-peak", "2026-01-05T21:00:00Z", "hc", "2026-01-06T05:00:00Z"],
    ["the short night in March", "2026-03-29T00:30:00Z", "hc", "2026-03-29T04:00:00Z"],
    ["the long night in October", "2026-10-25T01:30:00Z", "hc", "2026-10-25T05:00:00Z"],
  ])("%s", (_, instant, period, edge) => {
    expect(periodAt(at(instant), UNPRICED)).toBe(period);
    expect(isoInstant(nextPeriodChange(at(instant), UNPRICED) ?? 0)).toBe(edge);
  });

  it("is told a week ahead; beyond the tariff day in force and the seven after it nothing is", () => {
    const mondays: Tariff = {
      ...UNPRICED,
      off_peak: [{ weekdays: ["mon"], windows: [window("02:00-03:00")] }, { windows: [] }],
    };
    expect(nextPeriodChange(at("2026-01-05T02:00:00Z"), mondays)).toBe(at("2026-01-12T01:00:00Z"));
    const summer: Tariff = {
      ...UNPRICED,
      off_peak: [{ months: ["jul"], windows: [window("00:00-24:00")] }, { windows: [] }],
    };
    expect(nextPeriodChange(at("2026-06-23T03:59:59Z"), summer)).toBeUndefined();
    expect(nextPeriodChange(at("2026-06-23T04:00:00Z"), summer)).toBe(at("2026-06-30T22:00:00Z"));
    expect(nextPeriodChange(at("2026-07-01T10:00:00Z"), summer)).toBeUndefined();
  });

  it("a row begins at 00:00 of its date, in the middle of a window", () => {
    const changed: Tariff = {
      ...UNPRICED,
      off_peak: [
        { from: "2026-12-01", windows: [window("02:00-07:00"), window("14:00-17:00")] },
        { windows: [window("22:00-06:00")] },
      ],
    };
    expect(nextPeriodChange(at("2026-11-30T21:00:00Z"), changed)).toBe(at("2026-11-30T23:00:00Z"));
    expect(nextPeriodChange(at("2026-11-30T23:00:00Z"), changed)).toBe(at("2026-12-01T01:00:00Z"));
    const spans = periodSpans("2026-11-30", changed).map(({ start, period }) => [isoInstant(start), period]);
    expect(spans).toEqual([
      ["2026-11-30T05:00:00Z", "hp"],
      ["2026-11-30T21:00:00Z", "hc"],
      ["2026-11-30T23:00:00Z", "hp"],
      ["2026-12-01T01:00:00Z", "hc"],
    ]);
  });

  it("windows that touch are one: the period does not change at midnight", () => {
    const tariff = withWindows("22:00-00:00", "00:00-06:00");
    expect(nextPeriodChange(at("2026-01-05T21:00:00Z"), tariff)).toBe(at("2026-01-06T05:00:00Z"));
    expect(periodSpans("2026-01-05", tariff)).toHaveLength(2);
  });

  it.each([[[]], [["06:00-06:00"]], [["00:00-12:00", "12:00-00:00"]]])(
    "%j leaves nothing to change",
    (windows) => {
      const tariff = withWindows(...windows);
      expect(nextPeriodChange(at("2026-01-05T21:00:00Z"), tariff)).toBeUndefined();
      expect(periodAt(at("2026-01-05T21:00:00Z"), tariff)).toBe(windows.length > 0 ? "hc" : "hp");
    },
  );

  it("a window that is skipped as a whole does not exist that night", () => {
    const tariff = withWindows("02:10-02:50");
    expect(nextPeriodChange(at("2026-03-28T12:00:00Z"), tariff)).toBe(at("2026-03-30T00:10:00Z"));
  });

  it("an hour that comes twice has its periods twice", () => {
    const spans = periodSpans("2026-10-24", withWindows("02:30-06:00")).map(({ start, period }) => [
      isoInstant(start),
      period,
    ]);
    expect(spans).toEqual([
      ["2026-10-24T04:00:00Z", "hp"],
      ["2026-10-25T00:30:00Z", "hc"],
      ["2026-10-25T01:00:00Z", "hp"],
      ["2026-10-25T01:30:00Z", "hc"],
    ]);
  });
});

describe("the next change is the first instant of another period", () => {
  it.each([
    ["2026-03-28T23:00Z", "02:30-06:00"],
    ["2026-10-24T23:00Z", "02:30-06:00"],
    ["2026-10-24T23:00Z", "01:00-02:30"],
  ])("through the night from %s with %s", (from, text) => {
    checkWalk(withWindows(text), at(from), at(from) + 3 * 3_600_000, LONG ? 1_000 : 15_000);
  });

  const twoDigits = (number: number) => String(number).padStart(2, "0");
  const timesOfDay = fc
    .integer({ min: 0, max: 24 * 60 - 1 })
    .map((minute) => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`);
  const anyTariff = fc.record({
    time_zone: fc.constantFrom(
      ...["Europe/Paris", "UTC", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo"],
      ...["America/Havana", "America/Nuuk", "Pacific/Chatham", "Africa/Casablanca"],
    ),
    day_starts_at: fc.constantFrom("06:00", "00:00", "02:30", "23:30"),
    off_peak: offPeakRows(timesOfDay),
  });
  const shifts = ["2026-03-28", "2026-10-24", "2026-10-03", "2026-04-04", "2026-04-23", "2026-10-29"];
  const more = ["2026-10-31", "2026-03-31", "2026-12-31", "2026-02-28", "2026-05-30", "2026-09-26"];

  it("whatever the rows, their windows, the zone and the start of the day", () => {
    fc.assert(
      fc.property(anyTariff, fc.constantFrom(...shifts, ...more), (odd, date) => {
        const from = at(`${date}T10:00:00Z`);
        checkWalk({ ...UNPRICED, ...odd }, from, from + 48 * 3_600_000, 60_000);
      }),
      { numRuns: runs(40) },
    );
  });

  it("and the spans of a tariff day are without a gap, in order, and each has another period than the one before", () => {
    fc.assert(
      fc.property(anyTariff, fc.constantFrom(...shifts, ...more), (odd, date) => {
        const tariff = { ...UNPRICED, ...odd };
        const spans = periodSpans(date, tariff);
        expect(spans[0]?.start).toBe(dayStart(date, tariff));
        expect(spans.at(-1)?.end).toBe(dayStart(addDays(date, 1), tariff));
        for (const [index, span] of spans.entries()) {
          expect(span.end).toBeGreaterThan(span.start);
          const next = spans[index + 1];
          if (!next) continue;
          expect(next.start).toBe(span.end);
          expect(next.period).not.toBe(span.period);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
