import { describe, expect, test } from "vitest";
import type { Color } from "../../../src/core/calendar/tariff.ts";
import type { Answer } from "../../../src/core/contract/answer.ts";
import { type KnownDay, type KnownDays, NO_KNOWN_DAYS } from "../../../src/core/days/known-days.ts";
import { type PlanInput, planFollowUps, planRequests } from "../../../src/core/sources/plan-requests.ts";
import { saidByRte } from "../../support/known-days.ts";
import { PARIS } from "../../support/tariff.ts";

const NO_RATES = { hp: null, hc: null };
const ANSWERED_TODAY = { season: "2026-01-05", history: "2026-01-05" };

function official(color: Color, confirmed = true): KnownDay {
  return { service_word: { color, rates: NO_RATES, first_said: 0, confirmed } };
}

function knownDaysOf(days: Record<string, KnownDay>): KnownDays {
  return { ...NO_KNOWN_DAYS, days };
}

function input(over: Partial<PlanInput> = {}): PlanInput {
  const now = Date.parse("2026-01-05T09:00:00+01:00");
  return {
    knownDays: NO_KNOWN_DAYS,
    tariff: PARIS,
    now,
    lastAnswered: ANSWERED_TODAY,
    failures: {},
    recheck: false,
    ...over,
  };
}

const dates = (over: Partial<PlanInput>) =>
  planRequests(input(over)).flatMap((request) => (request.kind === "date" ? [request.date] : []));

