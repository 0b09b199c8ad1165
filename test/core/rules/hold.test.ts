import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { nextRuleBoundary } from "../../../src/core/rules/futures.ts";
import { NO_RULES_STATE, type RulesState, readRulesState } from "../../../src/core/rules/rules-state.ts";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { inputAt, refresh, ruleOf } from "../../support/rules.ts";

const MINUTE = 60_000;
const NEXT_ROUGE = { day: "next", color: "rouge" };
const ROUGE = forecast("rouge");
const BLEU = forecast("bleu");

/** One rule, refreshed with one forecast after another for Monday 5 January; `restart`: anew after each of a hold. */
function follow(when: object, more: object, days: [at: string, day: KnownDay][], restart = false) {
  const rule = ruleOf(when, more);
  let previous: RulesState = NO_RULES_STATE;
  return days.map(([at, day], index) => {
    const after = refresh(rule, inputAt(at, knownDaysOf({ "2026-01-05": day })), previous);
    const isOver = Date.parse(days[index + 1]?.[0] ?? at) >= (after.next.rules["r"]?.hold?.until ?? 0);
    previous = restart && !isOver ? readRulesState(JSON.parse(JSON.stringify(after.next))) : after.next;
    return after;
  });
}

const states = (refreshes: ReturnType<typeof follow>) => refreshes.map(({ verdict }) => verdict.state);

describe("hold", () => {
  test.each([false, true])(
    "the first change of a forecast counts at once, the next waits for the hold (restarted: %s)",
    (restart) => {
      const refreshes = follow(
        NEXT_ROUGE,
        { hold: "30m" },
        [
          ["2026-01-04T10:00:00Z", BLEU],
          ["2026-01-04T11:00:00Z", ROUGE],
          ["2026-01-04T11:05:00Z", BLEU],
          ["2026-01-04T11:29:59Z", BLEU],
          ["2026-01-04T11:30:00Z", BLEU],
          ["2026-01-04T11:40:00Z", ROUGE],
          ["2026-01-04T12:00:00Z", ROUGE],
        ],
        restart,
      );
      expect(states(refreshes)).toEqual([false, true, true, true, false, false, true]);
      expect(refreshes[2]?.verdict.hold?.until).toBe(Date.parse("2026-01-04T11:30:00Z"));
      expect(refreshes[3]?.next.rules["r"]?.since).toBe(Date.parse("2026-01-04T11:00:00Z"));
      expect(refreshes[2] && nextRuleBoundary([refreshes[2].future])).toBe(
        Date.parse("2026-01-04T11:30:00Z"),
      );
    },
  );

  test("the forecast of a held verdict ends with its hold", () => {
    const refreshes = follow(NEXT_ROUGE, { hold: "30m" }, [
      ["2026-01-04T10:00:00Z", BLEU],
      ["2026-01-04T11:00:00Z", ROUGE],
      ["2026-01-04T11:05:00Z", BLEU],
    ]);
    expect(refreshes[2]?.future.next_off).toBe(Date.parse("2026-01-04T11:30:00Z"));
  });

  test("a forecast that returns to what it was ends it without a change", () => {
    const refreshes = follow(NEXT_ROUGE, { hold: "30m" }, [
      ["2026-01-04T10:00:00Z", BLEU],
      ["2026-01-04T11:00:00Z", ROUGE],
      ["2026-01-04T11:05:00Z", BLEU],
      ["2026-01-04T11:20:00Z", ROUGE],
      ["2026-01-04T11:40:00Z", ROUGE],
    ]);
    expect(states(refreshes)).toEqual([false, true, true, true, true]);
    expect(refreshes[3]?.verdict.hold?.held ?? null).toBe(null);
  });

  test("an official colour cuts it short", () => {
    const refreshes = follow(NEXT_ROUGE, { hold: "30m" }, [
      ["2026-01-04T10:00:00Z", BLEU],
      ["2026-01-04T11:00:00Z", ROUGE],
      ["2026-01-04T11:05:00Z", BLEU],
      ["2026-01-04T11:06:00Z", official("bleu")],
    ]);
    expect(states(refreshes)).toEqual([false, true, true, false]);
    expect(refreshes[3]?.verdict.hold?.held ?? null).toBe(null);
  });

  test("a change by the clock ends it: what it held to does not come back", () => {
    const windows = { any: [{ between: ["11:30", "12:30"] }, { between: ["12:40", "13:00"] }] };
    const refreshes = follow({ ...NEXT_ROUGE, ...windows }, { hold: "2h" }, [
      ["2026-01-04T10:40:00Z", BLEU],
      ["2026-01-04T10:45:00Z", ROUGE],
      ["2026-01-04T10:50:00Z", BLEU],
      ["2026-01-04T11:30:00Z", BLEU],
      ["2026-01-04T11:40:00Z", BLEU],
    ]);
    expect(states(refreshes)).toEqual([false, true, true, false, false]);
    expect(refreshes[2]?.future.next_off).toBe(Date.parse("2026-01-04T11:30:00Z"));
    expect(refreshes[2]?.future.next_on).toBe(null);
  });

  test("06:00 is 06:00, also while it holds", () => {
    const refreshes = follow({ day: "next", color: "rouge" }, { hold: "2h" }, [
      ["2026-01-05T03:00:00Z", BLEU],
      ["2026-01-05T04:30:00Z", ROUGE],
      ["2026-01-05T04:45:00Z", BLEU],
      ["2026-01-05T05:00:00Z", BLEU],
    ]);
    expect(states(refreshes)).toEqual([false, true, true, null]);
  });

  test("the first forecast of a date is no change", () => {
    const rule = ruleOf({ day: "next_2_days", color: "rouge" }, { hold: "1h" });
    const first = refresh(rule, inputAt("2026-01-04T10:00:00Z", knownDaysOf({ "2026-01-05": ROUGE })));
    const second = refresh(
      rule,
      inputAt("2026-01-04T11:00:00Z", knownDaysOf({ "2026-01-05": BLEU })),
      first.next,
    );
    const days = { "2026-01-05": BLEU, "2026-01-06": ROUGE };
    const third = refresh(rule, inputAt("2026-01-04T11:05:00Z", knownDaysOf(days)), second.next);
    expect([first, second, third].map(({ verdict }) => verdict.state)).toEqual([true, null, true]);
  });

  test("a clock that is set back leaves no rule waiting", () => {
    const refreshes = follow(NEXT_ROUGE, { hold: "30m" }, [
      ["2026-01-04T18:00:00Z", BLEU],
      ["2026-01-04T19:00:00Z", ROUGE],
      ["2026-01-04T11:00:00Z", BLEU],
    ]);
    expect(states(refreshes)).toEqual([false, true, false]);
    expect(refreshes[2]?.next.rules["r"]?.since).toBe(Date.parse("2026-01-04T11:00:00Z"));
  });

  test("a clock that is corrected by a second, or by minutes, ends no hold", () => {
    const refreshes = follow(NEXT_ROUGE, { hold: "30m" }, [
      ["2026-01-04T18:00:00Z", BLEU],
      ["2026-01-04T19:00:00Z", ROUGE],
      ["2026-01-04T18:59:59Z", BLEU],
      ["2026-01-04T18:40:00Z", BLEU],
      ["2026-01-04T19:30:00Z", BLEU],
    ]);
    expect(states(refreshes)).toEqual([false, true, true, true, false]);
  });

  test("a rule without hold follows every forecast, and keeps none", () => {
    const refreshes = follow(NEXT_ROUGE, {}, [
      ["2026-01-04T11:00:00Z", ROUGE],
      ["2026-01-04T11:05:00Z", BLEU],
      ["2026-01-04T11:06:00Z", ROUGE],
    ]);
    expect(states(refreshes)).toEqual([true, false, true]);
    expect(refreshes[2]?.next.rules["r"]).not.toHaveProperty("hold");
  });
});

