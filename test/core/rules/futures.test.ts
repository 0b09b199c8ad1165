import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays } from "../../../src/core/calendar/dates.ts";
import type { Simulation } from "../../../src/core/facts/facts.ts";
import { nextRuleBoundary } from "../../../src/core/rules/futures.ts";
import { anyCondition, anyDays, anyStart } from "../../support/any-rules.ts";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { inputAt, refresh, ruleOf } from "../../support/rules.ts";

const HOUR = 3_600_000;
const ROUGE_AHEAD = {
  any: [
    { day: "next", color: "rouge", confidence: 80 },
    { day: "now", color: "rouge" },
  ],
};
const PREHEAT = {
  all: [{ day: "next", color: "rouge", confidence: 95 }, { period: "hc" }, { between: ["03:30", "06:00"] }],
};
const ROUGE_PEAK = { all: [{ day: "now", color: "rouge" }, { period: "hp" }] };

describe("the future of a rule", () => {
  const threeRouge = knownDaysOf({
    "2026-01-04": official("bleu"),
    "2026-01-05": official("rouge"),
    "2026-01-06": official("rouge"),
    "2026-01-07": forecast("rouge", { confidence: 0.96 }),
    "2026-01-08": official("bleu"),
  });

  test("three rouge days in a row preheat three times", () => {
    const { future } = refresh(ruleOf(PREHEAT), inputAt("2026-01-04T11:00:00Z", threeRouge));
    expect(onSpans(future)).toEqual([
      ["2026-01-05T02:30:00.000Z", "2026-01-05T05:00:00.000Z", true],
      ["2026-01-06T02:30:00.000Z", "2026-01-06T05:00:00.000Z", true],
      ["2026-01-07T02:30:00.000Z", "2026-01-07T05:00:00.000Z", false],
    ]);
    expect(future.next_on).toBe(Date.parse("2026-01-05T02:30:00Z"));
    expect(future.next_off).toBe(Date.parse("2026-01-05T05:00:00Z"));
  });

  test.each([
    ["2026-01-04T11:00:00Z", "2026-01-05", "2026-01-06T05:00:00Z"],
    ["2026-03-29T11:00:00Z", "2026-03-30", "2026-03-31T04:00:00Z"],
    ["2026-03-26T11:00:00Z", "2026-03-27", "2026-03-28T05:00:00Z"],
  ])(
    "rouge announced at %s: ON without a hole over midnight and 06:00, to the end of the day",
    (at, date, end) => {
      const after = [end.slice(0, 10), addDays(end.slice(0, 10), 1)].map((day) => [day, official("bleu")]);
      const knownDays = knownDaysOf({ [date]: official("rouge"), ...Object.fromEntries(after) });
      const { future } = refresh(ruleOf(ROUGE_AHEAD), inputAt(at, knownDays));
      expect(onSpans(future)).toEqual([[new Date(at).toISOString(), new Date(end).toISOString(), true]]);
      expect(future.next_off).toBe(Date.parse(end));
    },
  );

  test("on the weekends on which the clocks are moved a day begins at 06:00 on the wall", () => {
    const rouge = (date: string) => knownDaysOf({ [date]: official("blanc") });
    const day = { day: "now", color: "blanc" };
    const spring = refresh(ruleOf(day), inputAt("2026-03-28T03:00:00Z", rouge("2026-03-28")));
    expect(onSpans(spring.future)).toEqual([["2026-03-28T05:00:00.000Z", "2026-03-29T04:00:00.000Z", true]]);
    const autumn = refresh(ruleOf(day), inputAt("2026-10-24T03:00:00Z", rouge("2026-10-24")));
    expect(onSpans(autumn.future)).toEqual([["2026-10-24T04:00:00.000Z", "2026-10-25T05:00:00.000Z", true]]);
  });

  test("a lead begins earlier, a lag ends later", () => {
    const input = inputAt("2026-01-04T11:00:00Z", threeRouge);
    const { future } = refresh(ruleOf(ROUGE_PEAK, { lead: "5m", lag: "10m" }), input);
    expect(onSpans(future)[0]).toEqual(["2026-01-05T04:55:00.000Z", "2026-01-05T21:10:00.000Z", true]);
    expect(
      refresh(ruleOf(ROUGE_PEAK, { lead: "5m" }), inputAt("2026-01-05T04:55:00Z", threeRouge)).verdict.state,
    ).toBe(true);
    expect(
      refresh(ruleOf(ROUGE_PEAK, { lead: "5m" }), inputAt("2026-01-05T04:54:59Z", threeRouge)).verdict.state,
    ).toBe(false);
    expect(
      refresh(ruleOf(ROUGE_PEAK, { lag: "5m" }), inputAt("2026-01-05T21:04:59Z", threeRouge)).verdict.state,
    ).toBe(true);
    expect(
      refresh(ruleOf(ROUGE_PEAK, { lag: "5m" }), inputAt("2026-01-05T21:05:00Z", threeRouge)).verdict.state,
    ).toBe(false);
  });

  test("a lead sees that tomorrow is not known", () => {
    const knownDays = knownDaysOf({ "2026-01-05": official("bleu") });
    const rule = ruleOf(ROUGE_PEAK, { lead: "5m" });
    expect(refresh(rule, inputAt("2026-01-06T04:54:59Z", knownDays)).verdict.state).toBe(false);
    expect(refresh(rule, inputAt("2026-01-06T04:55:00Z", knownDays)).verdict.state).toBe(null);
  });

  test("reaches to the end of the last known day, and at least to the end of the day in force", () => {
    const until = (days: object) =>
      refresh(ruleOf({ period: "hp" }), inputAt("2026-01-05T11:00:00Z", knownDaysOf(days as never))).future
        .until;
    expect(until({ "2026-01-09": forecast("bleu") })).toBe(Date.parse("2026-01-10T05:00:00Z"));
    expect(until({})).toBe(Date.parse("2026-01-06T05:00:00Z"));
  });

  test("an unknown Sunday is bleu for certain, by the laws of the tariff", () => {
    const days = knownDaysOf({ "2026-01-10": official("blanc"), "2026-01-12": official("blanc") });
    const { future } = refresh(ruleOf({ day: "now", color: "bleu" }), inputAt("2026-01-10T11:00:00Z", days));
    expect(onSpans(future)).toEqual([["2026-01-11T05:00:00.000Z", "2026-01-12T05:00:00.000Z", true]]);
    expect(future.next_on).toBe(Date.parse("2026-01-11T05:00:00Z"));
  });

  test("is the same at each refresh until a verdict changes", () => {
    const rule = ruleOf(ROUGE_PEAK);
    const first = refresh(rule, inputAt("2026-01-05T11:00:00Z", threeRouge));
    const second = refresh(rule, inputAt("2026-01-05T12:30:00Z", threeRouge), first.next);
    expect(second.future.spans).toEqual(first.future.spans);
  });

  test("what is not announced yet is never sure", () => {
    const { future } = refresh(
      ruleOf({ day: "now", official: true }),
      inputAt("2026-01-06T11:00:00Z", threeRouge),
    );
    expect(future.spans.map(({ state, sure }) => [state, sure])).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
  });
});

