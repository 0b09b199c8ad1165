import { describe, expect, test } from "vitest";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { stateAt } from "../../support/rules.ts";
import { PARIS, UNPRICED } from "../../support/tariff.ts";

const [ON, OFF, UNKNOWN] = [true, false, null];
/** Noon of Sunday 4 January: next is Monday the 5th. */
const AT = "2026-01-04T11:00:00Z";
const monday = (day: object) => knownDaysOf({ "2026-01-05": day });
const ROUGE_80 = { day: "next", color: "rouge", confidence: 80 };

describe("what one day gives to a colour and a confidence", () => {
  test.each([
    ["official and it matches", official("rouge"), ROUGE_80, ON],
    ["official, whatever was forecast", { ...forecast("bleu"), ...official("rouge") }, ROUGE_80, ON],
    ["official and it does not match", official("blanc"), ROUGE_80, OFF],
    ["a forecast that is sure enough", forecast("rouge", { confidence: 0.8 }), ROUGE_80, ON],
    ["a forecast of another colour", forecast("blanc", { confidence: 0.9 }), ROUGE_80, OFF],
    ["a forecast below", forecast("rouge", { confidence: 0.79 }), ROUGE_80, OFF],
    ["a forecast of another colour below", forecast("blanc", { confidence: 0.5 }), ROUGE_80, OFF],
    ["a forecast without confidence", forecast("rouge", { confidence: null }), ROUGE_80, OFF],
    [
      "a forecast, and no confidence asked",
      forecast("rouge", { confidence: null }),
      { day: "next", color: "rouge" },
      ON,
    ],
    ["nothing, and it is possible", {}, ROUGE_80, UNKNOWN],
    ["a forecast that nobody could read", forecast(null), ROUGE_80, UNKNOWN],
    ["one of two colours", official("blanc"), { day: "next", color: ["blanc", "rouge"] }, ON],
  ])("%s", (_, day, when, state) => {
    expect(stateAt(when, AT, monday(day))).toBe(state);
  });

  test.each([
    ["nothing on a Sunday", "2026-01-03T11:00:00Z", {}, "rouge", OFF],
    ["nothing on a Sunday, blanc", "2026-01-03T11:00:00Z", {}, "blanc", OFF],
    ["nothing on a Saturday, blanc", "2026-01-02T11:00:00Z", {}, "blanc", UNKNOWN],
    ["nothing on a Saturday, rouge or blanc", "2026-01-02T11:00:00Z", {}, ["rouge", "blanc"], UNKNOWN],
    ["nothing in July", "2026-07-06T10:00:00Z", {}, "rouge", OFF],
    ["nothing on a holiday", "2025-12-24T11:00:00Z", {}, "rouge", OFF],
    [
      "a forecast that the laws forbid",
      "2026-01-03T11:00:00Z",
      { "2026-01-04": forecast("rouge") },
      "rouge",
      OFF,
    ],
    [
      "a forbidden forecast, and another colour asked that is possible",
      "2026-01-02T11:00:00Z",
      { "2026-01-03": forecast("rouge") },
      "blanc",
      UNKNOWN,
    ],
    ["bleu on an unknown Sunday: by the laws, whatever confidence", "2026-01-03T11:00:00Z", {}, "bleu", ON],
    ["bleu on a holiday, which may be blanc", "2025-12-24T11:00:00Z", {}, "bleu", UNKNOWN],
    [
      "bleu on a Sunday with a forecast that the laws forbid",
      "2026-01-03T11:00:00Z",
      { "2026-01-04": forecast("blanc") },
      "bleu",
      ON,
    ],
    [
      "bleu on a Sunday with a forecast that is not sure enough",
      "2026-01-03T11:00:00Z",
      { "2026-01-04": forecast("bleu", { confidence: 0.79 }) },
      "bleu",
      OFF,
    ],
    ["all that a Saturday can be", "2026-01-02T11:00:00Z", {}, ["bleu", "blanc"], ON],
    ["all colours of a Monday, of which nothing is known", AT, {}, ["bleu", "blanc", "rouge"], UNKNOWN],
  ])("%s", (_, at, days, color, state) => {
    expect(stateAt({ day: "next", color, confidence: 80 }, at, knownDaysOf(days))).toBe(state);
  });

  test.each([
    ["official", { official: true }, OFF],
    ["not official", { official: false }, ON],
    ["known", { known: true }, OFF],
    ["not known", { known: false }, ON],
    ["of a stage", { stage: "announced" }, UNKNOWN],
  ])("what is bleu by the laws, asked whether it is %s", (_, more, state) => {
    const sunday = "2026-01-03T11:00:00Z";
    expect(stateAt({ day: "next", color: "bleu", ...more }, sunday, knownDaysOf({}))).toBe(state);
  });

  test("without laws every colour is possible", () => {
    const free = { ...UNPRICED, laws: "off" as const };
    expect(stateAt({ day: "next", color: "bleu" }, "2026-01-03T11:00:00Z", knownDaysOf({}), free)).toBe(
      UNKNOWN,
    );
    expect(stateAt(ROUGE_80, "2026-07-04T10:00:00Z", knownDaysOf({}), free)).toBe(UNKNOWN);
    expect(
      stateAt(ROUGE_80, "2026-07-04T10:00:00Z", knownDaysOf({ "2026-07-05": forecast("rouge") }), free),
    ).toBe(ON);
  });
});

