import { describe, expect, test } from "vitest";
import type { KnownSeason } from "../../../src/core/days/known-days.ts";
import { SEASON } from "../../support/answers.ts";
import { forecast, knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { inputAt, refresh, ruleOf, stateAt } from "../../support/rules.ts";
import { PARIS, UNPRICED } from "../../support/tariff.ts";

const [ON, OFF, UNKNOWN] = [true, false, null];
const EMPTY = knownDaysOf({});

describe("the time on the wall", () => {
  test.each([
    ["03:29:59", "2026-01-05T02:29:59Z", OFF],
    ["03:30", "2026-01-05T02:30:00Z", ON],
    ["05:59:59.999", "2026-01-05T04:59:59.999Z", ON],
    ["06:00", "2026-01-05T05:00:00Z", OFF],
  ])("between 03:30 and 06:00 at %s", (_, at, state) => {
    expect(stateAt({ between: ["03:30", "06:00"] }, at, EMPTY)).toBe(state);
  });

  test.each([
    ["21:59", "2026-01-05T20:59:59Z", OFF],
    ["22:00", "2026-01-05T21:00:00Z", ON],
    ["00:00", "2026-01-05T23:00:00Z", ON],
    ["05:59", "2026-01-06T04:59:00Z", ON],
    ["06:00", "2026-01-06T05:00:00Z", OFF],
  ])("a window over midnight at %s", (_, at, state) => {
    expect(stateAt({ between: ["22:00", "06:00"] }, at, EMPTY)).toBe(state);
  });

  test("an hour that the clocks leave out is no hour", () => {
    const future = futureOf({ between: ["02:15", "02:45"] }, "2026-03-28T12:00:00Z");
    expect(future.spans.filter(({ state }) => state).map(({ start }) => start)).toEqual([]);
    const long = futureOf({ between: ["01:30", "03:30"] }, "2026-03-28T12:00:00Z");
    expect(onSpans(long)).toEqual([["2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z"]]);
  });

  test("an hour that comes twice is read twice", () => {
    const future = futureOf({ between: ["02:15", "02:45"] }, "2026-10-24T12:00:00Z");
    expect(onSpans(future)).toEqual([
      ["2026-10-25T00:15:00.000Z", "2026-10-25T00:45:00.000Z"],
      ["2026-10-25T01:15:00.000Z", "2026-10-25T01:45:00.000Z"],
    ]);
  });

  test.each([
    ["2026-01-05T05:00:00Z", ON, OFF],
    ["2026-01-05T20:59:59Z", ON, OFF],
    ["2026-01-05T21:00:00Z", OFF, ON],
    ["2026-03-29T03:59:59Z", OFF, ON],
    ["2026-03-29T04:00:00Z", ON, OFF],
  ])("peak and off-peak at %s", (at, hp, hc) => {
    expect([stateAt({ period: "hp" }, at, EMPTY), stateAt({ period: "hc" }, at, EMPTY)]).toEqual([hp, hc]);
  });

  test("the weekday is the one of the tariff day in force", () => {
    expect(stateAt({ weekday: ["sun"] }, "2026-01-05T04:59:59Z", EMPTY)).toBe(ON);
    expect(stateAt({ weekday: ["mon", "tue"] }, "2026-01-05T04:59:59Z", EMPTY)).toBe(OFF);
    expect(stateAt({ weekday: ["mon", "tue"] }, "2026-01-05T05:00:00Z", EMPTY)).toBe(ON);
  });
});

describe("the month of the tariff day in force", () => {
  test.each([
    ["2026-01-31T23:30:00Z", ["jan"], ON],
    ["2026-02-01T04:59:59Z", ["jan"], ON],
    ["2026-02-01T05:00:00Z", ["jan"], OFF],
    ["2026-02-01T05:00:00Z", 2, ON],
    ["2026-03-31T12:00:00Z", ["nov", 12, 1, 2, "mar"], ON],
    ["2026-04-01T03:59:59Z", "mar", ON],
    ["2026-04-01T04:00:00Z", "mar", OFF],
    ["2026-01-01T04:59:59Z", "dec", ON],
  ])("at %s, month: %j is %s", (at, month, state) => {
    expect(stateAt({ month }, at, EMPTY)).toBe(state);
  });

  test("changes at the start of the first tariff day of a month, and the plan says so", () => {
    const { verdict, future } = refresh(
      ruleOf({ month: "feb" }),
      inputAt("2026-01-31T12:00:00Z", knownDaysOf({ "2026-02-01": forecast("bleu") })),
    );
    expect(verdict).toMatchObject({ state: OFF, sure: true });
    expect(future.next_on).toBe(Date.parse("2026-02-01T05:00:00Z"));
    expect(future.spans.map(({ sure }) => sure)).toEqual([true, true]);
  });
});

describe("numbers", () => {
  const prices = { "2026-09-07": official("rouge"), "2026-09-08": {} };
  test.each([
    [{ above: 0.3 }, "2026-09-07T10:00:00Z", ON],
    [{ above: 0.7295 }, "2026-09-07T10:00:00Z", OFF],
    [{ at_least: 0.7295 }, "2026-09-07T10:00:00Z", ON],
    [{ below: 0.2 }, "2026-09-07T21:00:00Z", ON],
    [{ above: 0.1, at_most: 0.1615 }, "2026-09-07T21:00:00Z", ON],
    [{ above: 0.3 }, "2026-09-08T10:00:00Z", UNKNOWN],
  ])("rate %o at %s", (rate, at, state) => {
    expect(stateAt({ rate }, at, knownDaysOf(prices), PARIS)).toBe(state);
  });

  test("without a price nothing is known of it", () => {
    expect(stateAt({ rate: { above: 0 } }, "2026-09-07T10:00:00Z", knownDaysOf(prices), UNPRICED)).toBe(
      UNKNOWN,
    );
  });

  test("the price of a Sunday that nobody has named is that of the only colour that it can have, for certain", () => {
    const rule = ruleOf({ rate: { below: 0.17 } });
    const { verdict } = refresh(rule, inputAt("2026-09-06T10:00:00Z", knownDaysOf({})));
    expect(verdict).toMatchObject({ state: true, sure: true });
    expect(stateAt({ rate: { below: 0.17 } }, "2026-09-07T10:00:00Z", knownDaysOf({}))).toBe(null);
  });

  test("a price row changes a rate at the start of the tariff day of its date", () => {
    const knownDays = knownDaysOf({ "2026-07-31": official("bleu"), "2026-08-01": official("bleu") });
    const future = refresh(
      ruleOf({ rate: { above: 0.164 } }),
      inputAt("2026-07-31T12:00:00Z", knownDays),
    ).future;
    expect(future.next_on).toBe(Date.parse("2026-08-01T04:00:00Z"));
  });

  const season: KnownSeason = {
    ...SEASON,
    days_remaining: 238,
    remaining: { rouge: 2, blanc: 30, bleu: 206 },
    seen_at: Date.parse("2026-01-05T08:00:00Z"),
  };
  const counted = knownDaysOf(
    officialDays("2025-09-01", "2026-01-05", { "2025-12-01": "rouge", "2026-01-05": "rouge" }),
    {
      seasons: { "2025-2026": season },
    },
  );
  const AT = "2026-01-05T11:00:00Z";
  test.each([
    [{ days_remaining: { at_most: 238 } }, ON],
    [{ days_remaining: { below: 238 } }, OFF],
    [{ remaining: { rouge: { at_most: 3 } } }, ON],
    [{ remaining: { rouge: { at_most: 3 }, blanc: { below: 30 } } }, OFF],
    [{ left: { rouge: { at_most: 20 } } }, ON],
    [{ left: { rouge: { below: 20 } } }, OFF],
  ])("%o", (when, state) => {
    expect(stateAt(when, AT, counted)).toBe(state);
  });

  test("a count of the service is sure on the tariff day on which it came, vigie's own always", () => {
    const surenessOf = (when: object, at: string) => {
      const knownDays = { ...counted, days: { ...counted.days, "2026-01-06": official("bleu") } };
      return refresh(ruleOf(when), inputAt(at, knownDays)).verdict.sure;
    };
    const [service, own] = [{ days_remaining: { at_most: 238 } }, { left: { rouge: { at_most: 20 } } }];
    expect([surenessOf(service, AT), surenessOf(own, AT)]).toEqual([true, true]);
    const nextDay = "2026-01-06T11:00:00Z";
    expect([surenessOf(service, nextDay), surenessOf(own, nextDay)]).toEqual([false, true]);
  });

  test("what the season does not say is not known, and a missing day leaves the own count unknown", () => {
    const { "2025-10-10": _, ...holed } = counted.days;
    expect(stateAt({ left: { rouge: { at_most: 20 } } }, AT, { ...counted, days: holed })).toBe(UNKNOWN);
    expect(stateAt({ remaining: { rouge: { at_most: 20 } } }, AT, { ...counted, seasons: {} })).toBe(UNKNOWN);
    expect(stateAt({ days_remaining: { at_most: 20 } }, AT, EMPTY)).toBe(UNKNOWN);
  });
});

describe("conditions together", () => {
  const knownDays = knownDaysOf({ "2026-01-05": official("rouge") });
  const NOON = "2026-01-05T11:00:00Z";
  const [YES, NO, MAYBE] = [{ period: "hp" }, { period: "hc" }, { day: "next", color: "rouge" }];
  test.each([
    [{ all: [YES, YES] }, ON],
    [{ all: [YES, NO, MAYBE] }, OFF],
    [{ all: [YES, MAYBE] }, UNKNOWN],
    [{ any: [NO, YES, MAYBE] }, ON],
    [{ any: [NO, NO] }, OFF],
    [{ any: [NO, MAYBE] }, UNKNOWN],
    [{ not: YES }, OFF],
    [{ not: NO }, ON],
    [{ not: MAYBE }, UNKNOWN],
    [{ not: { any: [NO, { all: [YES, NO] }] } }, ON],
    [{ day: "now", color: "rouge", period: "hp" }, ON],
    [{ day: "now", color: "rouge", period: "hp", not: { weekday: "mon" } }, OFF],
    [{ period: "hp", any: [NO, { between: ["12:00", "12:01"] }] }, ON],
  ])("%j is %s", (when, state) => {
    expect(stateAt(when, NOON, knownDays)).toBe(state);
  });

  test("when_unknown decides what unknown counts as, and is the reason", () => {
    const input = inputAt(NOON, knownDays);
    const settled = (when_unknown: string) => refresh(ruleOf(MAYBE, { when_unknown }), input).verdict;
    expect([settled("on"), settled("off")]).toMatchObject([
      { state: true, reason: "when_unknown", sure: false },
      { state: false, reason: "when_unknown", sure: false },
    ]);
    expect(refresh(ruleOf(YES, { when_unknown: "off" }), input).verdict).toMatchObject({
      state: true,
      reason: "conditions",
    });
  });

  test("a threshold is the rule's own, and can be moved", () => {
    const MOVED = { r: { enabled: true, threshold: { value: 71, configured: 60 } } };
    const doubtful = knownDaysOf({ "2026-01-06": forecast("rouge", { confidence: 0.7 }) });
    const rule = ruleOf({ day: "next", color: "rouge", confidence: "threshold" }, { threshold: 60 });
    const input = inputAt(NOON, doubtful);
    expect(refresh(rule, input).verdict).toMatchObject({ state: true, threshold: 60 });
    expect(refresh(rule, input, undefined, MOVED).verdict).toMatchObject({
      state: false,
      threshold: 71,
    });
    expect(refresh(ruleOf(YES), input, undefined, MOVED).verdict.threshold).toBe(null);
  });

  test("a rule that is switched off is OFF, whatever its conditions say", () => {
    const { verdict, future } = refresh(ruleOf(YES), inputAt(NOON, knownDays), undefined, {
      r: { enabled: false, threshold: null },
    });
    expect(verdict).toMatchObject({ state: false, sure: true, reason: "disabled" });
    expect(future).toMatchObject({ next_on: null, next_off: null, state_until: null });
  });

  test("an id that every object knows is an id like others", () => {
    const rule = ruleOf(YES, { id: "constructor" });
    const { verdict, next } = refresh(rule, inputAt(NOON, knownDays));
    expect([verdict.state, next.rules["constructor"]?.state]).toEqual([true, true]);
  });
});

function futureOf(when: object, at: string) {
  const days = officialDays(at.slice(0, 10), at.slice(0, 10));
  return refresh(ruleOf(when), inputAt(at, knownDaysOf(days))).future;
}

function onSpans({ spans }: ReturnType<typeof futureOf>): string[][] {
  return spans
    .filter(({ state }) => state)
    .map(({ start, end }) => [new Date(start).toISOString(), new Date(end).toISOString()]);
}
