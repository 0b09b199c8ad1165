import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import type { Simulation } from "../../../src/core/facts/facts.ts";
import { explainRule } from "../../../src/core/rules/explain-rule.ts";
import { nextRuleBoundary } from "../../../src/core/rules/futures.ts";
import { reasonsOf } from "../../../src/core/rules/reasons.ts";
import type { Rule } from "../../../src/core/rules/rule.ts";
import { endMeanwhile, NO_SETTINGS, switchRuleFor } from "../../../src/core/rules/rule-settings.ts";
import { NO_RULES_STATE, type RulesState, readRulesState } from "../../../src/core/rules/rules-state.ts";
import { anyCondition, anyDays, anyStart } from "../../support/any-rules.ts";
import { forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { LONG, runs } from "../../support/long.ts";
import { inputAt, refreshAll, rulesOf } from "../../support/rules.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = "2026-01-05T11:00:00Z";
const ROUGE = forecast("rouge");
const BLEU = forecast("bleu");
const PEAK = { day: "now", color: "rouge", period: "hp" };
const NEXT_ROUGE = { day: "next", color: "rouge" };

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

describe("a rule that refers to another", () => {
  const days = knownDaysOf({
    "2026-01-05": official("rouge"),
    "2026-01-06": official("bleu"),
    "2026-01-07": ROUGE,
  });

  test("is what the other is, whichever of them comes first", () => {
    for (const rules of [
      rulesOf({ id: "peak", when: PEAK }, { id: "r", when: { rule: "peak" } }),
      rulesOf({ id: "r", when: { rule: "peak" } }, { id: "peak", when: PEAK }),
    ]) {
      const { verdict, future } = refreshAll(rules, inputAt(NOON, days));
      expect(verdict("r")).toMatchObject({ state: true, sure: true });
      expect(future("r").spans).toEqual(future("peak").spans);
      expect(iso(future("r").next_off)).toBe("2026-01-05T21:00:00.000Z");
    }
  });

  test("sees it after its lead and its lag, and adds its own", () => {
    const rules = rulesOf(
      { id: "peak", when: PEAK, lead: "5m", lag: "10m" },
      { id: "same", when: { rule: "peak" } },
      { id: "more", when: { rule: "peak" }, lead: "1h", lag: "2h" },
    );
    const { future } = refreshAll(rules, inputAt("2026-01-04T11:00:00Z", days));
    const first = (id: string) => [iso(future(id).next_on), iso(future(id).next_off)];
    expect(first("same")).toEqual(["2026-01-05T04:55:00.000Z", "2026-01-05T21:10:00.000Z"]);
    expect(first("more")).toEqual(["2026-01-05T03:55:00.000Z", "2026-01-05T23:10:00.000Z"]);
  });

  test("sees what the other counts as by when_unknown, which is not sure", () => {
    const rules = rulesOf(
      { id: "not_known", when: NEXT_ROUGE },
      { id: "settled", when: NEXT_ROUGE, when_unknown: "on" },
      { id: "one", when: { rule: "not_known" } },
      { id: "other", when: { rule: "settled" } },
    );
    const { verdict } = refreshAll(rules, inputAt("2026-01-08T11:00:00Z", days));
    expect([verdict("one").state, verdict("other")]).toMatchObject([null, { state: true, sure: false }]);
  });

  test("is as sure as the other", () => {
    const rules = rulesOf({ id: "peak", when: PEAK }, { id: "r", when: { not: { rule: "peak" } } });
    const { future } = refreshAll(rules, inputAt(NOON, days));
    const spans = future("r").spans.map(({ start, state, sure }) => [iso(start), state, sure]);
    expect(spans).toEqual([
      ["2026-01-05T11:00:00.000Z", false, true],
      ["2026-01-05T21:00:00.000Z", true, true],
      ["2026-01-07T05:00:00.000Z", false, false],
      ["2026-01-07T21:00:00.000Z", true, true],
    ]);
  });

  test("sees a disabled rule as OFF, and says so", () => {
    const rules = rulesOf({ id: "peak", when: PEAK }, { id: "r", when: { not: { rule: "peak" } } });
    const settings = { peak: { enabled: false, threshold: null } };
    const input = inputAt(NOON, days);
    const { verdict, future } = refreshAll(rules, input, NO_RULES_STATE, settings);
    expect(verdict("r")).toMatchObject({ state: true, sure: true });
    expect(future("r").next_off).toBe(null);
    expect(reasonsOf(verdict("r"), input).because).toEqual(["rule peak is OFF, disabled"]);
  });

  test("shows the other's verdict in its explanation and its reasons, and whether its days are known", () => {
    const rules = rulesOf(
      { id: "peak", when: PEAK },
      { id: "not_known", when: { day: "next_3_days", color: "rouge" } },
      { id: "r", when: { any: [{ rule: "peak" }, { rule: "not_known" }] } },
    );
    const input = inputAt("2026-01-06T11:00:00Z", days);
    const { verdict, future } = refreshAll(rules, input);
    expect(explainRule(verdict("r"), future("r"), input).tree).toEqual({
      state: true,
      asks: "any of",
      saw: null,
      parts: [
        { state: false, asks: "rule peak is ON", saw: "it is OFF", parts: [] },
        { state: true, asks: "rule not_known is ON", saw: "it is ON", parts: [] },
      ],
    });
    expect(reasonsOf(verdict("r"), input)).toMatchObject({
      day: null,
      deciding: null,
      complete: false,
      because: ["rule not_known is ON"],
    });
  });

  test("wakes the loop when the other changes", () => {
    const rules = rulesOf({ id: "peak", when: PEAK, lead: "5m" }, { id: "r", when: { rule: "peak" } });
    const { future } = refreshAll(rules, inputAt("2026-01-05T04:00:00Z", days));
    expect(iso(nextRuleBoundary([future("r")]))).toBe("2026-01-05T04:55:00.000Z");
  });

  test("follows a simulated colour, and is real without it", () => {
    const begun = Date.parse("2026-01-06T11:00:00Z");
    const simulation: Simulation = {
      color: "rouge",
      from: "now",
      date: "2026-01-06",
      begun,
      until: begun + HOUR,
    };
    const rules = rulesOf({ id: "peak", when: PEAK }, { id: "r", when: { rule: "peak" } });
    const { verdict, real, future } = refreshAll(rules, inputAt(begun + MINUTE, days, { simulation }));
    expect([verdict("r").state, real("r").state]).toEqual([true, false]);
    expect(future("r").next_off).toBe(begun + HOUR);
  });

  test("has its since from the clock, also where vigie did not run then", () => {
    const rules = rulesOf({ id: "peak", when: PEAK, lead: "5m" }, { id: "r", when: { rule: "peak" } });
    const before = refreshAll(rules, inputAt("2026-01-05T03:00:00Z", days));
    const after = refreshAll(rules, inputAt("2026-01-05T09:00:00Z", days), before.next);
    expect(iso(after.verdict("r").since)).toBe("2026-01-05T04:55:00.000Z");
  });

  const length = LONG ? 1_000 : 200;
  test(`may be the last of a chain of ${length} rules, in any order`, () => {
    const chain = Array.from({ length }, (_, index) => ({
      id: `r${index}`,
      when: index === length - 1 ? PEAK : { rule: `r${index + 1}` },
    }));
    for (const rules of [rulesOf(...chain), rulesOf(...chain.toReversed())]) {
      const { verdict, future } = refreshAll(rules, inputAt(NOON, days));
      expect(verdict("r0").state).toBe(true);
      expect(iso(future("r0").next_off)).toBe("2026-01-05T21:00:00.000Z");
    }
  });
});

/** Rules refreshed with one forecast after another for Monday 5 January. */
function follow(rules: readonly Rule[], days: [at: string, day: KnownDay][]) {
  let previous: RulesState = NO_RULES_STATE;
  return days.map(([at, day]) => {
    const after = refreshAll(rules, inputAt(at, knownDaysOf({ "2026-01-05": day })), previous);
    previous = after.next;
    return after;
  });
}

describe("hold through a chain", () => {
  const CHANGES: [string, KnownDay][] = [
    ["2026-01-04T10:00:00Z", ROUGE],
    ["2026-01-04T11:00:00Z", BLEU],
    ["2026-01-04T11:05:00Z", ROUGE],
    ["2026-01-04T11:30:00Z", ROUGE],
    ["2026-01-04T12:00:00Z", ROUGE],
  ];
  const statesOf = (refreshes: ReturnType<typeof follow>, id: string) =>
    refreshes.map(({ verdict }) => verdict(id).state);

  test("a rule without a hold follows one that holds", () => {
    const rules = rulesOf({ id: "b", when: NEXT_ROUGE, hold: "30m" }, { id: "a", when: { rule: "b" } });
    const refreshes = follow(rules, CHANGES);
    expect(statesOf(refreshes, "a")).toEqual([true, false, false, true, true]);
    expect(iso(refreshes[2]?.future("a").next_on ?? null)).toBe("2026-01-04T11:30:00.000Z");
    expect(iso(nextRuleBoundary([refreshes[2]?.future("a")].flatMap((one) => one ?? [])))).toBe(
      "2026-01-04T11:30:00.000Z",
    );
  });

  test("a rule holds what comes to it by one without a hold", () => {
    const rules = rulesOf({ id: "a", when: { rule: "b" }, hold: "1h" }, { id: "b", when: NEXT_ROUGE });
    const refreshes = follow(rules, CHANGES);
    expect(statesOf(refreshes, "b")).toEqual([true, false, true, true, true]);
    expect(statesOf(refreshes, "a")).toEqual([true, false, false, false, true]);
    expect(iso(refreshes[2]?.future("a").next_on ?? null)).toBe("2026-01-04T12:00:00.000Z");
  });

  test("the end of another rule's hold is followed, as a change by the clock is", () => {
    const rules = rulesOf(
      { id: "a", when: { rule: "b" }, hold: "1h" },
      { id: "b", when: NEXT_ROUGE, hold: "30m" },
    );
    const refreshes = follow(rules, CHANGES);
    expect(statesOf(refreshes, "b")).toEqual([true, false, false, true, true]);
    expect(statesOf(refreshes, "a")).toEqual([true, false, false, true, true]);
    expect(iso(refreshes[2]?.future("a").next_on ?? null)).toBe("2026-01-04T11:30:00.000Z");
  });

  test("an official colour cuts all of them short", () => {
    const rules = rulesOf(
      { id: "a", when: { rule: "b" }, hold: "1h" },
      { id: "b", when: NEXT_ROUGE, hold: "30m" },
    );
    const refreshes = follow(rules, [...CHANGES.slice(0, 3), ["2026-01-04T11:06:00Z", official("rouge")]]);
    expect(statesOf(refreshes, "a")).toEqual([true, false, false, true]);
  });
});

const anyForecast = fc.constantFrom(ROUGE, BLEU, forecast("blanc"), forecast(null));
const hold = fc.constantFrom("0s", "20m", "45m", "3h");
const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.nat({ max: 2 }), anyForecast), {
  minLength: 5,
  maxLength: 30,
});
const LEAVES = [NEXT_ROUGE, { day: "next_3_days", color: "rouge" }, { not: { day: "d2", color: "bleu" } }];
/** Three rules: one that refers to none, one that refers to it, one that refers to both. */
const anyChain = fc
  .record({
    leaves: fc.tuple(fc.constantFrom(...LEAVES), fc.constantFrom(...LEAVES), fc.constantFrom(...LEAVES)),
    holds: fc.tuple(hold, hold, hold),
    groups: fc.tuple(fc.constantFrom("all", "any"), fc.constantFrom("all", "any")),
    negated: fc.boolean(),
  })
  .map(({ leaves, holds, groups, negated }) => {
    const middle = negated ? { not: { rule: "middle" } } : { rule: "middle" };
    return rulesOf(
      { id: "top", when: { [groups[0]]: [middle, { rule: "base" }, leaves[2]] }, hold: holds[2] },
      { id: "middle", when: { [groups[1]]: [{ rule: "base" }, leaves[1]] }, hold: holds[1] },
      { id: "base", when: leaves[0], hold: holds[0] },
    );
  });

