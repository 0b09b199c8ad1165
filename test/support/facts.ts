import fc from "fast-check";
import { COLORS } from "../../src/core/calendar/tariff.ts";
import {
  CIVIL_DAYS,
  type DayFacts,
  type Facts,
  OFFICIAL_STATUSES,
  PROBLEM_CODES,
  SERVICE_STATUSES,
} from "../../src/core/facts/facts.ts";

const MIDNIGHT = Date.UTC(2026, 0, 5, 23);
const color = fc.constantFrom(...COLORS, null);
const instant = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 0, 1) });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const rate = maybe(fc.double({ min: 0, max: 3, noNaN: true }));
const ratio = maybe(fc.double({ min: 0, max: 1, noNaN: true }));
const words = maybe(fc.string({ unit: "binary", maxLength: 600 }));
const count = fc.integer({ min: 0, max: 366 });
const date = fc
  .integer({ min: 0, max: 700 })
  .map((days) => new Date(Date.UTC(2025, 8, 1 + days)).toISOString().slice(0, 10));
const stage = fc.constantFrom("forecast", "announced", "final");

const anyDay: fc.Arbitrary<DayFacts> = fc.record({
  date,
  color,
  confidence: ratio,
  official: fc.boolean(),
  stage: maybe(stage),
  source: words,
  explanation: words,
  rates: fc.record({ hp: rate, hc: rate }),
  revised_from: color,
  official_by: maybe(fc.constant({ service: "blanc", rte: "rouge" })),
}) as fc.Arbitrary<DayFacts>;

const colors = <T>(values: fc.Arbitrary<T>) => fc.record({ bleu: values, blanc: values, rouge: values });
const days = fc.record(Object.fromEntries(CIVIL_DAYS.map((name) => [name, anyDay])));
const moment = fc.record({
  now: fc
    .tuple(
      anyDay,
      fc.record({ period: fc.constantFrom("hp", "hc"), rate, color_until: instant, period_until: instant }),
    )
    .map(([day, more]) => ({ ...day, ...more })),
  next: fc.tuple(anyDay, instant).map(([day, at]) => ({ ...day, at })),
  days,
  announcement: fc.record({ stage, date, late: fc.boolean() }),
  boundaries: fc.record({ day: instant, period: instant, midnight: instant, late: instant }),
});
const nextDayOfColor = fc.record({
  date: maybe(date),
  confidence: ratio,
  outlook: fc.constantFrom("known", "none_in_horizon", "unknown", "season_over"),
});
const spans = fc.array(
  fc.record({ start: instant, end: instant, value: fc.double({ min: 0, max: 3, noNaN: true }) }),
  {
    maxLength: 400,
  },
);
const dated = fc.record({
  yesterday: fc.record({ date, color, predicted_color: color, prediction_confidence: ratio }),
  next_change: fc.record({ color: maybe(instant), period: maybe(instant), rate: maybe(instant) }),
  next_rouge: nextDayOfColor,
  next_blanc: nextDayOfColor,
  forecast: fc.record({ updated_at: maybe(instant), days: fc.array(anyDay, { maxLength: 60 }) }),
  rates: spans,
  rates_forecast: spans,
  prices: fc
    .tuple(colors(fc.record({ hp: rate, hc: rate })), fc.constantFrom("service", "owner", null))
    .map(([rows, source]) => ({ ...rows, source, difference: null, old_row: null })),
  season: maybe(
    fc.record({
      label: fc.constant("2025-2026"),
      start: date,
      end: date,
      days_elapsed: count,
      days_remaining: count,
      remaining: colors(count),
      total: colors(count),
      seen_at: instant,
    }),
  ),
  used: maybe(colors(count)),
  left: maybe(colors(count)),
  by_date: fc.constant(null),
  assumed: fc.boolean(),
});

