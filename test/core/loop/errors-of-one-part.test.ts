import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../../src/config/rules-options.ts";
import { type Kept, type Known, withPassing } from "../../../src/core/loop/known.ts";
import { look } from "../../../src/core/loop/look.ts";
import type { LoopConfig } from "../../../src/core/loop/loop-config.ts";
import { settle } from "../../../src/core/loop/settle.ts";
import { startKnown } from "../../../src/core/loop/start.ts";
import type { View } from "../../../src/core/loop/view.ts";
import type { Output } from "../../../src/core/outputs/output.ts";
import { takeOutputs } from "../../../src/core/outputs/take-outputs.ts";
import type { Condition, Rule } from "../../../src/core/rules/rule.ts";
import { NO_RULES_STATE } from "../../../src/core/rules/rules-state.ts";
import { knownDaysOf } from "../../support/known-days.ts";
import { runs } from "../../support/long.ts";
import { outputsOf, stateAfter, toTopic } from "../../support/outputs.ts";
import { PARIS } from "../../support/tariff.ts";
import { anyCondition, anyDays, anyStart } from "../rules/any-rules.ts";

const HOUR = 3_600_000;

/** The functions in which a part can be made to throw. */
type Place = "evaluateOne" | "forecastVerdict";

/** A condition of which an error of vigie itself is made, where this function reads it. */
function throwingIn(place: Place): Condition {
  return {
    kind: "between",
    get from(): string {
      throwIf(place);
      return "00:00";
    },
    to: "12:00",
  };
}

function throwIf(place: string, unless?: string) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const error = new TypeError(`a bug in ${place}`);
  Error.stackTraceLimit = stackTraceLimit;
  const isIn = (name: string) => error.stack?.includes(` ${name} `);
  if (isIn(place) && !(unless !== undefined && isIn(unless))) throw error;
}

/** As the shell does it. */
function catching() {
  const failed: string[] = [];
  const protect = (part: string, run: () => void) => {
    try {
      run();
      return true;
    } catch {
      failed.push(part);
      return false;
    }
  };
  return { failed, protect };
}

const anyRules = fc
  .array(
    fc.record({
      when: anyCondition,
      refers: fc.boolean(),
      hold: fc.constantFrom("0s", "2h"),
      lead: fc.constantFrom("0s", "45m"),
      when_unknown: fc.constantFrom(undefined, "on", "off"),
    }),
    { minLength: 2, maxLength: 4 },
  )
  .map((rules) =>
    rulesOptions.parse([
      ...rules.map(({ when, refers, when_unknown, ...rule }, index) => ({
        id: `r${index}`,
        ...rule,
        when: refers && index > 0 ? { any: [when, { rule: `r${index - 1}` }] } : when,
        ...(when_unknown && { when_unknown }),
      })),
      { id: "broken", when: { between: ["00:00", "12:00"] }, hold: "1h" },
      { id: "follower", when: { rule: "broken" } },
    ]),
  );

const scene = fc.tuple(anyRules, anyStart).chain(([rules, date]) =>
  fc.record({
    rules: fc.constant(rules),
    start: fc.nat({ max: 23 }).map((hour) => Date.parse(`${date}T00:10:00Z`) + hour * HOUR),
    days: fc.tuple(anyDays(date), anyDays(date)),
    hours: fc.integer({ min: 1, max: 30 }),
    mayPretend: fc.boolean(),
  }),
);
type Scene = typeof scene extends fc.Arbitrary<infer One> ? One : never;

function outputFor(when: string): Output {
  const topic = `${when}/set`;
  return {
    id: `of_${when}`,
    name: { fr: topic, en: topic },
    language: "en",
    ...toTopic(topic),
    message: false,
    choose: [{ when, payload: "on" }],
    else: { payload: "off" },
    unknown: { payload: "?" },
  };
}

function configOf(rules: readonly Rule[], list: Output[]): LoopConfig {
  return {
    tariff: PARIS,
    rules,
    outputs: outputsOf(list, true),
    sources: [],
    times: { every: HOUR, announcement: { between: ["06:00", "12:00"], every: 5 * 60_000 } },
    offset: 0,
    grace: 600_000,
    late_after: "12:00",
    check_clock: "off",
    isDemo: false,
  };
}