const anyForecast = fc.constantFrom(
  ROUGE,
  BLEU,
  forecast("blanc"),
  forecast(null),
  forecast("rouge", { confidence: 0.5 }),
);
const RULES = [
  {
    any: [
      { day: "next", color: "rouge", confidence: 80 },
      { day: "now", color: "rouge" },
    ],
  },
  { day: "next_3_days", color: "rouge" },
  { all: [{ day: "tomorrow", color: ["rouge", "blanc"] }, { not: { day: "d2", color: "bleu" } }] },
];

describe("random sequences of forecasts", () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.nat({ max: 2 }), anyForecast), {
    minLength: 5,
    maxLength: 40,
  });

  test("forecasts that change do not change a verdict twice within its hold", () => {
    /** A run in which a verdict changes once has nothing to compare. */
    let compared = 0;
    fc.assert(
      fc.property(fc.constantFrom<object>(...RULES), steps, (when, sequence) => {
        const rule = ruleOf(when, { hold: "30m" });
        const days: Record<string, KnownDay> = {
          "2026-01-05": ROUGE,
          "2026-01-06": BLEU,
          "2026-01-07": BLEU,
        };
        let previous: RulesState = NO_RULES_STATE;
        // Between two boundaries, so that only forecasts change.
        let at = Date.parse("2026-01-04T06:00:00Z");
        const flips: number[] = [];
        let last: boolean | null | undefined;
        for (const [minutes, index, day] of sequence) {
          at += minutes * MINUTE;
          days[`2026-01-0${5 + index}`] = day;
          const after = refresh(rule, inputAt(at, knownDaysOf({ ...days })), previous);
          // A restart leaves nothing to compare the next forecast with, unless a hold lasts.
          const isRestarted = index === 0 && at + 25 * MINUTE < (after.next.rules["r"]?.hold?.until ?? 0);
          previous = isRestarted ? readRulesState(JSON.parse(JSON.stringify(after.next))) : after.next;
          // What becomes unknown without a hold does so at once, and so does what is known again.
          const { state } = after.verdict;
          if (last !== undefined && last !== null && state !== null && state !== last) flips.push(at);
          last = state;
        }
        compared += Math.max(0, flips.length - 1);
        for (const [index, flip] of flips.entries()) {
          expect(flip - (flips[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(30 * MINUTE);
        }
      }),
      { numRuns: 50 },
    );
    expect(compared).toBeGreaterThan(0);
  }, 30_000);

  test("hold never delays a boundary: where no forecast changed, a rule with it is as one without", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<object>(...RULES, { all: [NEXT_ROUGE, { between: ["03:30", "06:00"] }] }),
        fc.array(anyForecast, { minLength: 4, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 5, maxLength: 20 }),
        (when, days, minutes) => {
          const knownDays = knownDaysOf(
            Object.fromEntries(days.map((day, index) => [`2026-01-0${4 + index}`, day])),
          );
          const [held, free] = [ruleOf(when, { hold: "24h" }), ruleOf(when)];
          let previous: RulesState = NO_RULES_STATE;
          let at = Date.parse("2026-01-04T06:00:00Z");
          for (const step of minutes) {
            at += step * MINUTE;
            const after = refresh(held, inputAt(at, knownDays), previous);
            previous = after.next;
            expect(after.verdict.state).toBe(refresh(free, inputAt(at, knownDays)).verdict.state);
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 30_000);

  test("the forecast of a held verdict is what later evaluation gives", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<object>(...RULES),
        steps,
        fc.nat({ max: 3000 }),
        (when, sequence, later) => {
          const rule = ruleOf(when, { hold: "3h" });
          const days: Record<string, KnownDay> = {
            "2026-01-05": ROUGE,
            "2026-01-06": BLEU,
            "2026-01-07": BLEU,
          };
          let after = refresh(rule, inputAt("2026-01-04T06:00:00Z", knownDaysOf({ ...days })));
          let at = Date.parse("2026-01-04T06:00:00Z");
          for (const [minutes, index, day] of sequence.slice(0, 6)) {
            at += minutes * MINUTE;
            days[`2026-01-0${5 + index}`] = day;
            after = refresh(rule, inputAt(at, knownDaysOf({ ...days })), after.next);
          }
          const { future } = after;
          // Refreshed at each boundary, as the loop does.
          for (let count = 0, next = at; count < 100; count += 1) {
            const boundary = nextRuleBoundary([after.future]) ?? Number.POSITIVE_INFINITY;
            next = Math.min(boundary, at + later * MINUTE);
            if (next >= future.until) break;
            after = refresh(rule, inputAt(next, knownDaysOf({ ...days })), after.next);
            const span = future.spans.find(({ start, end }) => start <= next && next < end);
            expect([next, after.verdict.state]).toEqual([next, span?.state]);
            if (next === at + later * MINUTE) break;
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 30_000);
});

describe("since", () => {
  const knownDays = knownDaysOf({ "2026-01-05": official("rouge"), "2026-01-06": official("bleu") });
  const PEAK = { all: [{ day: "now", color: "rouge" }, { period: "hp" }] };

  test("is the instant of the change, also when vigie did not run at that time", () => {
    const rule = ruleOf(PEAK);
    const before = refresh(rule, inputAt("2026-01-05T03:00:00Z", knownDays));
    const after = refresh(rule, inputAt("2026-01-05T07:12:34Z", knownDays), before.next);
    expect(after.next.rules["r"]).toEqual({ state: true, since: Date.parse("2026-01-05T05:00:00Z") });
  });

  test("survives a restart", () => {
    const rule = ruleOf(PEAK);
    const before = refresh(rule, inputAt("2026-01-05T07:00:00Z", knownDays));
    const kept = readRulesState(JSON.parse(JSON.stringify(before.next)));
    const after = refresh(rule, inputAt("2026-01-05T08:00:00Z", knownDays), kept);
    expect(after.next.rules["r"]?.since).toBe(Date.parse("2026-01-05T07:00:00Z"));
  });

  test("of news is when they came", () => {
    const rule = ruleOf(PEAK);
    const before = refresh(rule, inputAt("2026-01-05T06:00:00Z", knownDaysOf({})));
    const after = refresh(rule, inputAt("2026-01-05T07:00:00Z", knownDays), before.next);
    expect(after.next.rules["r"]?.since).toBe(Date.parse("2026-01-05T07:00:00Z"));
  });

  test("what does not change is the same object, so that nothing need be written", () => {
    const rule = ruleOf(NEXT_ROUGE, { hold: "30m" });
    const first = refresh(rule, inputAt("2026-01-05T06:00:00Z", knownDays));
    const second = refresh(rule, inputAt("2026-01-05T06:10:00Z", knownDays), first.next);
    expect(second.next.rules).toBe(first.next.rules);
    expect(second.next.official).toBe(first.next.official);
  });

  test("a memory that nobody can read is none", () => {
    expect(readRulesState({ rules: 1 })).toEqual(NO_RULES_STATE);
    expect(readRulesState(undefined)).toEqual(NO_RULES_STATE);
  });
});
