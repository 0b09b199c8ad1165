import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addDays,
  civilDate,
  dayStart,
  daysBetween,
  isoInstant,
  nextMidnight,
  tariffDate,
  wallInstant,
  weekday,
} from "../../../src/core/calendar/dates.ts";
import { createIntlWallClock, shiftDate } from "../../support/intl-wall-clock.ts";
import { UNPRICED } from "../../support/tariff.ts";

const at = (text: string) => Date.parse(text);

describe("the tariff day of Europe/Paris", () => {
  it.each([
    ["a winter day", "2026-01-05", "2026-01-05T05:00:00Z"],
    ["a summer day", "2026-07-14", "2026-07-14T04:00:00Z"],
    ["the day whose night is an hour short", "2026-03-29", "2026-03-29T04:00:00Z"],
    ["the day whose night is an hour long", "2026-10-25", "2026-10-25T05:00:00Z"],
    ["29 February", "2028-02-29", "2028-02-29T05:00:00Z"],
  ])("%s begins at 06:00 on the wall", (_, date, start) => {
    expect(isoInstant(dayStart(date, UNPRICED))).toBe(start);
    expect(tariffDate(at(start), UNPRICED)).toBe(date);
    expect(tariffDate(at(start) - 1, UNPRICED)).toBe(shiftDate(date, -1));
  });

  it("lasts 23 hours in March and 25 in October", () => {
    const hours = (date: string) =>
      (dayStart(shiftDate(date, 1), UNPRICED) - dayStart(date, UNPRICED)) / 3_600_000;
    expect([hours("2026-03-28"), hours("2026-03-29"), hours("2026-10-24"), hours("2026-10-25")]).toEqual([
      23, 24, 25, 24,
    ]);
  });
});

