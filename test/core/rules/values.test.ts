import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../../src/config/rules-options.ts";
import type { KnownDays } from "../../../src/core/days/known-days.ts";
import { evaluateRules } from "../../../src/core/rules/evaluate-rules.ts";
import { explainRule } from "../../../src/core/rules/explain-rule.ts";
import { reasonsOf } from "../../../src/core/rules/reasons.ts";
import { mqttConditionsIn, type Rule } from "../../../src/core/rules/rule.ts";
import { NO_SETTINGS, switchRuleFor } from "../../../src/core/rules/rule-settings.ts";
import { NO_RULES_STATE, type RulesState, readRulesState } from "../../../src/core/rules/rules-state.ts";
import { type HeardValue, type KeptValues, readValues } from "../../../src/core/rules/value-readings.ts";
import { forecast, knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { evaluateNext, inputAt } from "../../support/rules.ts";
import { valuesOf } from "../../support/values.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse("2026-01-05T11:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const LOW = { mqtt: { topic: "car", below: 40 } };

/** Rules that are evaluated one time after the other; `null` in place of payloads: the broker has not sent them yet. */
function house(rules: object[], days: KnownDays = BLEU, settings = NO_SETTINGS) {
  const parsed: Rule[] = rulesOptions.parse(rules);
  let state: RulesState = NO_RULES_STATE;
  return {
    restart: () => {
      state = readRulesState(JSON.parse(JSON.stringify(state)));
    },
    at: (at: number, payloads: Record<string, string | HeardValue> | null, known = days) => {
      const input = inputAt(at, known, { values: valuesOf(parsed, at, payloads) });
      const { verdicts, futures, saving, next } = evaluateNext(parsed, input, state, settings);
      state = next;
      const [verdict, future] = [verdicts[0], futures[0]];
      if (!verdict || !future) throw new Error("Expected a verdict, got none");
      return {
        verdicts,
        states: verdicts.map((one) => one.state),
        state: verdict.state,
        since: verdict.since,
        verdict,
        reason: verdict.reason,
        reasons: verdicts.map((one) => one.reason),
        because: reasonsOf(verdict, input).because,
        future,
        futures,
        saving,
      };
    },
  };
}

describe("a value", () => {
  test("makes a rule ON or OFF, and unknown while it was not heard", () => {
    const { at } = house([{ id: "r", when: LOW }]);
    expect(at(NOON, {}).state).toBe(null);
    expect(at(NOON, { car: "39" }).state).toBe(true);
    expect(at(NOON, { car: "41" }).state).toBe(false);
    expect(at(NOON, { car: "unavailable" }).state).toBe(null);
  });

  test("gives reasons without what it is", () => {
    const { at } = house([
      { id: "r", when: { mqtt: { topic: "car", path: "soc", below: 40, max_age: "2h" } } },
    ]);
    const because = (payload: string | HeardValue) => at(NOON, { car: payload }).because;
    const asks = "car soc is below 40, at most 2 h old";
    expect(because('{"soc":12.345}')).toEqual([`${asks} (by its value)`]);
    expect(because('{"soc":98.765}')).toEqual([`not so: ${asks} (by its value)`]);
    expect(because("12.345")).toEqual([`${asks} (no soc in its JSON)`]);
    expect(because("soc=12.345")).toEqual([`${asks} (not JSON)`]);
    expect(because('{"soc":"12.345 %"}')).toEqual([`${asks} (not a number)`]);
    expect(because({ payload: '{"soc":12.345}', at: NOON - 2 * HOUR })).toEqual([`${asks} (too old)`]);
    expect(at(NOON, {}).because).toEqual([`${asks} (never heard)`]);
  });

  test("that only an earlier vigie heard is not said to have been never heard", () => {
    const [rule] = rulesOptions.parse([{ id: "r", when: LOW }]);
    const conditions = rule ? mqttConditionsIn(rule.when) : [];
    const problems = (kept: KeptValues) =>
      [...readValues(conditions, { heard: new Map(), kept }, NOON, new Map(), 0).values()].map(
        ({ problem }) => problem,
      );
    expect(problems({})).toEqual(["never heard"]);
    expect(problems({ car: { hash: "h", at: NOON - HOUR } })).toEqual(["not heard since vigie started"]);
    expect(problems({ car: null })).toEqual(["never heard"]);
  });

  test("of a sensor that is dead does not say that nobody is home", () => {
    const { at } = house([
      { id: "save_heating", when: { not: { rule: "somebody_home" } } },
      { id: "somebody_home", when_unknown: "on", when: { mqtt: { topic: "anna", equals: "home" } } },
    ]);
    expect(at(NOON, { anna: "not_home" }).states).toEqual([true, false]);
    const { states, verdict } = at(NOON, { anna: "unavailable" });
    expect(states).toEqual([false, true]);
    expect(verdict.rule.id).toBe("save_heating");
    const alone = house([{ id: "home", when: { mqtt: { topic: "anna", equals: "home" } } }]);
    expect(alone.at(NOON, { anna: "unavailable" }).because).toEqual(['anna is "home" (said to be unknown)']);
  });

  test("counts until it is as old as max_age", () => {
    const { at } = house([{ id: "r", when: { mqtt: { ...LOW.mqtt, max_age: "2h" } } }]);
    const car = { payload: "39", at: NOON };
    expect(at(NOON + 2 * HOUR - 1, { car }).state).toBe(true);
    expect(at(NOON + 2 * HOUR, { car }).state).toBe(null);
    expect(at(NOON + 7 * 24 * HOUR, { car }).state).toBe(null);
  });

  test("is too old where the clock was set back by more than a correction", () => {
    const { at } = house([{ id: "r", when: { mqtt: { ...LOW.mqtt, max_age: "2h" } } }]);
    expect(at(NOON, { car: { payload: "39", at: NOON + 30_000 } }).state).toBe(true);
    expect(at(NOON, { car: { payload: "39", at: NOON + 10 * MINUTE } }).state).toBe(null);
  });

  test("is joined with days and times, and three-valued", () => {
    const { at } = house([{ id: "r", when: { all: [LOW, { day: "now", color: "rouge" }] } }]);
    expect(at(NOON, {}).state).toBe(false);
    const rouge = knownDaysOf({ ...BLEU.days, "2026-01-05": official("rouge") });
    expect(at(NOON, {}, rouge).state).toBe(null);
    expect(at(NOON, { car: "1" }, rouge).state).toBe(true);
  });
});

describe("hold", () => {
  const rule = { id: "r", hold: "30m", when: LOW };

  test("a value turns a rule at once, and then not again for the hold", () => {
    const { at } = house([rule]);
    at(NOON, { car: "41" });
    expect(at(NOON + MINUTE, { car: "39" }).state).toBe(true);
    for (let minute = 2; minute < 31; minute += 1) {
      expect(at(NOON + minute * MINUTE, { car: minute % 2 === 0 ? "41" : "39" }).state).toBe(true);
    }
    expect(at(NOON + 31 * MINUTE, { car: "41" }).state).toBe(false);
  });

  test("names its end in an explanation", () => {
    const { at } = house([rule]);
    at(NOON, { car: "41" });
    at(NOON + MINUTE, { car: "39" });
    const { verdict, future: ahead } = at(NOON + 2 * MINUTE, { car: "41" });
    const { notes } = explainRule(verdict, ahead, inputAt(NOON + 2 * MINUTE, BLEU));
    expect(notes).toEqual(["until 12:31 no value changes it (hold): without that it would be OFF"]);
  });

  test("shows in an explanation what is found now, beside the verdict that is held", () => {
    const { at } = house([rule]);
    at(NOON, { car: "41" });
    at(NOON + MINUTE, { car: "39" });
    const { verdict, future: ahead } = at(NOON + 2 * MINUTE, { car: "41" });
    const explained = explainRule(verdict, ahead, inputAt(NOON + 2 * MINUTE, BLEU));
    expect(explained).toMatchObject({ state: true, tree: { state: false, saw: '"41", heard 0 s ago' } });
  });

  test("publishes the reasons of the turn while a value flaps, so that they make no message", () => {
    const { at } = house([rule]);
    at(NOON, { car: "41" });
    const { because } = at(NOON + MINUTE, { car: "39" });
    expect(at(NOON + 2 * MINUTE, { car: "41" }).because).toEqual(because);
    expect(at(NOON + 3 * MINUTE, { car: "38" }).because).toEqual(because);
  });

  test("keeps the plan as it is, too", () => {
    const { at } = house([rule]);
    at(NOON, { car: "41" });
    const turned = at(NOON + MINUTE, { car: "39" }).future;
    const held = at(NOON + 2 * MINUTE, { car: "41" }).future;
    expect(held.spans).toEqual(turned.spans);
    expect(held.spans).toMatchObject([{ state: true, sure: false }]);
    expect(held.next_off).toBe(null);
  });

  test("a value that flaps for a day around its bound turns the rule at most once in each hold", () => {
    const { at } = house([rule]);
    let turns = 0;
    let before = at(NOON, { car: "40.1" }).state;
    for (let second = 1; second < 24 * 3600; second += 179) {
      const { state } = at(NOON + second * 1000, { car: second % 2 === 0 ? "39.9" : "40.1" });
      if (state !== before) turns += 1;
      before = state;
    }
    expect(turns).toBeGreaterThan(40);
    expect(turns).toBeLessThanOrEqual(48);
  });

  test("survives a restart", () => {
    const { at, restart } = house([rule]);
    at(NOON, { car: "41" });
    at(NOON + MINUTE, { car: "39" });
    restart();
    expect(at(NOON + 2 * MINUTE, null).state).toBe(true);
    expect(at(NOON + 3 * MINUTE, { car: "41" }).state).toBe(true);
    expect(at(NOON + 31 * MINUTE, { car: "41" }).state).toBe(false);
  });

  test("waits no longer once the broker has sent what it holds, without this value", () => {
    const { at, restart } = house([
      { ...rule, hold: "12h" },
      { id: "later", when: { rule: "r" }, lag: "1h" },
    ]);
    at(NOON, { car: "41" });
    at(NOON + MINUTE, { car: "39" });
    restart();
    expect(at(NOON + 2 * MINUTE, null).reason).toBe("waiting");
    const settled = at(NOON + 3 * MINUTE, {});
    expect(settled.states).toEqual([true, true]);
    expect(settled.reasons).toEqual(["conditions", "conditions"]);
  });

  test("does not stop the clock", () => {
    const { at } = house([{ id: "r", hold: "30m", when: { all: [LOW, { between: ["12:00", "12:10"] }] } }]);
    at(NOON, { car: "41" });
    expect(at(NOON + MINUTE, { car: "39" }).state).toBe(true);
    expect(at(NOON + 10 * MINUTE, { car: "39" }).state).toBe(false);
  });

  test("does not stop an official colour", () => {
    const next = { day: "next", color: "rouge" };
    const { at } = house([{ id: "r", hold: "30m", when: { all: [LOW, next] } }]);
    const days = (day: ReturnType<typeof official> | ReturnType<typeof forecast>) =>
      knownDaysOf({ ...BLEU.days, "2026-01-06": day });
    at(NOON, { car: "41" }, days(forecast("rouge")));
    expect(at(NOON + MINUTE, { car: "39" }, days(forecast("rouge"))).state).toBe(true);
    expect(at(NOON + 2 * MINUTE, { car: "39" }, days(official("bleu"))).state).toBe(false);
  });

  test("a value that is known again after it was not counts at once", () => {
    const { at } = house([rule]);
    at(NOON, { car: "39" });
    expect(at(NOON + MINUTE, { car: "unavailable" }).state).toBe(null);
    expect(at(NOON + 2 * MINUTE, { car: "39" }).state).toBe(true);
  });

  test("a value that is too old for some seconds again and again makes the rule unknown at most once in each hold", () => {
    const turnsIn2Hours = (more: object) => {
      const { at } = house([{ id: "r", ...more, when: { mqtt: { ...LOW.mqtt, max_age: "1m" } } }]);
      const states: (boolean | null)[] = [];
      for (let second = 0; second < 2 * 3600; second += 10) {
        const car = { payload: "39", at: NOON + Math.floor(second / 70) * 70_000 };
        states.push(at(NOON + second * 1000, { car }).state);
      }
      return states.filter((state, index) => state === null && states[index - 1] !== null).length;
    };
    expect(turnsIn2Hours({ hold: "30m" })).toBe(4);
    expect(turnsIn2Hours({})).toBeGreaterThan(100);
  });

  test("of a rule that refers to another holds what that one looks at", () => {
    const { at } = house([
      { id: "b", hold: "30m", when: { rule: "a" } },
      { id: "a", when: LOW },
    ]);
    at(NOON, { car: "41" });
    expect(at(NOON + MINUTE, { car: "39" }).states).toEqual([true, true]);
    expect(at(NOON + 2 * MINUTE, { car: "41" }).states).toEqual([true, false]);
    expect(at(NOON + 31 * MINUTE, { car: "41" }).states).toEqual([false, false]);
  });

  test("of the other rule is followed", () => {
    const { at } = house([
      { id: "b", when: { rule: "a" } },
      { id: "a", hold: "30m", when: LOW },
    ]);
    at(NOON, { car: "41" });
    at(NOON + MINUTE, { car: "39" });
    expect(at(NOON + 2 * MINUTE, { car: "41" }).states).toEqual([true, true]);
    expect(at(NOON + 31 * MINUTE, { car: "41" }).states).toEqual([false, false]);
  });
});

describe("before the broker has sent what it holds", () => {
  test("a verdict stays as it was, also through another rule, since when it was", () => {
    const { at, restart } = house([
      { id: "b", when: { not: { rule: "a" } } },
      { id: "a", when: LOW },
      { id: "off", when_unknown: "off", when: LOW },
    ]);
    expect(at(NOON, { car: "39" }).states).toEqual([false, true, true]);
    restart();
    const waiting = at(NOON + HOUR, null);
    expect(waiting.states).toEqual([false, true, true]);
    expect(waiting.since).toBe(NOON);
    expect(waiting.futures[1]?.spans).toMatchObject([{ start: NOON, state: true, sure: false }]);
    expect(waiting.futures.map(({ next_on, next_off }) => next_on ?? next_off)).toEqual([null, null, null]);
    expect(at(NOON + HOUR + 1000, { car: "41" }).states).toEqual([true, false, false]);
  });

  test("what does not need the value counts at once", () => {
    const { at } = house([{ id: "r", when: { all: [LOW, { between: ["12:00", "12:10"] }] } }]);
    expect(at(NOON, { car: "39" }).state).toBe(true);
    expect(at(NOON + 10 * MINUTE, null).state).toBe(false);
  });

  test("a verdict that was unknown stays unknown, and one that was never given is", () => {
    const { at } = house([{ id: "r", when_unknown: "on", when: LOW }]);
    expect(at(NOON, null)).toMatchObject({ state: null, reason: "waiting" });
    expect(at(NOON + 1000, null).state).toBe(null);
    expect(at(NOON + 2000, { car: "39" }).state).toBe(true);
  });

  test("a verdict that was never given is, also through other rules", () => {
    const { at } = house([
      { id: "b", when: { rule: "a" } },
      { id: "a", when: LOW },
      { id: "c", when_unknown: "on", when: { not: { rule: "b" } } },
    ]);
    const { reasons, states } = at(NOON, null);
    expect(states).toEqual([null, null, null]);
    expect(reasons).toEqual(["waiting", "waiting", "waiting"]);
    expect(at(NOON + 1000, {}).reasons).toEqual(["conditions", "conditions", "when_unknown"]);
  });

  test("a condition that was added by an edit of the configuration makes no rule unknown", () => {
    const first = house([{ id: "r", when: LOW }]);
    first.at(NOON, { car: "39" });
    const rules = rulesOptions.parse([
      { id: "r", when: { all: [LOW, { mqtt: { topic: "home", equals: "yes" } }] } },
    ]);
    const before = readRulesState({ at: NOON, rules: { r: { state: true, since: NOON } } });
    const input = inputAt(NOON + MINUTE, BLEU, { values: valuesOf(rules, NOON, null) });
    expect(evaluateRules(rules, input, {}, before).verdicts[0]?.state).toBe(true);
  });

  test("what is known of later stays in the plan, also if a value is awaited for the first time", () => {
    const { at } = house([{ id: "r", when: { all: [LOW, { between: ["12:00", "13:00"] }] } }]);
    const { future: ahead } = at(NOON, null);
    expect(ahead.spans.slice(0, 2)).toMatchObject([
      { state: null },
      { start: NOON + HOUR, state: false, sure: true },
    ]);
  });
});

describe("the future", () => {
  test("assumes that values stay, is not sure, and gives no instants to act on", () => {
    const { at } = house([{ id: "r", when: { all: [LOW, { period: "hc" }] } }]);
    const { future: ahead } = at(NOON, { car: "39" });
    const [first, second, third] = ahead.spans;
    expect(first).toMatchObject({ state: false, sure: true });
    expect(second).toMatchObject({ state: true, sure: false, start: Date.parse("2026-01-05T21:00:00Z") });
    expect(third).toMatchObject({ state: false, sure: true, start: Date.parse("2026-01-06T05:00:00Z") });
    expect([ahead.next_on, ahead.next_off]).toEqual([null, null]);
  });

  test("gives the instants before the first span that a value decides", () => {
    const morning = { between: ["14:00", "15:00"] };
    const { at } = house([{ id: "r", when: { any: [morning, { all: [LOW, { period: "hc" }] }] } }]);
    const { future: ahead } = at(NOON, { car: "39" });
    expect(ahead.next_on).toBe(Date.parse("2026-01-05T13:00:00Z"));
    expect(ahead.next_off).toBe(Date.parse("2026-01-05T14:00:00Z"));
  });

  test("gives none through another rule either, whatever unknown counts as", () => {
    const { at } = house([
      { id: "b", when: { all: [{ rule: "a" }, { period: "hc" }] } },
      { id: "a", when_unknown: "off", when: LOW },
    ]);
    for (const payloads of [{ car: "39" }, { car: "41" }, {}]) {
      const { future: ahead } = at(NOON, payloads);
      expect([ahead.next_on, ahead.next_off]).toEqual([null, null]);
    }
  });

  test("gives none for a rule that is disabled for a time, nor for one that refers to it", () => {
    const until = NOON + HOUR;
    const settings = switchRuleFor(NO_SETTINGS, "a", false, { from: NOON, until });
    const { at } = house(
      [
        { id: "a", when: LOW },
        { id: "b", when: { rule: "a" } },
      ],
      BLEU,
      settings,
    );
    const { futures, states } = at(NOON, { car: "39" });
    expect(states).toEqual([false, false]);
    expect(futures.map(({ spans }) => spans[1])).toMatchObject([
      { start: until, state: true, sure: false },
      { start: until, state: true, sure: false },
    ]);
    expect(futures.map(({ next_on }) => next_on)).toEqual([null, null]);
  });

  test("is as before for a rule that looks at no value", () => {
    const { at } = house([
      { id: "r", when: { period: "hc" } },
      { id: "v", when: LOW },
    ]);
    expect(at(NOON, { car: "39" }).future.next_on).toBe(Date.parse("2026-01-05T21:00:00Z"));
  });

  test("a rule's topics are true until its first value is too old, also through another rule", () => {
    const { at } = house([
      { id: "b", when: { rule: "a" } },
      { id: "a", when: { mqtt: { ...LOW.mqtt, max_age: "2h" } } },
    ]);
    const { verdicts } = at(NOON, { car: { payload: "39", at: NOON - MINUTE } });
    expect(verdicts.map(({ values_until }) => values_until)).toEqual([
      NOON - MINUTE + 2 * HOUR,
      NOON - MINUTE + 2 * HOUR,
    ]);
  });
});

describe("what is saved", () => {
  test("soon where values alone turned a rule, now where anything else did", () => {
    const { at } = house([{ id: "r", when: { any: [LOW, { between: ["12:30", "13:00"] }] } }]);
    expect(at(NOON, { car: "41" }).saving).toBe("now");
    expect(at(NOON + MINUTE, { car: "41" }).saving).toBe("with the next write");
    expect(at(NOON + 2 * MINUTE, { car: "39" }).saving).toBe("soon");
    expect(at(NOON + 3 * MINUTE, { car: "41" }).saving).toBe("soon");
    const held = house([{ id: "r", when: LOW, hold: "30m" }]);
    held.at(NOON, { car: "41" });
    held.at(NOON + MINUTE, { car: "39" });
    held.at(NOON + 2 * MINUTE, { car: "41" });
    expect(held.at(NOON + 31 * MINUTE, { car: "41" })).toMatchObject({ state: false, saving: "soon" });
    expect(at(NOON + 30 * MINUTE, { car: "41" }).saving).toBe("now");
    expect(at(NOON + 31 * MINUTE, { car: "39" }).saving).toBe("with the next write");
  });
});
