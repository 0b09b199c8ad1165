import { describe, expect, it } from "vitest";
import { addDays, dayStart, wallInstant } from "../../../src/core/calendar/dates.ts";
import type { Color, Instant } from "../../../src/core/calendar/tariff.ts";
import type { Answer, DayInAnswer, SeasonInAnswer } from "../../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS, newestInstant } from "../../../src/core/days/known-days.ts";
import { learn } from "../../../src/core/days/learn.ts";
import {
  dateAnswer,
  dayInAnswer,
  forecastsAnswer as forecasts,
  historyAnswer,
  SEASON,
} from "../../support/answers.ts";
import { PARIS } from "../../support/tariff.ts";

const NO_RATES = { hp: null, hc: null };
const DATE = "2026-01-05";
const at = (time: string, date = "2026-01-04"): Instant => wallInstant(date, time, PARIS.time_zone);
const forecast = (color: Color | null, more: Partial<DayInAnswer> = {}) => dayInAnswer(DATE, color, more);
const date = (color: Color | null, official: boolean | null, more: Partial<DayInAnswer> = {}) =>
  dateAnswer(DATE, color, official, more);
/** An answer that names no day. */
const EMPTY = forecasts(null);

const learnAfter = (known: KnownDays, ...steps: [now: Instant, answer: Answer][]): KnownDays =>
  steps.reduce((days, [now, answer]) => learn(days, answer, now, PARIS), known);
const learnAll = (...steps: [now: Instant, answer: Answer][]) => learnAfter(NO_KNOWN_DAYS, ...steps);
const forecastOf = (known: KnownDays) => known.days[DATE]?.forecast;
const officialOf = (known: KnownDays) => known.days[DATE]?.service_word;

describe("a forecast", () => {
  it("is kept with when the service wrote it and when vigie received it", () => {
    const known = learnAll([at("09:00"), forecasts(at("08:00"), forecast("blanc"))]);
    const { date: _, ...content } = forecast("blanc");
    expect(forecastOf(known)).toEqual({ ...content, said_at: at("08:00"), seen_at: at("09:00") });
    expect(known.updated_at).toBe(at("08:00"));
  });

  it("keeps its first times when it is repeated, and an equal answer changes nothing", () => {
    const first = learnAll([at("09:00"), forecasts(at("08:00"), forecast("blanc"))]);
    expect(learnAfter(first, [at("10:00"), forecasts(at("08:00"), forecast("blanc"))])).toBe(first);
    const later = learnAfter(first, [at("10:00"), forecasts(at("09:30"), forecast("blanc"))]);
    expect(later.days).toBe(first.days);
    expect(later.updated_at).toBe(at("09:30"));
  });

  it.each([
    ["a later update", at("09:00"), at("10:00"), "rouge"],
    ["an older update", at("09:00"), at("08:00"), "blanc"],
    ["the same update, received later", at("09:00"), at("09:00"), "rouge"],
    ["an update of unknown age, received later", null, null, "rouge"],
  ])("compared with %s", (_, first, second, color) => {
    const known = learnAll([at("10:00"), forecasts(first, forecast("blanc"))]);
    const after = learnAfter(known, [at("10:05"), forecasts(second, forecast("rouge"))]);
    expect(forecastOf(after)?.color).toBe(color);
    if (color === "blanc") expect(after).toBe(known);
  });

  it("becomes unknown when a later update names no known colour", () => {
    const known = learnAll(
      [at("10:00"), forecasts(at("09:00"), forecast("rouge"))],
      [at("11:00"), forecasts(at("10:00"), forecast(null, { raw: "purple" }))],
    );
    expect(forecastOf(known)).toMatchObject({ color: null, raw: "purple" });
  });

  it("with an update in the future counts as written now, and does not make every poll a change", () => {
    const first = learnAll([at("10:00"), forecasts(at("12:00"), forecast("blanc"))]);
    expect(forecastOf(first)?.said_at).toBe(at("10:00"));
    expect(first.updated_at).toBe(at("10:00"));
    expect(learnAfter(first, [at("10:05"), forecasts(at("12:00"), forecast("blanc"))])).toBe(first);
    const second = learnAfter(first, [at("10:05"), forecasts(at("12:00"), forecast("rouge"))]);
    expect(second.updated_at).toBe(at("10:05"));
  });
});

