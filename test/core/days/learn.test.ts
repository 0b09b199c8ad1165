import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dayStart, wallInstant } from "../../../src/core/calendar/dates.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../../../src/core/calendar/tariff.ts";
import type { Answer, DayInAnswer, SeasonInAnswer } from "../../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS, newestInstant } from "../../../src/core/days/known-days.ts";
import { learn } from "../../../src/core/days/learn.ts";
import { PARIS } from "../../support/tariff.ts";

const NO_RATES = { hp: null, hc: null };
const DATE = "2026-01-05";
const at = (time: string, date = "2026-01-04"): Instant => wallInstant(date, time, PARIS.time_zone);

const said = (color: Color | null, more: Partial<DayInAnswer> = {}): DayInAnswer => ({
  date: DATE,
  color,
  raw: color,
  confidence: 0.8,
  source: "model",
  explanation: "cold",
  rates: NO_RATES,
  ...more,
});
const forecasts = (updated_at: Instant | null, ...days: DayInAnswer[]): Answer => ({
  kind: "forecasts",
  updated_at,
  days,
});
const dated = (
  color: Color | null,
  is_official: boolean | null,
  more: Partial<DayInAnswer> = {},
): Answer => ({
  kind: "date",
  is_official,
  day: said(color, { source: null, explanation: null, ...more }),
});
const history = (color: Color | null, date = DATE, predicted_color: Color | null = null): Answer => ({
  kind: "history",
  start: date,
  end: date,
  entries: [
    {
      date,
      color,
      raw: color,
      rates: NO_RATES,
      predicted_color,
      prediction_confidence: predicted_color && 0.7,
    },
  ],
});
const SEASON: SeasonInAnswer = {
  label: "2025-2026",
  start: "2025-09-01",
  end: "2026-08-31",
  remaining: { rouge: 20, blanc: 30, bleu: 200 },
  total: { rouge: 22, blanc: 43, bleu: 300 },
  days_elapsed: 120,
  days_remaining: 245,
};
const learned = (knownDays: KnownDays, now: Instant, ...answers: Answer[]): KnownDays =>
  learn(knownDays, answers, now, PARIS);
const learnAll = (...steps: [now: Instant, answer: Answer][]): KnownDays =>
  steps.reduce((knownDays, [now, answer]) => learned(knownDays, now, answer), NO_KNOWN_DAYS);
const day = (knownDays: KnownDays) => knownDays.days[DATE];

describe("a forecast", () => {
  it("is kept with when it was said and when it was seen", () => {
    const knownDays = learned(NO_KNOWN_DAYS, at("09:00"), forecasts(at("08:00"), said("blanc")));
    expect(day(knownDays)?.forecast).toEqual({
      color: "blanc",
      raw: "blanc",
      confidence: 0.8,
      source: "model",
      explanation: "cold",
      rates: NO_RATES,
      said_at: at("08:00"),
      seen_at: at("09:00"),
    });
    expect(knownDays.updated_at).toBe(at("08:00"));
  });

  it("said again keeps its first time, and an equal answer gives the very same book", () => {
    const first = learned(NO_KNOWN_DAYS, at("09:00"), forecasts(at("08:00"), said("blanc")));
    expect(learned(first, at("10:00"), forecasts(at("08:00"), said("blanc")))).toBe(first);
    const later = learned(first, at("10:00"), forecasts(at("09:30"), said("blanc")));
    expect(later.days).toBe(first.days);
    expect(later.updated_at).toBe(at("09:30"));
  });

  it("gives way to a later update and not to an older one", () => {
    const knownDays = learnAll([at("10:00"), forecasts(at("09:00"), said("blanc"))]);
    expect(day(learned(knownDays, at("10:05"), forecasts(at("10:00"), said("rouge"))))?.forecast?.color).toBe(
      "rouge",
    );
    expect(learned(knownDays, at("10:05"), forecasts(at("08:00"), said("rouge")))).toBe(knownDays);
  });

  it("of the same update or of unknown age gives way to what arrives later", () => {
    for (const updated_at of [at("09:00"), null]) {
      const knownDays = learnAll([at("10:00"), forecasts(updated_at, said("blanc"))]);
      expect(
        day(learned(knownDays, at("10:05"), forecasts(updated_at, said("rouge"))))?.forecast?.color,
      ).toBe("rouge");
    }
  });

  it("becomes unknown when a later update names no colour", () => {
    const knownDays = learnAll(
      [at("10:00"), forecasts(at("09:00"), said("rouge"))],
      [at("11:00"), forecasts(at("10:00"), said(null, { raw: "purple" }))],
    );
    expect(day(knownDays)?.forecast).toMatchObject({ color: null, raw: "purple" });
  });

  it("updated in the future counts as said now, and does not make every poll a change", () => {
    const first = learnAll([at("10:00"), forecasts(at("12:00"), said("blanc"))]);
    expect(day(first)?.forecast?.said_at).toBe(at("10:00"));
    expect(first.updated_at).toBe(at("10:00"));
    expect(learned(first, at("10:05"), forecasts(at("12:00"), said("blanc")))).toBe(first);
    expect(learned(first, at("10:05"), forecasts(at("12:00"), said("rouge"))).updated_at).toBe(at("10:05"));
  });

  it("does not flicker when one answer names a date twice", () => {
    const twice = forecasts(at("09:00"), said("blanc"), said("rouge"));
    const knownDays = learnAll([at("10:00"), twice]);
    expect(day(knownDays)?.forecast?.color).toBe("rouge");
    expect(learned(knownDays, at("10:05"), twice)).toBe(knownDays);
  });
});