/** Facts of any kind, texts with every character there is. */
export const anyFacts = fc.record({
  at: instant,
  moment: maybe(moment),
  dated,
  service: fc.record({
    status: fc.constantFrom(...SERVICE_STATUSES),
    last_success: maybe(instant),
    last_error: words,
    updated_at: maybe(instant),
    // No refresh finds that the broker is away.
    problem_code: fc.constantFrom(...PROBLEM_CODES.filter((code) => code !== "broker")),
    failed_outputs: fc.array(fc.string({ unit: "binary", maxLength: 300 }), { maxLength: 3 }),
  }),
  official: fc.record({
    status: fc.constantFrom(...OFFICIAL_STATUSES),
    last_success: maybe(instant),
    last_error: words,
  }),
  simulation: fc.constant(null),
  next_boundary: instant,
}) as fc.Arbitrary<Facts>;

/** One set of facts in which every part is known: rouge on 5 January 2026, at noon. */
export function rougeFacts(): Facts {
  const day = (on: string, is: DayFacts["color"]): DayFacts => ({
    date: on,
    color: is,
    confidence: is === null ? null : 1,
    official: is !== null,
    stage: is === null ? null : "final",
    source: is === null ? null : "official",
    explanation: is === null ? null : "cold and still",
    rates: { hp: 0.706, hc: 0.1575 },
    revised_from: null,
    official_by: null,
  });
  const at = Date.UTC(2026, 0, 5, 11);
  const dates = CIVIL_DAYS.map((_, n) => new Date(Date.UTC(2026, 0, 5 + n)).toISOString().slice(0, 10));
  const civil = CIVIL_DAYS.map((name, n) => [name, day(dates[n] ?? "", n < 2 ? "rouge" : null)]);
  return {
    at,
    moment: {
      now: {
        ...day("2026-01-05", "rouge"),
        period: "hp",
        rate: 0.706,
        color_until: Date.UTC(2026, 0, 6, 5),
        period_until: Date.UTC(2026, 0, 5, 21),
      },
      next: { ...day("2026-01-06", "rouge"), at: Date.UTC(2026, 0, 6, 5) },
      days: Object.fromEntries(civil),
      announcement: { stage: "final", date: "2026-01-06", late: false },
      boundaries: {
        day: Date.UTC(2026, 0, 6, 5),
        period: Date.UTC(2026, 0, 5, 21),
        midnight: MIDNIGHT,
        late: MIDNIGHT,
      },
    },
    dated: {
      yesterday: {
        date: "2026-01-04",
        color: "bleu",
        predicted_color: "blanc",
        prediction_confidence: 0.667,
      },
      next_change: {
        color: Date.UTC(2026, 0, 7, 5),
        period: Date.UTC(2026, 0, 5, 21),
        rate: Date.UTC(2026, 0, 5, 21),
      },
      next_rouge: { date: "2026-01-06", confidence: 1, outlook: "known" },
      next_blanc: { date: null, confidence: null, outlook: "unknown" },
      forecast: { updated_at: at, days: [day("2026-01-05", "rouge")] },
      rates: [{ start: Date.UTC(2026, 0, 5, 5), end: Date.UTC(2026, 0, 5, 21), value: 0.706 }],
      rates_forecast: [],
      prices: {
        bleu: { hp: 0.1612, hc: 0.1325 },
        blanc: { hp: 0.1871, hc: 0.1499 },
        rouge: { hp: 0.70600049, hc: null },
        source: "service",
        difference: null,
        old_row: null,
      },
      season: {
        label: "2025-2026",
        start: "2025-09-01",
        end: "2026-08-31",
        days_elapsed: 127,
        days_remaining: 238,
        remaining: { rouge: 20, blanc: 33, bleu: 185 },
        total: { rouge: 22, blanc: 43, bleu: 300 },
        seen_at: at,
      },
      used: { rouge: 1, blanc: 9, bleu: 117 },
      left: { rouge: 21, blanc: 34, bleu: 183 },
      by_date: null,
      assumed: false,
    },
    service: {
      status: "ok",
      last_success: at,
      last_error: null,
      updated_at: at,
      problem_code: "none",
      failed_outputs: [],
    },
    official: { status: "ok", last_success: at, last_error: null },
    simulation: null,
    next_boundary: Date.UTC(2026, 0, 5, 21),
  };
}