test("an announced day may become final by being seen again, so its stage is not sure", () => {
  const knownDays = knownDaysOf({ "2026-01-05": official("rouge", { confirmed: false }) });
  const asked = (more: object) =>
    refresh(ruleOf({ day: "next", ...more }), inputAt("2026-01-04T11:00:00Z", knownDays)).verdict;
  expect(asked({ stage: "announced" })).toMatchObject({ state: true, sure: false });
  expect(asked({ color: "rouge" })).toMatchObject({ state: true, sure: true });
});

describe("the future, if nothing is announced since, is what later evaluation gives", () => {
  const shifts = fc.record({
    lead: fc.constantFrom("0s", "5m", "3h", "24h"),
    lag: fc.constantFrom("0s", "7m", "10h", "24h"),
  });
  test("at every instant, for any rule, days and season", () => {
    fc.assert(
      fc.property(
        anyStart.chain((start) => fc.tuple(fc.constant(start), anyDays(start), fc.nat({ max: 24 * 60 }))),
        anyCondition,
        fc.oneof(fc.constant({}), shifts),
        fc.constantFrom({}, { when_unknown: "on" }, { when_unknown: "off" }),
        fc.array(fc.nat({ max: 9 * 24 * 12 }), { minLength: 8, maxLength: 8 }),
        ([start, days, minutes], when, shift, settled, samples) => {
          const at = Date.parse(`${start}T00:00:00Z`) + minutes * 60_000;
          const rule = ruleOf(when, { ...shift, ...settled });
          const { future, next, input } = refresh(rule, inputAt(at, knownDaysOf(days)));
          const edges = future.spans.flatMap(({ start: from, end }) => [from, end - 1]);
          const sampled = samples.map((step) => at + step * 5 * 60_000 + 1);
          for (const later of [...edges, ...sampled].filter((one) => one >= at && one < future.until)) {
            const { verdict } = refresh(rule, inputAt(later, knownDaysOf(days)), next);
            const span = future.spans.find(({ start: from, end }) => from <= later && later < end);
            expect([new Date(later).toISOString(), verdict.state, verdict.sure]).toEqual([
              new Date(later).toISOString(),
              span?.state,
              span?.sure,
            ]);
          }
          expect(
            nextRuleBoundary([refresh(rule, input).future]) ?? Number.POSITIVE_INFINITY,
          ).toBeLessThanOrEqual(future.spans[1]?.start ?? Number.POSITIVE_INFINITY);
        },
      ),
      { numRuns: runs(50) },
    );
  }, 30_000);
});