describe("a date answer that is not official", () => {
  it("refines the forecast of the same colour and keeps what it does not know", () => {
    const knownDays = learnAll(
      [at("10:00"), forecasts(at("09:00"), said("rouge"))],
      [at("10:00"), dated("rouge", false, { confidence: 0.9, rates: { hp: 0.7, hc: null } })],
    );
    expect(day(knownDays)?.forecast).toMatchObject({
      color: "rouge",
      confidence: 0.9,
      source: "model",
      explanation: "cold",
      rates: { hp: 0.7, hc: null },
      said_at: at("09:00"),
    });
  });

  it("takes its own colour, and no source with it", () => {
    const knownDays = learnAll(
      [at("10:00"), forecasts(at("09:00"), said("bleu"))],
      [at("10:00"), dated("rouge", null, { confidence: null })],
    );
    expect(day(knownDays)?.forecast).toMatchObject({
      color: "rouge",
      confidence: null,
      source: null,
      explanation: null,
    });
    expect(day(knownDays)?.official).toBeUndefined();
  });

  it("without a colour takes none away", () => {
    const knownDays = learnAll([at("10:00"), forecasts(at("09:00"), said("rouge"))]);
    expect(learned(knownDays, at("10:00"), dated(null, true))).toBe(knownDays);
    expect(learned(knownDays, at("10:00"), dated(null, false))).toBe(knownDays);
  });

  it("without a colour holds back none that the forecasts then name, of the same update or of an older one", () => {
    const known = learnAll([at("10:00"), forecasts(at("09:30"))], [at("10:10"), dated(null, null)]);
    expect(day(known)?.forecast?.color).toBeNull();
    for (const updated_at of [at("09:30"), at("09:00"), null]) {
      expect(day(learned(known, at("10:20"), forecasts(updated_at, said("bleu"))))?.forecast?.color).toBe(
        "bleu",
      );
    }
    const repeated = learned(known, at("10:15"), dated(null, null, { confidence: 0.1 }));
    expect(day(learned(repeated, at("10:20"), forecasts(at("09:30"), said("bleu"))))?.forecast?.color).toBe(
      "bleu",
    );
  });

  it("and forecasts that differ do not take turns at each poll", () => {
    const poll = [forecasts(at("09:00"), said("bleu")), dated("rouge", false)];
    let knownDays = NO_KNOWN_DAYS;
    for (const answer of poll) knownDays = learned(knownDays, at("10:00"), answer);
    const first = knownDays;
    for (const answer of poll) knownDays = learned(knownDays, at("10:05"), answer);
    expect(knownDays).toBe(first);
    expect(day(learned(knownDays, at("10:10"), forecasts(at("10:08"), said("bleu"))))?.forecast?.color).toBe(
      "bleu",
    );
    expect(day(learned(knownDays, at("12:01"), forecasts(at("09:00"), said("bleu"))))?.forecast?.color).toBe(
      "bleu",
    );
  });
});

