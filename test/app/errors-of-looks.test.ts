import { describe, expect, test } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createOwnErrors } from "../../src/app/own-errors.ts";
import { createLoop } from "../../src/app/run-loop.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { Kept } from "../../src/core/loop/known.ts";
import type { LoopConfig } from "../../src/core/loop/loop-config.ts";
import { startKnown } from "../../src/core/loop/start.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import { NO_RULES_STATE } from "../../src/core/rules/rules-state.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { outputsOf } from "../support/outputs.ts";
import { PARIS } from "../support/tariff.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const RULES = rulesOptions.parse([
  { id: "day", when: { period: "hp" } },
  { id: "low", when: { mqtt: { topic: "car", below: 40 } } },
]);
const KEPT: Kept = {
  days: knownDaysOf(officialDays("2026-01-01", "2026-01-12")),
  sources: {},
  rules: NO_RULES_STATE,
  settings: {},
  simulation: null,
  outputs: {},
  values: {},
};

/** The real loop without sources, on a clock that the test sets. `broken`: what throws. */
function open({ rules = RULES, kept = KEPT }: { rules?: readonly Rule[]; kept?: Kept } = {}) {
  const clock = { at: NOW };
  const broken = new Set<"look" | "rule">();
  let looks = 0;
  const errors: string[] = [];
  const lines: string[] = [];
  const machine = {
    now: () => clock.at,
    steady: () => clock.at - NOW,
    after: () => () => undefined,
    atRealPace: <T>(answer: Promise<T>) => answer,
  };
  const log = { ...SILENT_LOG, error: (sentence: string) => void errors.push(sentence) };
  const loop = createLoop({
    clock: machine,
    longestSleep: 15_000,
    ownErrors: createOwnErrors(createProblemLog(log, machine)),
    wake: () => undefined,
  });
  const config = (list: readonly Rule[]): LoopConfig => ({
    tariff: PARIS,
    rules: list,
    outputs: outputsOf([]),
    sources: [],
    times: { every: HOUR, announcement: { between: ["06:00", "12:00"], every: 5 * MINUTE } },
    offset: 0,
    grace: 10 * MINUTE,
    // Read in each look as a whole.
    get late_after(): string {
      looks += 1;
      if (broken.has("look")) throw new TypeError("a bug in the look");
      return "12:00";
    },
    check_clock: "off",
    isDemo: false,
  });
  const begin = (list: readonly Rule[]) => {
    const of = config(list);
    const at = { now: clock.at, steady: clock.at - NOW };
    const known = startKnown(kept, { at, config: of, serviceKind: "real", broker: "", before: null });
    const { values } = known.passing;
    loop.begin({
      config: of,
      known: { ...known, passing: { ...known.passing, values: { ...values, awaitedSince: null } } },
      said: saidAtStart(kept),
      sinks: [],
      say: (changes) => {
        for (const line of changes.lines) if ("sentence" in line) lines.push(line.sentence);
      },
      nextPollTime: () => Number.POSITIVE_INFINITY,
    });
  };
  begin(rules);
  return {
    clock,
    broken,
    errors,
    lines,
    begin,
    known: loop.known,
    looks: () => looks,
    pass: (milliseconds: number) => {
      clock.at += milliseconds;
      loop.post({ kind: "time" });
    },
    /** An event after which there is a look. */
    jump: () => loop.post({ kind: "jump", by: 2 * HOUR }),
    payload: (topic: string) => loop.view().topics.get(topic)?.payload,
    boundary: () => loop.view().boundary,
  };
}

describe("a look that throws as a whole", () => {
  test("what-if: vigie itself has an error · is tried again after a minute and not before, whatever happens, and its topics are None from the boundary on", () => {
    const { broken, looks, pass, jump, payload, boundary, clock, errors } = open();
    expect([payload("now/period"), payload("rules/day/state")]).toEqual(["hp", "ON"]);
    const end = boundary().now;
    pass(end - MINUTE - 30 * SECOND - clock.at);
    broken.add("look");
    jump();
    const tried = looks();
    expect([payload("now/period"), payload("service/problem_code")]).toEqual(["hp", "vigie"]);
    for (let n = 1; n < 60; n += 1) {
      pass(SECOND);
      jump();
      expect(looks()).toBe(tried);
    }
    pass(SECOND);
    expect(looks()).toBe(tried + 1);
    pass(end - clock.at);
    expect(looks()).toBe(tried + 1);
    const names = [
      "now/period",
      "now/color",
      "rules/day/state",
      "rules/day/next_off",
      "service/problem_code",
    ];
    expect(names.map(payload)).toEqual(["None", "None", "None", "None", "vigie"]);
    expect(payload("rules/day")).toContain("an error of vigie itself");
    expect(boundary().steady - (clock.at - NOW)).toBe(30 * SECOND);
    broken.clear();
    pass(30 * SECOND);
    expect(names.map(payload)).toEqual(["hc", "bleu", "OFF", expect.any(String), "none"]);
    expect(errors).toEqual([
      "An error of vigie itself (look): TypeError: a bug in the look. All else goes on",
    ]);
  });
});

describe("a rule that throws", () => {
  const throwing = (when: () => boolean): Rule => ({
    ...(RULES[0] as Rule),
    id: "broken",
    when: {
      kind: "between",
      get from(): string {
        if (when()) throw new TypeError("a bug in the rule");
        return "00:00";
      },
      to: "12:00",
    },
  });

  test("is the problem vigie and is logged once, until it works again", () => {
    let isBroken = true;
    const { payload, pass, errors } = open({ rules: [...RULES, throwing(() => isBroken)] });
    for (let n = 0; n < 5; n += 1) pass(MINUTE);
    expect([payload("service/problem_code"), payload("service/status")]).toEqual([
      "vigie",
      expect.any(String),
    ]);
    expect([payload("rules/broken/state"), payload("rules/day/state")]).toEqual(["None", "ON"]);
    expect(errors.filter((sentence) => sentence.includes("(rule broken)"))).toHaveLength(1);
    isBroken = false;
    pass(MINUTE);
    expect([payload("rules/broken/state"), payload("service/problem_code")]).toEqual(["OFF", "none"]);
  });

  test("is no problem any more when a reload has removed it", () => {
    const { payload, begin } = open({ rules: [...RULES, throwing(() => true)] });
    expect(payload("service/problem_code")).toBe("vigie");
    begin(RULES);
    expect(payload("service/problem_code")).not.toBe("vigie");
  });

  test("with anything saved is no reason for a start to set something aside", () => {
    const rules = {
      ...NO_RULES_STATE,
      at: NOW - HOUR,
      rules: { day: { state: true, since: NOW - 5 * HOUR } },
    };
    const { payload, lines } = open({ rules: [...RULES, throwing(() => true)], kept: { ...KEPT, rules } });
    expect(payload("rules/day/since")).toBe("2026-01-05T07:00:00Z");
    expect(lines.filter((line) => line.startsWith("This start"))).toEqual([]);
  });

  test("what-if: vigie itself has an error · because of what is remembered is known at the next start, which says what it is without", () => {
    const rules = {
      ...NO_RULES_STATE,
      at: NOW - HOUR,
      rules: {
        day: {
          since: NOW - 5 * HOUR,
          get state(): boolean {
            throw new TypeError("a bug in the memory");
          },
        },
      },
    };
    const { payload, lines } = open({ kept: { ...KEPT, rules } });
    expect(payload("rules/day/state")).toBe("ON");
    expect(lines.filter((line) => line.startsWith("This start"))).toEqual([
      "This start is without what rules remember, and what commands have set: an error of vigie itself keeps what was saved from being read",
    ]);
  });
});