/** What is known after a first look, while all works. */
function begin({ rules, start, days: [days], mayPretend }: Scene) {
  const list = rules.map(({ id }) => outputFor(id));
  const config = configOf(rules, list);
  const at = { now: start, steady: 0 };
  const kept: Kept = {
    days: knownDaysOf(days),
    sources: {},
    rules: NO_RULES_STATE,
    settings: {},
    simulation: mayPretend
      ? { color: "rouge", from: "now", date: dateOf(start), begun: start, until: start + 48 * HOUR }
      : null,
    outputs: stateAfter(Object.fromEntries(list.map(({ key }) => [key, "before"]))),
    values: {},
  };
  const context = { at, config, serviceKind: "real" as const, broker: "", before: null };
  const started = startKnown(kept, context);
  const { values } = started.passing;
  const connected = takeOutputs(
    { kept: started.kept.outputs, passing: started.passing.outputs },
    { kind: "connection opened", connection: 1, version: 5 },
    at,
    config,
  );
  const known = withPassing(started, {
    isPolled: true,
    values: { ...values, awaitedSince: null },
    outputs: connected.passing,
  });
  const settled = settle(known, at, { config, protect: catching().protect });
  return { config, known: settled.known, view: look(settled.known, at, config, settled) };
}

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The next look, with other days, hours later. */
function lookLater(
  { start, hours, days: [, days] }: Scene,
  { known, view: before }: { known: Known; view: View },
  config: LoopConfig,
) {
  const { failed, protect } = catching();
  const at = { now: start + hours * HOUR, steady: hours * HOUR };
  const changed = { ...known, kept: { ...known.kept, days: knownDaysOf(days) } };
  const settled = settle(changed, at, { config, protect });
  const view = look(settled.known, at, config, { ...settled, before, protect });
  const again = settle(settled.known, at, { config, protect });
  return { view, known: settled.known, again: again.known, failed: new Set(failed) };
}

function breakRule(rules: readonly Rule[], place: Place): Rule[] {
  return rules.map((rule) => (rule.id === "broken" ? { ...rule, when: throwingIn(place) } : rule));
}

/** Without what is about the broken part, and the problem that names it. */
function others(topics: View["topics"], about: RegExp): [string, unknown][] {
  return [...topics].filter(([name]) => !about.test(name));
}

/** With what the rule will see as data. */
function foretold({ forecasts }: View, index: number) {
  const forecast = forecasts[index];
  return { ...forecast, looks: forecast?.looks.map(({ start, seen }) => ({ start, ...seen() })) };
}

const OF_BROKEN = /^rules\/(broken|follower)(\/|$)|^outputs\/of_(broken|follower)(\/|$)/;

describe("if one rule throws", () => {
  test("what-if: vigie itself has an error · it is unknown, what is remembered of it stays, its output stands, and all else is as without it", () => {
    fc.assert(
      fc.property(scene, (one) => {
        const first = begin(one);
        const sound = lookLater(one, first, first.config);
        const config = { ...first.config, rules: breakRule(one.rules, "evaluateOne") };
        const { view, known, failed, again } = lookLater(one, first, config);
        expect([...failed].filter((part) => !part.startsWith("rule broken"))).toEqual([]);
        expect(failed.has("rule broken")).toBe(true);
        for (const [index, verdict] of view.verdicts.entries()) {
          const { id } = verdict.rule;
          if (id === "broken") expect(verdict).toMatchObject({ state: null, reason: "error" });
          else if (id === "follower") expect(verdict).toMatchObject({ state: null, reason: "conditions" });
          else {
            const { state, since, sure, reason } = sound.view.verdicts[index] ?? verdict;
            expect(verdict).toMatchObject({ state, since, sure, reason });
            expect(foretold(view, index)).toEqual(foretold(sound.view, index));
          }
        }
        expect(others(view.topics, OF_BROKEN)).toEqual(others(sound.view.topics, OF_BROKEN));
        expect([view.topics.get("rules/broken/state"), view.topics.get("rules/broken/since")]).toEqual([
          { payload: "None" },
          { payload: "None" },
        ]);
        expect(view.topics.get("rules/broken")?.payload).toContain("an error of vigie itself");
        expect(view.topics.get("rules/broken/enabled")?.payload).toBe("ON");
        expect(known.kept.rules.rules["broken"]).toEqual(first.known.kept.rules.rules["broken"]);
        expect(wanted(known, /^(?!broken|follower)/)).toEqual(wanted(sound.known, /^(?!broken|follower)/));
        expect(known.kept.outputs["broken/set"]?.payload).not.toBe("?");
        expect(known.passing.outputs.byKey.get("broken/set")?.underWay ?? null).toBeNull();
        expect(again.kept.rules).toEqual(known.kept.rules);
      }),
      { numRuns: runs(60) },
    );
  });

  test("only when it is looked ahead, its verdict and payload stay, and nothing is foretold of it", () => {
    fc.assert(
      fc.property(scene, (one) => {
        const first = begin(one);
        const sound = lookLater(one, first, first.config);
        const config = { ...first.config, rules: breakRule(one.rules, "forecastVerdict") };
        const { view, known, failed } = lookLater(one, first, config);
        expect([...failed]).toEqual(["what rule broken will be"]);
        const stateOf = ({ verdicts }: View) => verdicts.map(({ state, since }) => [state, since]);
        expect(stateOf(view)).toEqual(stateOf(sound.view));
        const index = view.verdicts.findIndex(({ rule }) => rule.id === "broken");
        const soon = view.at.now + 60_000;
        expect(view.forecasts[index]).toMatchObject({ next_on: null, next_off: null, state_until: soon });
        expect(view.topics.get("rules/broken/state")?.expires).toBe(soon + config.grace);
        expect(view.topics.get("rules/follower/state")?.expires).toBe(soon + config.grace);
        expect(others(view.topics, OF_BROKEN)).toEqual(others(sound.view.topics, OF_BROKEN));
        expect(wanted(known, /./)).toEqual(wanted(sound.known, /./));
      }),
      { numRuns: runs(40) },
    );
  });
});