describe("an official colour", () => {
  it("comes from a date answer that says so and from history, and stands beside the forecast", () => {
    const knownDays = learnAll(
      [at("10:00"), forecasts(at("09:00"), said("bleu"))],
      [at("10:40"), dated("rouge", true)],
    );
    expect(day(knownDays)?.official).toEqual({
      color: "rouge",
      rates: NO_RATES,
      seen_at: at("10:40"),
      final: false,
    });
    expect(day(knownDays)?.forecast?.color).toBe("bleu");
    expect(day(learnAll([at("12:00", "2026-01-06"), history("blanc")]))?.official?.color).toBe("blanc");
  });

  it("is never lost to a forecast, whatever its form", () => {
    const knownDays = learnAll([at("10:40"), dated("rouge", true)]);
    for (const answer of [
      forecasts(at("10:45"), said("bleu")),
      dated("bleu", false),
      dated(null, true),
      dated("bleu", null),
      history(null),
    ]) {
      expect(day(learned(knownDays, at("10:50"), answer))?.official).toBe(day(knownDays)?.official);
    }
  });

  it("that changes is a revision, seen anew", () => {
    const knownDays = learnAll([at("06:35"), dated("bleu", true)], [at("11:00"), dated("rouge", true)]);
    expect(day(knownDays)?.official).toEqual({
      color: "rouge",
      rates: NO_RATES,
      seen_at: at("11:00"),
      final: false,
      revised_from: "bleu",
    });
  });

  it.each([
    ["seen at 11:29:59 is announced", [at("11:30") - 1000], false],
    ["seen at 11:30 is final", [at("11:30")], true],
    ["seen early and confirmed at 11:30 is final", [at("06:35"), at("11:30")], true],
  ])("%s", (_, times, final) => {
    const knownDays = learnAll(...times.map((now): [Instant, Answer] => [now, dated("rouge", true)]));
    expect(day(knownDays)?.official).toMatchObject({ final, seen_at: times[0] });
  });

  it("is final once its day has begun, though nobody confirmed it", () => {
    const early = learnAll([at("06:35"), dated("rouge", true)]);
    expect(learned(early, dayStart(DATE, PARIS) - 1)).toBe(early);
    const begun = learned(early, dayStart(DATE, PARIS));
    expect(day(begun)?.official?.final).toBe(true);
    expect(day(learned(begun, at("07:00")))?.official?.final).toBe(true);
  });

  it("stays final when the clock is set back, and a correction is judged anew", () => {
    const knownDays = learnAll([at("11:40"), dated("rouge", true)]);
    expect(learned(knownDays, at("11:00"), dated("rouge", true))).toBe(knownDays);
    expect(day(learned(knownDays, at("11:00"), dated("bleu", true)))?.official?.final).toBe(false);
  });

  it("keeps a rate that a later answer leaves out, but not over a revision", () => {
    const rates = { hp: 0.7, hc: 0.15 };
    const knownDays = learnAll([at("11:40"), dated("rouge", true, { rates })]);
    expect(learned(knownDays, at("11:45"), dated("rouge", true))).toBe(knownDays);
    expect(day(learned(knownDays, at("11:45"), dated("bleu", true)))?.official?.rates).toEqual(NO_RATES);
  });

  it("named twice in one batch is what was said last, and no revision", () => {
    const batch = [dated("bleu", true), history("rouge")];
    const knownDays = learned(NO_KNOWN_DAYS, at("11:40"), ...batch);
    expect(day(knownDays)?.official).toEqual({
      color: "rouge",
      rates: NO_RATES,
      seen_at: at("11:40"),
      final: true,
    });
    expect(learned(knownDays, at("11:45"), ...batch)).toBe(knownDays);
  });
});