describe("wall-clock times near a shift of the clocks", () => {
  it.each([
    [
      "in a gap is reached at the end of the gap",
      "2026-03-29",
      "02:30",
      "Europe/Paris",
      "2026-03-29T01:00:00Z",
    ],
    [
      "at the beginning of a gap is reached at its end",
      "2026-03-29",
      "02:00",
      "Europe/Paris",
      "2026-03-29T01:00:00Z",
    ],
    ["in a fold is reached the first time", "2026-10-25", "02:30", "Europe/Paris", "2026-10-25T00:30:00Z"],
    ["in a gap of half an hour", "2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
    ["at midnight where midnight is skipped", "2026-04-24", "00:00", "Africa/Cairo", "2026-04-23T22:00:00Z"],
    ["of a date that was skipped whole", "2011-12-30", "06:00", "Pacific/Apia", "2011-12-30T10:00:00Z"],
    ["in a zone that never shifts", "2026-03-29", "02:30", "Asia/Kolkata", "2026-03-28T21:00:00Z"],
  ])("a time %s", (_, date, time, zone, expected) => {
    expect(isoInstant(wallInstant(date, time, zone))).toBe(expected);
  });
});

/** Each zone around its shifts: an hour, half an hour, over midnight, a minute after it, a day skipped, none. */
const NIGHTS = [
  ["Europe/Paris", "2026-03-28T12:00Z"],
  ["Europe/Paris", "2026-10-24T12:00Z"],
  ["Europe/Paris", "2026-06-01T12:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T03:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T03:00Z"],
  ["Africa/Cairo", "2026-04-23T12:00Z"],
  ["Africa/Cairo", "2026-10-29T12:00Z"],
  ["America/Havana", "2026-11-01T00:00Z"],
  ["America/Nuuk", "2026-10-24T14:00Z"],
  ["America/St_Johns", "2010-11-06T20:00Z"],
  ["America/St_Johns", "2010-03-13T15:00Z"],
  ["Pacific/Apia", "2011-12-29T18:00Z"],
  ["Africa/Casablanca", "2026-02-14T14:00Z"],
  ["Asia/Kolkata", "2026-03-28T12:00Z"],
  ["UTC", "2026-03-28T12:00Z"],
] as const;

const HOURS = 64;
/** Minutes from which the next date still lies in what is looked at. */
const EARLY = 10 * 60;

describe.each(NIGHTS)("read minute by minute, in %s from %s", (zone, from) => {
  const naive = createIntlWallClock(zone);
  const minutes = Array.from({ length: HOURS * 60 }, (_, index) => at(from) + index * 60_000);
  const walls = minutes.map(naive);
  const wallMinutes = walls.map(({ date, time }) => Date.parse(`${date}T${time}Z`) / 60_000);

  /** For each minute the first later one whose date is another. */
  const changesAfter = (dates: string[], isOther: (later: string, date: string) => boolean) => {
    const changes: (number | undefined)[] = [];
    for (let index = dates.length - 2; index >= 0; index -= 1) {
      const next = isOther(dates[index + 1] ?? "", dates[index] ?? "");
      changes[index] = next ? minutes[index + 1] : changes[index + 1];
    }
    return changes;
  };

  /** The places worth a look: both sides of each change and of each jump of the wall, and some between. */
  const placesIn = (dates: string[], start: number, end: number) =>
    [...dates.keys()].slice(start, end).filter((index) => {
      const beside = [index, index + 1];
      return (
        index % 7 === 0 ||
        beside.some((place) => dates[place] !== dates[place - 1]) ||
        beside.some((place) => wallMinutes[place] !== (wallMinutes[place - 1] ?? 0) + 1)
      );
    });

  it("has the civil date of the wall clock, and midnight is where it changes", () => {
    const dates = walls.map(({ date }) => date);
    const changes = changesAfter(dates, (later, date) => later !== date);
    for (const place of placesIn(dates, 0, minutes.length)) {
      expect(civilDate(minutes[place] ?? 0, zone), walls[place]?.time).toBe(dates[place]);
    }
    for (const place of placesIn(dates, 0, EARLY)) {
      expect(nextMidnight(minutes[place] ?? 0, zone), walls[place]?.time).toBe(changes[place]);
    }
  });

  it.each(["00:00", "02:30", "06:00", "23:30"])(
    "is in the tariff day that has begun at %s on the wall clock",
    (start) => {
      const tariff = { ...UNPRICED, time_zone: zone, day_starts_at: start };
      let reached = "";
      const dates = walls.map(({ date, time }) => {
        const wall = `${date}T${time}`;
        if (wall > reached) reached = wall;
        const day = reached.slice(0, 10);
        return reached.slice(11) >= start ? day : shiftDate(day, -1);
      });
      const changes = changesAfter(dates, (later, date) => later > date);
      // The first day may have begun before the first minute looked at: what was reached earlier is not known there.
      const known = dates.findIndex((date) => date !== dates[0]);
      for (const place of placesIn(dates, known, minutes.length)) {
        expect(tariffDate(minutes[place] ?? 0, tariff), walls[place]?.time).toBe(dates[place]);
      }
      for (const place of placesIn(dates, known, known + EARLY)) {
        const next = shiftDate(dates[place] ?? "", 1);
        expect(dayStart(next, tariff), walls[place]?.time).toBe(changes[place]);
      }
    },
  );
});

describe("dates", () => {
  const date = fc
    .integer({ min: Date.parse("1990-01-01") / 86_400_000, max: Date.parse("2090-01-01") / 86_400_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));

  it("add, subtract and count days as UTC days do", () => {
    fc.assert(
      fc.property(date, fc.integer({ min: -800, max: 800 }), (from, days) => {
        expect(addDays(from, days)).toBe(shiftDate(from, days));
        expect(daysBetween(from, addDays(from, days))).toBe(days);
      }),
    );
  });

  it("have a weekday, Monday first", () => {
    fc.assert(
      fc.property(date, (day) => {
        expect(weekday(day) % 7).toBe(new Date(day).getUTCDay());
      }),
    );
  });
});

describe("instants as text", () => {
  it("are in UTC with seconds and no fraction", () => {
    expect(isoInstant(at("2026-01-05T05:59:59.999Z"))).toBe("2026-01-05T05:59:59Z");
  });
});
