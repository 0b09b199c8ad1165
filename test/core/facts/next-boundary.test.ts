import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, civilDate, isoInstant } from "../../../src/core/calendar/dates.ts";
import { COLORS, type Tariff } from "../../../src/core/calendar/tariff.ts";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { FactsInput } from "../../../src/core/facts/facts.ts";
import type { SourceRecord } from "../../../src/core/facts/source-record.ts";
import { offPeakRows } from "../../support/any-off-peak.ts";
import { factsInputAt, forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, UNPRICED } from "../../support/tariff.ts";

const HOUR = 3_600_000;

describe("the next boundary", () => {
  it.each([
    ["midnight", "2026-01-05T23:59:59+01:00", "2026-01-05T23:00:00Z"],
    ["the start of the day", "2026-01-05T00:00:00+01:00", "2026-01-05T05:00:00Z"],
    ["the hour from which the announcement is late", "2026-01-05T06:00:00+01:00", "2026-01-05T11:00:00Z"],
    ["the change of the period", "2026-01-05T12:00:00+01:00", "2026-01-05T21:00:00Z"],
    ["06:00 of a short night", "2026-03-29T00:00:00+01:00", "2026-03-29T04:00:00Z"],
    ["06:00 of a long night", "2026-10-25T00:00:00+02:00", "2026-10-25T05:00:00Z"],
  ])("is %s", (_, at, boundary) => {
    expect(isoInstant(deriveFacts(factsInputAt(at, knownDaysOf({})), UNPRICED).next_boundary)).toBe(boundary);
  });

  it("is when the silence of a source makes it count as down", () => {
    const at = Date.parse("2026-01-05T13:00:00+01:00");
    const failing = { since: at - HOUR, sentence: "no route" };
    const input = factsInputAt(at, knownDaysOf({}), { failing, answered_at: at - 2 * HOUR });
    expect(deriveFacts(input, UNPRICED).next_boundary).toBe(at + 2 * HOUR);
    const invented = { ...input, service: null };
    expect(isoInstant(deriveFacts(invented, UNPRICED).next_boundary)).toBe("2026-01-05T21:00:00Z");
  });
});

const wallTimes = fc.constantFrom("00:00", "02:00", "02:30", "03:00", "06:00", "12:00", "16:45", "22:00");
const colors = fc.constantFrom(...COLORS);
const rates = fc.record({
  hp: fc.constantFrom(null, 0.1, 0.2),
  hc: fc.constantFrom(null, 0.1),
});
const anyKnownDay: fc.Arbitrary<KnownDay> = fc
  .oneof(
    { arbitrary: fc.tuple(colors, rates, fc.boolean()), weight: 3 },
    { arbitrary: fc.tuple(colors, rates), weight: 2 },
    { arbitrary: fc.tuple(), weight: 1 },
  )
  .map(([color, given, confirmed]) => {
    if (color === undefined || given === undefined) return {};
    return confirmed === undefined
      ? forecast(color, { rates: given })
      : official(color, { rates: given, confirmed });
  });
const tariffs: fc.Arbitrary<Tariff> = fc.record({
  time_zone: fc.constantFrom("Europe/Paris", "UTC", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana"),
  day_starts_at: wallTimes,
  off_peak: offPeakRows(wallTimes),
  laws: fc.constantFrom("tempo", "off"),
  rates_first: fc.constantFrom("service", "owner"),
  rates: fc.constantFrom([], [FEBRUARY_PRICES, AUGUST_PRICES], [{ ...AUGUST_PRICES, from: "2026-03-29" }]),
});
/** How a source answers at an instant. */
const anyRecord = fc
  .record({
    answered: fc.option(fc.integer({ min: 0, max: 40 * HOUR }), { nil: null }),
    since: fc.option(fc.integer({ min: 0, max: 30 * HOUR }), { nil: null }),
    hasFailures: fc.boolean(),
  })
  .map(
    ({ answered, since, hasFailures }) =>
      (at: number): SourceRecord => ({
        answered_at: answered === null ? null : at - answered,
        failing: since === null ? null : { since: at - since, sentence: "no route" },
        failures: hasFailures ? { season: { at, count: 1, sentence: "404" } } : {},
      }),
  );
const days = [
  "2026-01-05",
  "2026-03-29",
  "2026-03-31",
  "2026-04-01",
  "2026-07-31",
  "2026-08-31",
  "2026-10-25",
  "2026-11-01",
];
const situations = fc
  .record({
    date: fc.constantFrom(...days),
    minutes: fc.integer({ min: -2 * 1440, max: 2 * 1440 }),
    known: fc.array(anyKnownDay, { minLength: 14, maxLength: 14 }),
    records: fc.tuple(anyRecord, anyRecord),
    right: fc.boolean(),
    lateAfter: wallTimes,
    tariff: tariffs,
  })
  .map(({ date, minutes, known, records, right, lateAfter, tariff }) => {
    const at = Date.parse(date) + minutes * 60_000;
    const first = addDays(civilDate(at, tariff.time_zone), -3);
    const knownDays = knownDaysOf(
      Object.fromEntries(known.map((day, index) => [addDays(first, index), day])),
    );
    const [service, official] = records.map((record) => record(at));
    const situation = { ...factsInputAt(at, knownDays, service), official: official ?? null };
    return { input: { ...situation, clock: { at, right }, late_after: lateAfter }, tariff };
  });

const later = (input: FactsInput, at: number): FactsInput => ({ ...input, clock: { ...input.clock, at } });

describe("between two boundaries", () => {
  it("no fact changes", () => {
    fc.assert(
      fc.property(situations, fc.double({ min: 0, max: 1, noNaN: true }), ({ input, tariff }, share) => {
        const { at, ...facts } = deriveFacts(input, tariff);
        const last = facts.next_boundary - 1;
        expect(last).toBeGreaterThanOrEqual(at);
        for (const instant of [last, at + Math.floor((last - at) * share)]) {
          expect(deriveFacts(later(input, instant), tariff)).toEqual({ at: instant, ...facts });
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it("the boundaries of the moment are ahead, and none comes before the next boundary", () => {
    fc.assert(
      fc.property(situations, ({ input, tariff }) => {
        const clock = { ...input.clock, right: true };
        const { moment, next_boundary } = deriveFacts({ ...input, clock }, tariff);
        expect(Math.min(...Object.values(moment?.boundaries ?? {}))).toBeGreaterThanOrEqual(next_boundary);
      }),
    );
  });
});
