import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dayStart, isoInstant } from "../../../src/core/calendar/dates.ts";
import { nextPeriodChange, periodAt, periodSpans } from "../../../src/core/calendar/period.ts";
import type { DailyWindow, Tariff } from "../../../src/core/calendar/tariff.ts";
import { createIntlWallClock } from "../../support/intl-wall-clock.ts";
import { UNPRICED } from "../../support/tariff.ts";

const at = (text: string) => Date.parse(text);
const window = (text: string): DailyWindow => ({ from: text.slice(0, 5), to: text.slice(6) });
const withWindows = (...windows: string[]): Tariff => ({ ...UNPRICED, off_peak: windows.map(window) });

function naivePeriod(time: string, tariff: Tariff): string {
  const seconds = (text: string) => {
    const [hours = 0, minutes = 0, rest = 0] = text.split(":").map(Number);
    return hours * 3600 + minutes * 60 + rest;
  };
  const inside = tariff.off_peak.some(({ from, to }) => {
    const length = (seconds(to) - seconds(from) + 86_400) % 86_400 || 86_400;
    return (seconds(time) - seconds(from) + 86_400) % 86_400 < length;
  });
  return inside ? "hc" : "hp";
}

/** Walks a stretch of time in steps, and compares each with what Intl says the wall shows. */
function checkWalk(tariff: Tariff, from: number, until: number, step: number): void {
  const naive = createIntlWallClock(tariff.time_zone);
  let edge: number | undefined;
  let later: string | undefined;
  for (let instant = until; instant >= from; instant -= step) {
    const { time } = naive(instant);
    const period = naivePeriod(time, tariff);
    if (later !== undefined && later !== period) edge = instant + step;
    expect(periodAt(instant, tariff), time).toBe(period);
    if (edge !== undefined) expect(nextPeriodChange(instant, tariff), time).toBe(edge);
    later = period;
  }
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
  ])("for every second of the night from %s with %s", (from, text) => {
    checkWalk(withWindows(text), at(from), at(from) + 3 * 3_600_000, 1000);
  });

  const minutesOfDay = fc
    .integer({ min: 0, max: 24 * 12 - 1 })
    .map(
      (step) =>
        `${String(Math.floor(step / 12)).padStart(2, "0")}:${String((step % 12) * 5).padStart(2, "0")}`,
    );
  const anyTariff = fc.record({
    time_zone: fc.constantFrom(
      ...["Europe/Paris", "UTC", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo"],
      ...["America/Havana", "America/Nuuk", "Pacific/Chatham", "Africa/Casablanca"],
    ),
    day_starts_at: fc.constantFrom("06:00", "00:00", "02:30", "23:30"),
    off_peak: fc.array(fc.record({ from: minutesOfDay, to: minutesOfDay }), { maxLength: 3 }),
  });
  const shifts = ["2026-03-28", "2026-10-24", "2026-10-03", "2026-04-04", "2026-04-23", "2026-10-29"];
  const more = ["2026-10-31", "2026-09-26", "2026-02-14", "2026-06-01"];

  it("whatever the windows, the zone and the start of the day", () => {
    fc.assert(
      fc.property(anyTariff, fc.constantFrom(...shifts, ...more), (odd, date) => {
        const from = at(`${date}T10:00:00Z`);
        checkWalk({ ...UNPRICED, ...odd }, from, from + 48 * 3_600_000, 300_000);
      }),
      { numRuns: 40 },
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
    );
  });
});