describe("a date answer that is not official", () => {
  const rouge = learnAll([at("10:00"), forecasts(at("09:00"), forecast("rouge"))]);

  it("refines the forecast of the same colour and keeps what it leaves out", () => {
    const known = learnAfter(rouge, [
      at("10:00"),
      date("rouge", false, { confidence: 0.9, rates: { hp: 0.7, hc: null } }),
    ]);
    expect(forecastOf(known)).toMatchObject({
      color: "rouge",
      confidence: 0.9,
      source: "model",
      explanation: "cold",
      rates: { hp: 0.7, hc: null },
      said_at: at("09:00"),
    });
  });

  it("with another colour replaces the forecast, its source and explanation included", () => {
    const known = learnAfter(rouge, [at("10:00"), date("bleu", null, { confidence: null })]);
    const nothing = { confidence: null, source: null, explanation: null };
    expect(forecastOf(known)).toMatchObject({ color: "bleu", ...nothing });
    expect(officialOf(known)).toBeUndefined();
  });

  it("without a colour removes none", () => {
    expect(learnAfter(rouge, [at("10:00"), date(null, true)])).toBe(rouge);
    expect(learnAfter(rouge, [at("10:00"), date(null, false)])).toBe(rouge);
  });

  it("without a colour does not delay one in the forecasts, of the same update or an older one", () => {
    const known = learnAll([at("10:00"), forecasts(at("09:30"))], [at("10:10"), date(null, null)]);
    expect(forecastOf(known)?.color).toBeNull();
    const bleu = (updated_at: Instant | null): [Instant, Answer] => [
      at("10:20"),
      forecasts(updated_at, forecast("bleu")),
    ];
    for (const updated_at of [at("09:30"), at("09:00"), null]) {
      expect(forecastOf(learnAfter(known, bleu(updated_at)))?.color).toBe("bleu");
    }
    const repeated = learnAfter(known, [at("10:15"), date(null, null, { confidence: 0.1 })]);
    expect(forecastOf(learnAfter(repeated, bleu(at("09:30"))))?.color).toBe("bleu");
  });

  it("is kept for two hours, so that endpoints that differ do not change the colour at every poll", () => {
    const bleu = forecasts(at("09:00"), forecast("bleu"));
    const known = learnAll([at("10:00"), bleu], [at("10:00"), date("rouge", false)]);
    expect(learnAfter(known, [at("10:05"), bleu], [at("10:05"), date("rouge", false)])).toBe(known);
    const updated = learnAfter(known, [at("10:10"), forecasts(at("10:08"), forecast("bleu"))]);
    expect(forecastOf(updated)?.color).toBe("bleu");
    expect(forecastOf(learnAfter(known, [at("12:01"), bleu]))?.color).toBe("bleu");
  });

  it("gives way to the forecasts where it was received later than now: the clock was set back since", () => {
    const known = learnAll([at("12:00"), date("bleu", false)]);
    const later = learnAfter(known, [at("08:00"), forecasts(null, forecast("rouge"))]);
    expect(forecastOf(later)?.color).toBe("rouge");
  });
});

describe("an official colour", () => {
  it("comes from a date answer or from history, and is kept beside the forecast", () => {
    const known = learnAll(
      [at("10:00"), forecasts(at("09:00"), forecast("bleu"))],
      [at("10:40"), date("rouge", true)],
    );
    const word = { color: "rouge", rates: NO_RATES, first_said: at("10:40"), confirmed: false };
    expect(officialOf(known)).toEqual(word);
    expect(forecastOf(known)?.color).toBe("bleu");
    const history = learnAll([at("12:00", "2026-01-06"), historyAnswer(DATE, "blanc")]);
    expect(officialOf(history)?.color).toBe("blanc");
  });

  it.each([
    ["forecasts", forecasts(at("10:45"), forecast("bleu"))],
    ["a date answer that is not official", date("bleu", false)],
    ["a date answer without a colour", date(null, true)],
    ["a date answer that does not say whether it is official", date("bleu", null)],
    ["history without a colour", historyAnswer(DATE, null)],
  ])("is not replaced by %s", (_, answer) => {
    const known = learnAll([at("10:40"), date("rouge", true)]);
    expect(officialOf(learnAfter(known, [at("10:50"), answer]))).toBe(officialOf(known));
  });

  it("that changes is a revision with a new time", () => {
    const known = learnAll([at("06:35"), date("bleu", true)], [at("11:00"), date("rouge", true)]);
    const word = { color: "rouge", rates: NO_RATES, first_said: at("11:00"), confirmed: false };
    expect(known.days[DATE]).toEqual({ service_word: word, revised_from: "bleu" });
  });

  it.each([
    ["said at 11:29:59 is not confirmed", [at("11:30") - 1000], false],
    ["said at 11:30 is confirmed", [at("11:30")], true],
    ["said early and again at 11:30 is confirmed", [at("06:35"), at("11:30")], true],
  ])("%s", (_, times, confirmed) => {
    const known = learnAll(...times.map((now): [Instant, Answer] => [now, date("rouge", true)]));
    expect(officialOf(known)).toMatchObject({ confirmed, first_said: times[0] });
  });

  it("is confirmed by what the service says, not by the beginning of its day", () => {
    const early = learnAll([at("06:35"), date("rouge", true)]);
    expect(learnAfter(early, [dayStart(DATE, PARIS), EMPTY])).toBe(early);
    const said = learnAfter(early, [dayStart(DATE, PARIS), date("rouge", true)]);
    expect(officialOf(said)).toMatchObject({ confirmed: true, first_said: at("06:35") });
  });

  it("is confirmed by when the answer was made, not by when it came", () => {
    const replayed = (made_at: Instant) =>
      officialOf(learn(NO_KNOWN_DAYS, date("rouge", true), at("13:00"), PARIS, made_at));
    expect(replayed(at("11:29"))).toMatchObject({ confirmed: false, first_said: at("11:29") });
    expect(replayed(at("11:30"))).toMatchObject({ confirmed: true, first_said: at("11:30") });
  });

  it("is not confirmed by a service whose clock is ahead", () => {
    const known = learn(NO_KNOWN_DAYS, date("bleu", true), at("10:36"), PARIS, at("11:31"));
    expect(officialOf(known)).toMatchObject({ confirmed: false, first_said: at("10:36") });
  });

  it("stays confirmed when the clock is set back, but a revision is judged by the time at which it is said", () => {
    const known = learnAll([at("11:40"), date("rouge", true)]);
    expect(learnAfter(known, [at("11:00"), date("rouge", true)])).toBe(known);
    expect(officialOf(learnAfter(known, [at("11:00"), date("bleu", true)]))?.confirmed).toBe(false);
  });

  it("keeps a rate that a later answer leaves out, unless the colour is revised", () => {
    const known = learnAll([at("11:40"), date("rouge", true, { rates: { hp: 0.7, hc: 0.15 } })]);
    expect(learnAfter(known, [at("11:45"), date("rouge", true)])).toBe(known);
    expect(officialOf(learnAfter(known, [at("11:45"), date("bleu", true)]))?.rates).toEqual(NO_RATES);
  });
});