describe("the rest of the book", () => {
  it("keeps history's prediction", () => {
    const knownDays = learnAll([at("12:00", "2026-01-06"), history("rouge", DATE, "blanc")]);
    expect(day(knownDays)?.prediction).toEqual({ color: "blanc", confidence: 0.7 });
    expect(learned(knownDays, at("13:00", "2026-01-06"), history("rouge"))).toBe(knownDays);
  });

  it("keeps a season's first sight while it says the same", () => {
    const knownDays = learnAll([at("10:00"), { kind: "season", season: SEASON }]);
    expect(knownDays.seasons["2025-2026"]).toEqual({ ...SEASON, seen_at: at("10:00") });
    expect(learned(knownDays, at("11:00"), { kind: "season", season: { ...SEASON } })).toBe(knownDays);
    const next = learned(knownDays, at("11:00"), {
      kind: "season",
      season: { ...SEASON, days_elapsed: 121 },
    });
    expect(next.seasons["2025-2026"]?.seen_at).toBe(at("11:00"));
    expect(next.days).toBe(knownDays.days);
  });

  it("shares every day that did not change", () => {
    const other = addDays(DATE, 1);
    const knownDays = learnAll([
      at("10:00"),
      forecasts(at("09:00"), said("blanc"), said("bleu", { date: other })),
    ]);
    const next = learned(
      knownDays,
      at("11:00"),
      forecasts(at("10:30"), said("rouge"), said("bleu", { date: other })),
    );
    expect(next.days[other]).toBe(knownDays.days[other]);
  });

  it("drops what is too old and takes nothing from the absurd future", () => {
    const old = history("bleu", "2023-10-01");
    const knownDays = learnAll(
      [at("10:00", "2023-10-02"), old],
      [at("10:00"), forecasts(at("09:00"), said("blanc"))],
    );
    expect(Object.keys(knownDays.days)).toEqual([DATE]);
    expect(learned(knownDays, at("10:00"), old)).toBe(knownDays);
    expect(learned(knownDays, at("10:00"), history("bleu", "9999-12-31"))).toBe(knownDays);
  });

  it.each(["1970-01-02", "2099-01-01"])("survives a clock that says %s", (date) => {
    const knownDays = learnAll(
      [at("10:00", "2026-01-06"), history("rouge")],
      [at("10:00"), { kind: "season", season: SEASON }],
    );
    expect(learned(knownDays, at("10:00", date))).toBe(knownDays);
  });

  it("knows the newest instant at which something was seen", () => {
    expect(newestInstant(NO_KNOWN_DAYS)).toBeNull();
    const knownDays = learnAll(
      [at("09:00"), forecasts(null, said("bleu"))],
      [at("11:40"), dated("rouge", true)],
      [at("10:00"), { kind: "season", season: SEASON }],
    );
    expect(newestInstant(knownDays)).toBe(at("11:40"));
  });
});

const color = fc.constantFrom(...COLORS);
const maybeColor = fc.option(color, { freq: 4 });
const share = fc.option(fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100));
const rate = fc.option(fc.constantFrom(0.1, 0.2));
const date = fc.integer({ min: 0, max: 3 }).map((days) => addDays(DATE, days));
const rates = fc.record({ hp: rate, hc: rate });
const saidDay: fc.Arbitrary<DayInAnswer> = fc.record({
  date,
  color: maybeColor,
  raw: fc.option(fc.constantFrom("x", "y")),
  confidence: share,
  source: fc.option(fc.constantFrom("model", "official")),
  explanation: fc.option(fc.constantFrom("cold", "warm")),
  rates,
});
const now = fc.integer({ min: 0, max: 144 }).map((halfHours) => at("00:00") + halfHours * 1_800_000);
const maybeInstant = fc.option(now);
const maybeOfficial = fc.option(fc.boolean());
const dateAnswer: fc.Arbitrary<Answer> = fc.record({
  kind: fc.constant("date"),
  day: saidDay,
  is_official: maybeOfficial,
});
const historyAnswer: fc.Arbitrary<Answer> = fc.record({
  kind: fc.constant("history"),
  start: fc.constant(DATE),
  end: fc.constant(DATE),
  entries: fc.array(
    fc.record({
      date,
      color: maybeColor,
      raw: fc.constant(null),
      rates,
      predicted_color: maybeColor,
      prediction_confidence: share,
    }),
    { maxLength: 3 },
  ),
});
const forecastsAnswer: fc.Arbitrary<Answer> = fc.record({
  kind: fc.constant("forecasts"),
  updated_at: maybeInstant,
  days: fc.array(saidDay, { maxLength: 4 }),
});
const answer: fc.Arbitrary<Answer> = fc.oneof(forecastsAnswer, dateAnswer, historyAnswer);
const batch = fc.record({ now, answers: fc.array(answer, { maxLength: 4 }) });
const batches = fc.array(batch, { maxLength: 8 });
const replay = (steps: { now: Instant; answers: Answer[] }[]): KnownDays =>
  steps.reduce((knownDays, step) => learn(knownDays, step.answers, step.now, PARIS), NO_KNOWN_DAYS);

/** All that was officially said of a date, in order. */
const officialWords = (steps: { now: Instant; answers: Answer[] }[], date: IsoDate) =>
  steps.flatMap(({ now, answers }) => {
    const words = answers.flatMap((said) => {
      if (said.kind === "date" && said.is_official && said.day.date === date) return [said.day.color];
      if (said.kind === "history")
        return said.entries.filter((entry) => entry.date === date).map((entry) => entry.color);
      return [];
    });
    const last = words.findLast((word) => word !== null);
    return last ? [{ now, color: last }] : [];
  });