describe("random sequences of forecasts, for three rules that refer to each other", () => {
  const shift = fc.constantFrom(0, 0, 10 * MINUTE, 50 * MINUTE, 2 * HOUR);
  const anyShift = fc.record({ lead: shift, lag: shift });

  const START = Date.parse("2026-01-04T06:00:00Z");
  /** Some of them are disabled, or enabled, for a time. */
  const anySettings = fc.array(
    fc.record({
      id: fc.constantFrom("base", "middle", "top"),
      enabled: fc.boolean(),
      minutes: fc.integer({ min: 1, max: 24 * 60 }),
    }),
    { maxLength: 2 },
  );

  test("the plan of each is what later refreshes give, also over the ends of holds and of settings", () => {
    fc.assert(
      fc.property(
        anyChain,
        fc.tuple(anyShift, anyShift, anyShift),
        anySettings,
        steps,
        fc.boolean(),
        (...given) => {
          const [chain, shifts, switched, sequence, areHeld] = given;
          const rules = chain.map((rule, index): Rule => {
            const shifted = { ...rule, ...shifts[index] };
            return areHeld ? shifted : { ...shifted, hold: 0 };
          });
          let settings = NO_SETTINGS;
          for (const { id, enabled, minutes } of switched)
            settings = switchRuleFor(settings, id, enabled, { from: START, until: START + minutes * MINUTE });
          const refreshTo = (at: number, previous: RulesState) => {
            const after = refreshAll(rules, inputAt(at, knownDaysOf({ ...days })), previous, settings);
            // As the loop does.
            settings = endMeanwhile(settings, at).settings;
            return after;
          };
          const days: Record<string, KnownDay> = {
            "2026-01-05": ROUGE,
            "2026-01-06": BLEU,
            "2026-01-07": BLEU,
          };
          let at = START;
          let after = refreshTo(at, NO_RULES_STATE);
          for (const [minutes, index, day] of sequence) {
            const next = nextRuleBoundary(after.futures) ?? Number.POSITIVE_INFINITY;
            at = Math.min(next, at + minutes * MINUTE);
            days[`2026-01-0${5 + index}`] = day;
            after = refreshTo(at, after.next);
          }
          const plans = after;
          for (let count = 0; count < 40; count += 1) {
            const next = nextRuleBoundary(after.futures) ?? Number.POSITIVE_INFINITY;
            if (next >= plans.future("top").until) break;
            // Of a hold that is over a restart forgets what a lag of another rule looks back at.
            after = refreshTo(
              next,
              areHeld ? after.next : readRulesState(JSON.parse(JSON.stringify(after.next))),
            );
            for (const { id } of rules) {
              const span = plans.future(id).spans.find(({ start, end }) => start <= next && next < end);
              const { state, sure } = after.verdict(id);
              expect([id, iso(next), state, sure]).toEqual([id, iso(next), span?.state, span?.sure]);
            }
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 60_000);

  test("forecasts that change do not change a verdict twice within its hold", () => {
    /** A run in which a verdict changes once has nothing to compare. */
    let compared = 0;
    fc.assert(
      fc.property(anyChain, steps, (rules, sequence) => {
        const days: Record<string, KnownDay> = {
          "2026-01-05": ROUGE,
          "2026-01-06": BLEU,
          "2026-01-07": BLEU,
        };
        // Between two boundaries of the clock, so that only forecasts and the ends of holds change a verdict.
        let at = Date.parse("2026-01-04T06:00:00Z");
        let after = refreshAll(rules, inputAt(at, knownDaysOf({ ...days })));
        const flips = new Map(rules.map(({ id }): [string, number[]] => [id, []]));
        const refreshTo = (next: number) => {
          const before = after;
          at = next;
          after = refreshAll(rules, inputAt(at, knownDaysOf({ ...days })), before.next);
          for (const { id } of rules) {
            const states = [before.verdict(id).state, after.verdict(id).state];
            // What becomes unknown without a hold does so at once, and so does what is known again.
            if (!states.includes(null) && states[0] !== states[1]) flips.get(id)?.push(at);
          }
        };
        for (const [minutes, index, day] of sequence) {
          const then = at + minutes * MINUTE;
          for (let next = 0; next < then; ) {
            next = nextRuleBoundary(after.futures) ?? Number.POSITIVE_INFINITY;
            if (next < then) refreshTo(next);
          }
          days[`2026-01-0${5 + index}`] = day;
          refreshTo(then);
        }
        const [top, middle, base] = rules;
        // The end of another rule's hold turns a rule as the clock does.
        const alone = [base, ...(base?.hold ? [] : [middle]), ...(base?.hold || middle?.hold ? [] : [top])];
        for (const { id, hold } of alone.flatMap((rule) => rule ?? [])) {
          compared += Math.max(0, (flips.get(id)?.length ?? 0) - 1);
          for (const [index, flip] of flips.get(id)?.entries() ?? []) {
            const last = flips.get(id)?.[index - 1] ?? Number.NEGATIVE_INFINITY;
            expect(flip - last).toBeGreaterThanOrEqual(hold);
          }
        }
      }),
      { numRuns: runs(60) },
    );
    expect(compared).toBeGreaterThan(0);
  }, 60_000);
});

describe("what is forecast for a chain, nothing announced since, is what later evaluation gives", () => {
  const shifts = fc.record({
    lead: fc.constantFrom("0s", "5m", "3h", "8h"),
    lag: fc.constantFrom("0s", "7m", "4h"),
  });
  const settled = fc.constantFrom({}, { when_unknown: "on" }, { when_unknown: "off" });
  const MORE = fc
    .tuple(fc.oneof(fc.constant({}), shifts), settled)
    .map(([one, other]) => ({ ...one, ...other }));

  test("at every instant, for any rules, days and season", () => {
    fc.assert(
      fc.property(
        anyStart.chain((start) => fc.tuple(fc.constant(start), anyDays(start), fc.nat({ max: 24 * 60 }))),
        fc.tuple(anyCondition, anyCondition),
        fc.tuple(MORE, MORE),
        fc.constantFrom("all", "any", "not"),
        fc.array(fc.nat({ max: 9 * 24 * 12 }), { minLength: 8, maxLength: 8 }),
        ([start, days, minutes], [base, other], [moreOfBase, moreOfTop], group, samples) => {
          const at = Date.parse(`${start}T00:00:00Z`) + minutes * MINUTE;
          const when = group === "not" ? { not: { rule: "base" } } : { [group]: [{ rule: "base" }, other] };
          const rules = rulesOf({ id: "top", when, ...moreOfTop }, { id: "base", when: base, ...moreOfBase });
          const { future, next } = refreshAll(rules, inputAt(at, knownDaysOf(days)));
          const { spans, until } = future("top");
          const edges = spans.flatMap(({ start: from, end }) => [from, end - 1]);
          const sampled = samples.map((step) => at + step * 5 * MINUTE + 1);
          for (const later of [...edges, ...sampled].filter((one) => one >= at && one < until)) {
            const { verdict } = refreshAll(rules, inputAt(later, knownDaysOf(days)), next);
            const span = spans.find(({ start: from, end }) => from <= later && later < end);
            const { state, sure } = verdict("top");
            expect([iso(later), state, sure]).toEqual([iso(later), span?.state, span?.sure]);
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 60_000);
});