describe("what is sure stays so, whatever is announced later", () => {
  test("for any rule over colours", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        anyDays("2026-01-05"),
        anyDays("2026-01-05"),
        fc.constantFrom<object>(
          ROUGE_AHEAD,
          PREHEAT,
          ROUGE_PEAK,
          { not: ROUGE_PEAK },
          { day: "next_5_days", color: "rouge", at_least: 2 },
          { day: "now", color: "bleu" },
          { not: { day: "next", color: ["bleu", "blanc"], confidence: 80 } },
        ),
        (days, news, when) => {
          const rule = ruleOf(when);
          const before = refresh(rule, inputAt("2026-01-05T11:00:00Z", knownDaysOf(days))).future;
          // Officials of both sources stand; the laws bind those that come.
          const wordsOf = (day: (typeof days)[string] | undefined) =>
            [day?.service_word, day?.rte_word].filter((word) => word !== undefined);
          const lawful = Object.entries(news).filter(
            ([date, day]) =>
              !wordsOf(days[date]).length && wordsOf(day).every(({ color }) => color === "bleu"),
          );
          const later = knownDaysOf({ ...days, ...Object.fromEntries(lawful) });
          for (const span of before.spans.filter(({ sure }) => sure)) {
            compared += 1;
            const at = Math.max(span.start, Date.parse("2026-01-05T11:00:00Z"));
            expect(refresh(rule, inputAt(at, later)).verdict.state).toBe(span.state);
          }
        },
      ),
      { numRuns: runs(40) },
    );
    expect(compared).toBeGreaterThan(0);
  }, 30_000);
});

describe("the next boundary", () => {
  test.each<[string, object, object, string]>([
    ["a window", { between: ["03:30", "06:00"] }, {}, "2026-01-06T02:30:00Z"],
    ["the weekday of the tariff day", { weekday: "mon" }, {}, "2026-01-06T05:00:00Z"],
    ["a civil day", { day: "tomorrow", color: "rouge" }, {}, "2026-01-05T23:00:00Z"],
    ["a period", { period: "hc" }, {}, "2026-01-05T21:00:00Z"],
    ["a lead", { period: "hc" }, { lead: "5m" }, "2026-01-05T20:55:00Z"],
    ["a lag", { between: ["06:00", "11:55"] }, { lag: "10m" }, "2026-01-05T11:05:00Z"],
  ])("of %s", (_, when, more, boundary) => {
    const input = inputAt("2026-01-05T11:00:00Z", knownDaysOf({}));
    expect(nextRuleBoundary([refresh(ruleOf(when, more), input).future])).toBe(Date.parse(boundary));
  });

  test("of a rule that is switched off is none", () => {
    const input = inputAt("2026-01-05T11:00:00Z", knownDaysOf({}));
    const settings = { r: { enabled: false, threshold: null } };
    const { future } = refresh(ruleOf({ period: "hc" }), input, undefined, settings);
    expect(nextRuleBoundary([future])).toBe(null);
  });
});

describe("a simulated colour", () => {
  const begun = Date.parse("2026-07-06T10:00:00Z");
  const simulation: Simulation = {
    color: "rouge",
    from: "now",
    date: "2026-07-06",
    begun,
    until: begun + HOUR,
  };

  test("changes verdicts at once, and the future has its end", () => {
    const knownDays = knownDaysOf({ "2026-07-06": official("bleu"), "2026-07-07": official("bleu") });
    const { verdict, future } = refresh(
      ruleOf(ROUGE_PEAK),
      inputAt(begun + 60_000, knownDays, { simulation }),
    );
    expect(verdict.state).toBe(true);
    expect(onSpans(future)).toEqual([["2026-07-06T10:01:00.000Z", "2026-07-06T11:00:00.000Z", true]]);
  });
});

function onSpans({
  spans,
}: {
  spans: readonly { start: number; end: number; state: boolean | null; sure: boolean }[];
}) {
  return spans
    .filter(({ state }) => state)
    .map(({ start, end, sure }) => [new Date(start).toISOString(), new Date(end).toISOString(), sure]);
}