describe("the requests of a poll", () => {
  test("begins with the forecasts, whatever else is due", () => {
    expect(planRequests(input())[0]).toEqual({ kind: "forecasts" });
  });

  test.each([
    ["nothing official: tomorrow and today", {}, ["2026-01-06", "2026-01-05"]],
    [
      "tomorrow official but correctable: still tomorrow",
      { knownDays: knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": official("rouge", false) }) },
      ["2026-01-06"],
    ],
    [
      "all settled: no date",
      { knownDays: knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": official("rouge") }) },
      [],
    ],
    [
      "all settled, at a confirming slot: the next day once more",
      {
        recheck: true,
        knownDays: knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": official("rouge") }),
      },
      ["2026-01-06"],
    ],
    [
      "before 06:00 the day in force is yesterday's",
      {
        now: Date.parse("2026-01-05T05:50:00+01:00"),
        knownDays: knownDaysOf({ "2026-01-05": official("bleu") }),
      },
      ["2026-01-06", "2026-01-04"],
    ],
    [
      "at 05:50 the day about to begin is confirmed",
      {
        recheck: true,
        now: Date.parse("2026-01-05T05:50:00+01:00"),
        knownDays: knownDaysOf({
          "2026-01-04": official("bleu"),
          "2026-01-05": official("rouge"),
          "2026-01-06": official("bleu"),
        }),
      },
      ["2026-01-05"],
    ],
  ] as [string, Partial<PlanInput>, string[]][])("%s", (_case, over, expected) => {
    expect(dates(over)).toEqual(expected);
  });

  test("asks the season once a tariff day, and the history once a civil day", () => {
    const kinds = (at: string, lastAnswered: PlanInput["lastAnswered"]) =>
      planRequests(input({ now: Date.parse(`2026-01-05T${at}+01:00`), lastAnswered }))
        .map(({ kind }) => kind)
        .filter((kind) => kind === "season" || kind === "history");
    const yesterday = { season: "2026-01-04", history: "2026-01-04" };
    expect(kinds("00:00", yesterday)).toEqual(["history"]);
    expect(kinds("05:59", yesterday)).toEqual(["history"]);
    expect(kinds("06:00", yesterday)).toEqual(["season", "history"]);
    expect(kinds("23:59", ANSWERED_TODAY)).toEqual([]);
  });

  test("asks a year of history at the first start", () => {
    const lastAnswered = { season: "2026-01-05", history: null };
    expect(planRequests(input({ lastAnswered })).at(-1)).toEqual({
      kind: "history",
      start: "2025-01-06",
      end: "2026-01-05",
    });
  });

  test("asks history further back than two weeks only where days of the season are missing", () => {
    const lastAnswered = { season: "2026-01-05", history: "2026-01-04" };
    expect(planRequests(input({ lastAnswered })).at(-1)).toEqual({
      kind: "history",
      start: "2025-09-01",
      end: "2026-01-05",
    });
    const days: Record<string, KnownDay> = {};
    for (let day = Date.parse("2025-09-01"); day < Date.parse("2026-01-05"); day += 86_400_000) {
      days[new Date(day).toISOString().slice(0, 10)] = official("bleu");
    }
    const whole = planRequests(input({ lastAnswered, knownDays: knownDaysOf(days) })).at(-1);
    expect(whole).toEqual({ kind: "history", start: "2025-12-23", end: "2026-01-05" });
  });
});

describe("history that was answered today", () => {
  const kinds = (over: Partial<PlanInput>) =>
    planRequests(input({ recheck: true, ...over })).map(({ kind }) => kind);
  const season: Record<string, KnownDay> = {};
  for (let day = Date.parse("2025-09-01"); day <= Date.parse("2026-01-05"); day += 86_400_000) {
    season[new Date(day).toISOString().slice(0, 10)] = official("bleu");
  }

  test("is asked again with a recheck while a day of the season is missing, as it was empty at first", () => {
    expect(kinds({})).toContain("history");
    expect(kinds({ recheck: false })).not.toContain("history");
    const { "2025-10-12": _missing, ...others } = season;
    expect(planRequests(input({ recheck: true, knownDays: knownDaysOf(others) })).at(-1)).toEqual({
      kind: "history",
      start: "2025-10-12",
      end: "2026-01-05",
    });
  });

  test("is not asked again while no day is missing", () => {
    expect(kinds({ knownDays: knownDaysOf(season) })).not.toContain("history");
  });
});

describe("what an answer makes necessary", () => {
  const said = (date: string, color: Color | null) => ({
    date,
    color,
    raw: null,
    confidence: null,
    source: null,
    explanation: null,
    rates: NO_RATES,
  });

  test.each([
    ["an official colour", official("bleu", false)],
    ["what only RTE names", saidByRte("bleu")],
  ])("forecasts that deny %s: that date is asked at once", (_case, day) => {
    const knownDays = knownDaysOf({ "2026-01-06": day });
    const answer: Answer = {
      kind: "forecasts",
      updated_at: null,
      days: [said("2026-01-05", "bleu"), said("2026-01-06", "rouge")],
    };
    expect(planFollowUps(answer, knownDays, input({ knownDays }))).toEqual([
      { kind: "date", date: "2026-01-06" },
    ]);
  });

  test("forecasts that deny a day gone by, or name no colour, ask nothing", () => {
    const knownDays = knownDaysOf({ "2026-01-03": official("bleu"), "2026-01-06": official("bleu") });
    const answer: Answer = {
      kind: "forecasts",
      updated_at: null,
      days: [said("2026-01-03", "rouge"), said("2026-01-06", null)],
    };
    expect(planFollowUps(answer, knownDays, input({ knownDays }))).toEqual([]);
  });

  test("a day that has just become official asks the season again", () => {
    const answer: Answer = { kind: "date", day: said("2026-01-06", "rouge"), is_official: true };
    const knownDays = knownDaysOf({ "2026-01-06": official("rouge", false) });
    expect(planFollowUps(answer, NO_KNOWN_DAYS, input({ knownDays }))).toEqual([{ kind: "season" }]);
    expect(planFollowUps(answer, knownDays, input({ knownDays }))).toEqual([]);
  });
});

describe("a season or a history that failed", () => {
  const HOUR = 3_600_000;
  const NOW = input().now;
  const lastAnswered = { season: "2026-01-04", history: "2026-01-04" };
  const kinds = (over: Partial<PlanInput>) =>
    planRequests(input({ lastAnswered, ...over })).flatMap(({ kind }) =>
      kind === "season" || kind === "history" ? [kind] : [],
    );
  const failed = (count: number, at = NOW) => ({ season: { at, count, sentence: "404" } });

  test("is asked again after an hour, and the other one at once", () => {
    const failures = failed(1);
    expect(kinds({ failures, now: NOW + HOUR - 1 })).toEqual(["history"]);
    expect(kinds({ failures, now: NOW + HOUR })).toEqual(["season", "history"]);
  });

  test("is asked no more after ten failures on a day, and again on the next one", () => {
    expect(kinds({ failures: failed(9), now: NOW + HOUR })).toContain("season");
    expect(kinds({ failures: failed(10), now: NOW + 14 * HOUR })).toEqual(["history"]);
    expect(kinds({ failures: failed(10), now: NOW + 15 * HOUR })).toContain("season");
  });

  test("is asked at once after the clock was set back behind the failure", () => {
    expect(kinds({ failures: failed(1, NOW + HOUR) })).toContain("season");
  });

  test("is not asked after a new official day either", () => {
    const after = knownDaysOf({ "2026-01-06": official("rouge") });
    const answer: Answer = {
      kind: "date",
      day: {
        date: "2026-01-06",
        color: "rouge",
        raw: "rouge",
        confidence: null,
        source: null,
        explanation: null,
        rates: NO_RATES,
      },
      is_official: true,
    };
    const follow = (failures: PlanInput["failures"]) =>
      planFollowUps(answer, NO_KNOWN_DAYS, input({ knownDays: after, failures }));
    expect(follow({})).toEqual([{ kind: "season" }]);
    expect(follow(failed(1))).toEqual([]);
  });
});