/** What is sent to each device. */
function wanted({ kept, passing }: Known, keys: RegExp) {
  return Object.entries(kept.outputs)
    .filter(([key]) => keys.test(key))
    .map(([key, { payload, stands }]) => [
      key,
      payload,
      stands,
      passing.outputs.byKey.get(key)?.underWay?.stage,
    ]);
}

describe("if one output throws", () => {
  test.each([
    ["where its payload is chosen", "chooseOne", "choose"],
    ["where its payload is sent", "settleOutput", "key"],
    ["where its state is found", "statusOf", "confirm"],
    ["where its topics are rendered", "topicsOfOutput", "to"],
  ] as const)("%s, all others are as without it", (_name, place, key) => {
    fc.assert(
      fc.property(scene, (one) => {
        const first = begin(one);
        const sound = lookLater(one, first, first.config);
        const broken = (output: Output): Output =>
          Object.defineProperty({ ...output }, key, {
            enumerable: true,
            get: () => {
              throwIf(place);
              return output[key];
            },
          });
        const list = first.config.outputs.list.map((output) =>
          output.id === "of_r0" ? broken(output) : output,
        );
        const config = { ...first.config, outputs: { ...first.config.outputs, list } };
        const { view, known, failed } = lookLater(one, first, config);
        expect(failed.size).toBeGreaterThan(0);
        expect([...failed].filter((part) => !/of_r0|r0\/set/.test(part))).toEqual([]);
        expect(wanted(known, /^(?!r0)/)).toEqual(wanted(sound.known, /^(?!r0)/));
        const ofOutput = /^outputs\/of_r0(\/|$)/;
        expect(others(view.topics, ofOutput)).toEqual(others(sound.view.topics, ofOutput));
        const names = (topics: View["topics"]) => [...topics.keys()].sort();
        expect(names(view.topics)).toEqual(names(sound.view.topics));
        if (place === "chooseOne")
          expect(known.kept.outputs["r0/set"]?.payload).toBe(
            first.known.passing.outputs.byKey.get("r0/set")?.underWay
              ? "before"
              : first.known.kept.outputs["r0/set"]?.payload,
          );
      }),
      { numRuns: runs(30) },
    );
  });
});

describe("if the topics of one rule throw", () => {
  test("they stay until time can change them, and are unknown then; all others are as without it", () => {
    let [stayed, ended] = [0, 0];
    fc.assert(
      fc.property(scene, fc.boolean(), (one, isSoon) => {
        const first = begin(one);
        const at = isSoon ? { ...one, hours: 1 / 3600 } : one;
        const sound = lookLater(at, first, first.config);
        const rules = one.rules.map((rule) =>
          rule.id === "r0"
            ? Object.defineProperty({ ...rule }, "id", {
                enumerable: true,
                get: () => {
                  throwIf("named", "unknown");
                  return "r0";
                },
              })
            : rule,
        );
        const { view, failed } = lookLater(at, first, { ...first.config, rules });
        expect([...failed]).toEqual(["topics of rule r0"]);
        const ofRule = /^rules\/r0(\/|$)/;
        expect(others(view.topics, ofRule)).toEqual(others(sound.view.topics, ofRule));
        const before = first.view.topics.get("rules/r0");
        const isOver = at.start + at.hours * HOUR >= (before?.expires ?? Number.POSITIVE_INFINITY) - 600_000;
        const payload = (name: string) => view.topics.get(name)?.payload;
        if (isOver) {
          expect([payload("rules/r0/state"), payload("rules/r0/next_on")]).toEqual(["None", "None"]);
          expect(payload("rules/r0")).toContain("an error of vigie itself");
        } else expect(view.topics.get("rules/r0")).toEqual(before);
        if (isOver) ended += 1;
        else stayed += 1;
      }),
      { numRuns: runs(60) },
    );
    expect(stayed).toBeGreaterThan(0);
    expect(ended).toBeGreaterThan(0);
  });
});