describe("what one day gives without a colour", () => {
  const announced = official("rouge", { confirmed: false });
  test.each([
    ["known of nothing", {}, { known: true }, OFF],
    ["not known of nothing", {}, { known: false }, ON],
    ["known of a forecast", forecast("bleu"), { known: true }, ON],
    ["official of nothing", {}, { official: true }, OFF],
    ["not official of nothing", {}, { official: false }, ON],
    ["official of a forecast", forecast("bleu"), { official: true }, OFF],
    ["official of an official", announced, { official: true }, ON],
    ["stage of nothing", {}, { stage: "forecast" }, UNKNOWN],
    ["stage of a forecast", forecast("bleu"), { stage: "forecast" }, ON],
    ["stage of an announced day", announced, { stage: "announced" }, ON],
    ["stage of a final day", official("rouge"), { stage: ["announced", "final"] }, ON],
    ["stage of another", announced, { stage: "final" }, OFF],
    ["confidence of nothing", {}, { confidence: 50 }, UNKNOWN],
    ["confidence of a forecast", forecast("bleu", { confidence: 0.6 }), { confidence: 50 }, ON],
    ["confidence of a doubtful one", forecast("bleu", { confidence: 0.4 }), { confidence: 50 }, OFF],
    ["confidence of an official", announced, { confidence: 100 }, ON],
    ["a colour that is official", announced, { color: "rouge", official: true }, ON],
    ["a colour that is forecast only", forecast("rouge"), { color: "rouge", official: true }, OFF],
  ])("%s", (_, day, asked, state) => {
    expect(stateAt({ day: "next", ...asked }, AT, monday(day))).toBe(state);
  });
});

describe("a range of days", () => {
  const rouge = official("rouge");
  const bleu = official("bleu");
  /** Next is Monday 5 January; five weekdays, then Saturday and Sunday. */
  const week = (...days: object[]) =>
    knownDaysOf(Object.fromEntries(days.map((day, index) => [`2026-01-0${5 + index}`, day])));
  test.each([
    ["one of seven, the others unknown", week({}, {}, rouge), {}, 7, ON],
    ["none so far", week(bleu, bleu, bleu), {}, 7, UNKNOWN],
    ["none, and none possible any more", week(bleu, bleu, bleu, bleu, bleu), {}, 7, OFF],
    ["two asked, one known", week(rouge), { at_least: 2 }, 7, UNKNOWN],
    ["two asked, two known", week(rouge, bleu, rouge), { at_least: 2 }, 7, ON],
    ["two asked, one could be", week(bleu, bleu, bleu, bleu), { at_least: 2 }, 7, OFF],
    ["every one of three", week(rouge, rouge, rouge), { every: true }, 3, ON],
    ["every one of three, one unknown", week(rouge, {}, rouge), { every: true }, 3, UNKNOWN],
    ["every one of three, one not", week(rouge, bleu), { every: true }, 3, OFF],
    ["every one of seven: the weekend forbids it", week(), { every: true }, 7, OFF],
    ["bleu: the Sunday of an unknown week", week(), { color: "bleu" }, 7, ON],
    ["bleu twice in an unknown week", week(), { color: "bleu", at_least: 2 }, 7, UNKNOWN],
    ["the first day only", week(bleu, rouge), {}, 1, OFF],
  ])("%s", (_, knownDays, more, length, state) => {
    expect(stateAt({ day: `next_${length}_days`, color: "rouge", ...more }, AT, knownDays)).toBe(state);
  });

  test("begins with next, which flips with the tariff day", () => {
    const knownDays = knownDaysOf({ "2026-01-05": rouge, "2026-01-06": bleu });
    const when = { day: "next_1_days", color: "rouge" };
    expect(stateAt(when, "2026-01-05T04:59:59Z", knownDays)).toBe(ON);
    expect(stateAt(when, "2026-01-05T05:00:00Z", knownDays)).toBe(OFF);
  });
});

describe("the names of days", () => {
  const knownDays = knownDaysOf({
    "2026-01-04": official("bleu"),
    "2026-01-05": official("rouge"),
    "2026-01-06": official("blanc"),
    "2026-01-07": official("rouge"),
    "2026-01-12": official("rouge"),
  });
  test.each([
    ["2026-01-04T22:59:59Z", { now: OFF, next: ON, today: OFF, tomorrow: ON, d2: OFF }],
    ["2026-01-04T23:00:00Z", { now: OFF, next: ON, today: ON, tomorrow: OFF, d2: ON }],
    ["2026-01-05T04:59:59Z", { now: OFF, next: ON, today: ON, tomorrow: OFF, d7: ON }],
    ["2026-01-05T05:00:00Z", { now: ON, next: OFF, today: ON, tomorrow: OFF, d2: ON }],
  ])("at %s", (at, states) => {
    for (const [day, state] of Object.entries(states)) {
      expect([day, stateAt({ day, color: "rouge" }, at, knownDays, PARIS)]).toEqual([day, state]);
    }
  });
});
