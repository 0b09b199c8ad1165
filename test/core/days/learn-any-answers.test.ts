import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, wallInstant } from "../../../src/core/calendar/dates.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../../../src/core/calendar/tariff.ts";
import type { Answer, DayInAnswer } from "../../../src/core/contract/answer.ts";
import { NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { learn } from "../../../src/core/days/learn.ts";
import { PARIS } from "../../support/tariff.ts";

const MIDNIGHT = wallInstant("2026-01-04", "00:00", PARIS.time_zone);
const DATES = ["2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"];

const anyDate = fc.constantFrom(...DATES);
const anyColor = fc.option(fc.constantFrom(...COLORS), { freq: 4 });
const anyShare = fc.option(fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100));
const anyRate = fc.option(fc.constantFrom(0.1, 0.2));
const anyRates = fc.record({ hp: anyRate, hc: anyRate });
const anyInstant = fc.integer({ min: 0, max: 144 }).map((halfHours) => MIDNIGHT + halfHours * 1_800_000);
const maybeInstant = fc.option(anyInstant);
const anyDay: fc.Arbitrary<DayInAnswer> = fc.record({
  date: anyDate,
  color: anyColor,
  raw: fc.option(fc.constantFrom("x", "y")),
  confidence: anyShare,
  source: fc.option(fc.constantFrom("model", "official")),
  explanation: fc.option(fc.constantFrom("cold", "warm")),
  rates: anyRates,
});
const anyEntry = fc.record({
  date: anyDate,
  color: anyColor,
  raw: fc.constant(null),
  rates: anyRates,
  predicted_color: anyColor,
  prediction_confidence: anyShare,
});
/** An answer names each date once. */
const onePerDate = <Day extends { date: IsoDate }>(day: fc.Arbitrary<Day>) =>
  fc.uniqueArray(day, { maxLength: 4, selector: ({ date }) => date });
const anyDays = onePerDate(anyDay);
const anyForecasts: fc.Arbitrary<Answer> = fc.record({
  kind: fc.constant("forecasts"),
  updated_at: maybeInstant,
  days: anyDays,
});
const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  anyForecasts,
  fc.record({ kind: fc.constant("date"), day: anyDay, is_official: fc.option(fc.boolean()) }),
  fc.record({
    kind: fc.constant("history"),
    start: fc.constant("2026-01-05"),
    end: fc.constant("2026-01-08"),
    entries: onePerDate(anyEntry),
  }),
);
interface Step {
  now: Instant;
  answer: Answer;
}
const anyStep: fc.Arbitrary<Step> = fc.record({ now: anyInstant, answer: anyAnswer });
const anySteps = fc.array(anyStep, { maxLength: 16 });
const learnAll = (steps: Step[]) =>
  steps.reduce((known, { answer, now }) => learn(known, answer, now, PARIS), NO_KNOWN_DAYS);

const daysIn = (answer: Answer): { date: IsoDate; color: Color | null }[] => {
  if (answer.kind === "forecasts") return answer.days;
  if (answer.kind === "history") return answer.entries;
  return answer.kind === "date" ? [answer.day] : [];
};

/** The official colours that were answered for a date, in order. */
const officialColors = (steps: Step[], date: IsoDate) =>
  steps.flatMap(({ now, answer }) => {
    const isOfficial = answer.kind === "history" || (answer.kind === "date" && answer.is_official);
    const color = isOfficial ? daysIn(answer).find((day) => day.date === date)?.color : null;
    return color ? [{ now, color }] : [];
  });

describe("whatever is answered, in whatever order", () => {
  it("the same answer again changes nothing", () => {
    fc.assert(
      fc.property(anySteps, anyStep, (before, { now, answer }) => {
        const once = learn(learnAll(before), answer, now, PARIS);
        expect(learn(once, answer, now, PARIS)).toBe(once);
      }),
    );
  });

  it("no colour is known that no answer had for that very date", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const answered = new Set(
          steps.flatMap(({ answer }) => daysIn(answer).map(({ date, color }) => `${date} ${color}`)),
        );
        for (const [date, { forecast, service_word, revised_from }] of Object.entries(learnAll(steps).days)) {
          if (forecast) expect(answered).toContain(`${date} ${forecast.color}`);
          if (service_word) expect(answered).toContain(`${date} ${service_word.color}`);
          if (revised_from) expect(answered).toContain(`${date} ${revised_from}`);
        }
      }),
    );
  });

  it("the official colour is the last one answered, and whether it is confirmed follows from when", () => {
    fc.assert(
      fc.property(anySteps, (unsorted) => {
        const steps = unsorted.toSorted((one, other) => one.now - other.now);
        const known = learnAll(steps);
        for (const date of DATES) {
          const colors = officialColors(steps, date);
          const last = colors.at(-1);
          const { service_word: word, revised_from } = known.days[date] ?? {};
          expect(word?.color).toBe(last?.color);
          if (!last) continue;
          const sinceRevision = colors.slice(colors.findLastIndex(({ color }) => color !== last.color) + 1);
          const cutoff = wallInstant(addDays(date, -1), "11:30", PARIS.time_zone);
          expect(word?.first_said).toBe(sinceRevision[0]?.now);
          expect(word?.confirmed).toBe(sinceRevision.some(({ now }) => now >= cutoff));
          expect(revised_from).toBe(colors.findLast(({ color }) => color !== last.color)?.color);
        }
      }),
    );
  });

  it("the forecast is the last one where each answer is newer than the one before", () => {
    fc.assert(
      fc.property(fc.array(anyDays, { maxLength: 8 }), (answers) => {
        const steps = answers.map((days, index): Step => {
          const now = MIDNIGHT + index * 3_600_000;
          return { now, answer: { kind: "forecasts", updated_at: now - 60_000, days } };
        });
        const last = new Map(answers.flat().map(({ date, color }) => [date, color]));
        const known = Object.entries(learnAll(steps).days);
        expect(known.map(([date, { forecast }]) => [date, forecast?.color])).toEqual([...last].sort());
      }),
    );
  });

  it("an older forecast never replaces a newer one, and an official colour never goes", () => {
    fc.assert(
      fc.property(anySteps, anyForecasts, anyInstant, (steps, late, now) => {
        const before = learnAll(steps);
        const after = learn(before, late, now, PARIS);
        for (const [date, { forecast, service_word: word }] of Object.entries(before.days)) {
          if (word) expect(after.days[date]?.service_word?.color).toBe(word.color);
          const known = forecast?.said_at ?? Number.NEGATIVE_INFINITY;
          if (late.kind !== "forecasts" || late.updated_at === null) continue;
          if (Math.min(late.updated_at, now) < known) expect(after.days[date]?.forecast).toBe(forecast);
        }
      }),
    );
  });
});