describe("what else is known", () => {
  it("history's prediction is kept", () => {
    const known = learnAll([at("12:00", "2026-01-06"), historyAnswer(DATE, "rouge", "blanc")]);
    expect(known.days[DATE]?.prediction).toEqual({ color: "blanc", confidence: 0.7 });
    expect(learnAfter(known, [at("13:00", "2026-01-06"), historyAnswer(DATE, "rouge")])).toBe(known);
  });

  it("a season is kept with the time of the first of equal answers of a tariff day", () => {
    const season = (more: Partial<SeasonInAnswer> = {}): Answer => ({
      kind: "season",
      season: { ...SEASON, ...more },
    });
    const known = learnAll([at("10:00"), season()]);
    expect(known.seasons["2025-2026"]).toEqual({ ...SEASON, seen_at: at("10:00") });
    expect(learnAfter(known, [at("11:00"), season()])).toBe(known);
    const next = learnAfter(known, [at("11:00"), season({ days_elapsed: 121 })]);
    expect(next.seasons["2025-2026"]?.seen_at).toBe(at("11:00"));
    expect(next.days).toBe(known.days);
  });

  it("a season that is given again on a later tariff day has the time of the first answer of that day", () => {
    const season = { kind: "season" as const, season: SEASON };
    const known = learnAll([at("10:00"), season]);
    const next = learnAfter(known, [at("06:10", DATE), season], [at("09:00", DATE), season]);
    expect(next.seasons[SEASON.label]?.seen_at).toBe(at("06:10", DATE));
    expect(learnAfter(next, [at("12:00"), season])).toBe(next);
  });

  it("a day that did not change stays the same object", () => {
    const other = addDays(DATE, 1);
    const bleu = dayInAnswer(other, "bleu");
    const known = learnAll([at("10:00"), forecasts(at("09:00"), forecast("blanc"), bleu)]);
    const next = learnAfter(known, [at("11:00"), forecasts(at("10:30"), forecast("rouge"), bleu)]);
    expect(next.days[other]).toBe(known.days[other]);
  });

  it("days that are too old are dropped, days too far ahead are not learnt", () => {
    const old = historyAnswer("2023-10-01", "bleu");
    const known = learnAll(
      [at("10:00", "2023-10-02"), old],
      [at("10:00"), forecasts(at("09:00"), forecast("blanc"))],
    );
    expect(Object.keys(known.days)).toEqual([DATE]);
    expect(learnAfter(known, [at("10:00"), old])).toBe(known);
    expect(learnAfter(known, [at("10:00"), historyAnswer("9999-12-31", "bleu")])).toBe(known);
  });

  it.each(["1970-01-02", "2099-01-01"])("nothing is lost while the clock says %s", (today) => {
    const known = learnAll(
      [at("10:00", "2026-01-06"), historyAnswer(DATE, "rouge")],
      [at("10:00"), { kind: "season", season: SEASON }],
    );
    expect(learnAfter(known, [at("10:00", today), EMPTY])).toBe(known);
  });

  it("the newest instant is that of the newest thing seen", () => {
    expect(newestInstant(NO_KNOWN_DAYS)).toBeNull();
    const known = learnAll(
      [at("09:00"), forecasts(null, forecast("bleu"))],
      [at("11:40"), date("rouge", true)],
      [at("10:00"), { kind: "season", season: SEASON }],
    );
    expect(newestInstant(known)).toBe(at("11:40"));
  });
});