describe("whatever is answered, in whatever order", () => {
  it("the same batch again gives the very same book", () => {
    fc.assert(
      fc.property(batches, batch, (before, { now, answers }) => {
        const once = learn(replay(before), answers, now, PARIS);
        expect(learn(once, answers, now, PARIS)).toBe(once);
      }),
    );
  });

  it("a book holds no colour that no answer said of that very date", () => {
    fc.assert(
      fc.property(batches, (steps) => {
        const spoken = new Set<string>();
        for (const said of steps.flatMap((step) => step.answers)) {
          if (said.kind === "forecasts") for (const day of said.days) spoken.add(`${day.date} ${day.color}`);
          if (said.kind === "date") spoken.add(`${said.day.date} ${said.day.color}`);
          if (said.kind === "history") {
            for (const entry of said.entries) spoken.add(`${entry.date} ${entry.color}`);
          }
        }
        for (const [date, { forecast, official }] of Object.entries(replay(steps).days)) {
          if (forecast) expect(spoken).toContain(`${date} ${forecast.color}`);
          if (official) expect(spoken).toContain(`${date} ${official.color}`);
          if (official?.revised_from) expect(spoken).toContain(`${date} ${official.revised_from}`);
        }
      }),
    );
  });

  it("the official colour is the last one that was officially said, and its stage follows from when", () => {
    fc.assert(
      fc.property(batches, (unsorted) => {
        const steps = unsorted.toSorted((one, other) => one.now - other.now);
        const knownDays = replay(steps);
        for (const date of [0, 1, 2, 3].map((days) => addDays(DATE, days))) {
          const words = officialWords(steps, date);
          const last = words.at(-1);
          const official = knownDays.days[date]?.official;
          expect(official?.color).toBe(last?.color);
          if (!last) continue;
          const run = words.slice(words.findLastIndex((word) => word.color !== last.color) + 1);
          const previous = words.findLast((word) => word.color !== last.color);
          const cutoff = wallInstant(addDays(date, -1), "11:30", PARIS.time_zone);
          const begun = (steps.at(-1)?.now ?? 0) >= dayStart(date, PARIS);
          expect(official?.seen_at).toBe(run[0]?.now);
          expect(official?.final).toBe(begun || run.some((word) => word.now >= cutoff));
          expect(official?.revised_from).toBe(previous?.color);
        }
      }),
    );
  });

  it("the forecast is the last word when each answer is newer than the one before", () => {
    fc.assert(
      fc.property(fc.array(fc.array(saidDay, { maxLength: 4 }), { maxLength: 8 }), (answers) => {
        const last = new Map<IsoDate, Color | null>();
        let knownDays = NO_KNOWN_DAYS;
        for (const [index, days] of answers.entries()) {
          const now = at("00:00") + index * 3_600_000;
          knownDays = learned(knownDays, now, forecasts(now - 60_000, ...days));
          for (const { date, color } of days) last.set(date, color);
        }
        const known = Object.entries(knownDays.days).map(([date, day]) => [date, day.forecast?.color]);
        expect(new Map(known as [IsoDate, Color | null][])).toEqual(new Map([...last].sort()));
      }),
    );
  });

  it("the order of a batch matters only among words of the same kind and age", () => {
    const distinct = fc.uniqueArray(fc.oneof(forecastsAnswer, dateAnswer), {
      maxLength: 5,
      selector: (said) =>
        said.kind === "forecasts"
          ? `${Math.min(said.updated_at ?? Infinity)}`
          : said.kind === "date"
            ? said.day.date
            : "",
    });
    const shuffled = distinct.chain((answers) =>
      fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length })),
    );
    // After every update of the batch: those "in the future" are of one age, and among these the later counts.
    const after = at("00:00") + 145 * 1_800_000;
    fc.assert(
      fc.property(batches, shuffled, (before, [answers, other]) => {
        const knownDays = replay(before);
        expect(learn(knownDays, other, after, PARIS)).toEqual(learn(knownDays, answers, after, PARIS));
      }),
    );
  });

  it("an older forecast never replaces a newer one, and an official colour never goes", () => {
    fc.assert(
      fc.property(batches, forecastsAnswer, now, (steps, late, now) => {
        const before = replay(steps);
        const after = learn(before, [late], now, PARIS);
        for (const [date, { forecast, official }] of Object.entries(before.days)) {
          if (official) expect(after.days[date]?.official?.color).toBe(official.color);
          const old = forecast?.said_at ?? Number.NEGATIVE_INFINITY;
          const stale =
            late.kind === "forecasts" && late.updated_at !== null && Math.min(late.updated_at, now) < old;
          if (stale) expect(after.days[date]?.forecast).toBe(forecast);
        }
      }),
    );
  });
});
