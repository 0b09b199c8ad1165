import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createProblemLog } from "../../../src/app/create-problem-log.ts";
import { createOwnErrors } from "../../../src/app/own-errors.ts";
import { createLoop } from "../../../src/app/run-loop.ts";
import { rulesOptions } from "../../../src/config/rules-options.ts";
import type { Clocks } from "../../../src/core/calendar/clocks.ts";
import { COLORS } from "../../../src/core/calendar/tariff.ts";
import type { Answer } from "../../../src/core/contract/answer.ts";
import type { Protect } from "../../../src/core/log/protect.ts";
import { saidAtStart } from "../../../src/core/loop/changes.ts";
import type { Event } from "../../../src/core/loop/event.ts";
import type { Known } from "../../../src/core/loop/known.ts";
import { look } from "../../../src/core/loop/look.ts";
import type { LoopConfig } from "../../../src/core/loop/loop-config.ts";
import { settlePolls } from "../../../src/core/loop/poll-sources.ts";
import { settleSaving } from "../../../src/core/loop/saving.ts";
import { settle } from "../../../src/core/loop/settle.ts";
import { startKnown } from "../../../src/core/loop/start.ts";
import { take } from "../../../src/core/loop/take.ts";
import { switchRule } from "../../../src/core/rules/rule-settings.ts";
import type { RulesState } from "../../../src/core/rules/rules-state.ts";
import { nextRequest } from "../../../src/core/sources/poll.ts";
import { emptyState } from "../../../src/state/state.ts";
import { dayInAnswer, forecastsAnswer } from "../../support/answers.ts";
import { knownDaysOf, official, officialDays } from "../../support/known-days.ts";
import { logTo } from "../../support/logs.ts";
import { runs } from "../../support/long.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BOILER, confirmBy, outputsOf, toTopic } from "../../support/outputs.ts";
import { openTestLoop, RULES, settled } from "../../support/test-loop.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOON = Date.parse("2026-01-05T11:00:00Z");
const DAYS = knownDaysOf({ ...officialDays("2026-01-01", "2026-01-05"), "2026-01-06": official("rouge") });
const HOUSE = rulesOptions.parse([
  { id: "ahead", hold: "10m", when: { day: "next", color: "rouge", confidence: 50 } },
  { id: "low", hold: "1m", when: { mqtt: { topic: "car", below: 40, max_age: "2h" } } },
  { id: "both", when: { all: [{ rule: "ahead" }, { rule: "low" }] }, when_unknown: "off" },
]);
const OUTPUTS = outputsOf([
  { ...BOILER, choose: [{ when: "low", payload: "off" }] },
  {
    ...BOILER,
    id: "plug",
    ...toTopic("plug/set"),
    choose: [{ when: "both", payload: "ON" }],
    confirm: confirmBy("plug", { every: 10 * SECOND, for: MINUTE }),
  },
]);

const throwing: Protect = (_part, run) => {
  run();
  return true;
};

function settleAll(known: Known, at: Clocks, config: LoopConfig): Known {
  const polled = settlePolls(known, at, { config, protect: throwing });
  return settleSaving(settle(polled, at, { config, protect: throwing }).known, at, config);
}

/** The pure parts as the loop calls them, beginning with what a test loop knew at its start. */
function start() {
  const ask = async () => ({ answer: forecastsAnswer(null), date: null, made_at: null, sent: null });
  const askOfficial = () => Promise.reject(new Error("not asked here"));
  const opened = openTestLoop({
    clock: { at: NOON },
    rules: HOUSE,
    outputs: OUTPUTS,
    days: DAYS,
    ask,
    askOfficial,
    checkClock: "auto",
  });
  return { config: opened.config, known: opened.loop.pause() };
}

const later = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 3 * SECOND }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 20 * MINUTE }) },
  { weight: 1, arbitrary: fc.constant(8 * 60 * MINUTE) },
);
const step = fc.record({
  later,
  what: fc.oneof(
    fc.constant({ kind: "time" as const }),
    fc.record({ kind: fc.constant("jump" as const), by: fc.integer({ min: -1e7, max: 1e7 }) }),
    fc.record({ kind: fc.constant("value" as const), payload: fc.constantFrom("39", "41", "x", "") }),
    fc.record({ kind: fc.constant("answer" as const), color: fc.constantFrom(...COLORS) }),
    fc.constant({ kind: "failure" as const }),
    fc.record({ kind: fc.constant("command" as const), enabled: fc.boolean() }),
    fc.record({ kind: fc.constant("pretend" as const), color: fc.constantFrom(...COLORS) }),
    fc.constant({ kind: "connect" as const }),
    fc.constant({ kind: "saved" as const }),
    fc.constant({ kind: "acknowledged" as const }),
    fc.record({ kind: fc.constant("report" as const), payload: fc.constantFrom("ON", "on", "OFF") }),
  ),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type What = Step["what"];

function eventOf(what: What, known: Known, config: LoopConfig, now: number): Event {
  const { passing } = known;
  const [source] = config.sources;
  const part = source && { kept: known.kept.sources[source.id], passing: passing.sources[source.id] };
  const due = part?.kept && part.passing ? nextRequest({ kept: part.kept, passing: part.passing }) : null;
  switch (what.kind) {
    case "jump":
      return what;
    case "value": {
      const heard = new Map([["car", { payload: what.payload, at: now }]]);
      return { kind: "values", heard, kept: { car: { hash: what.payload, at: now } }, isSettled: true };
    }
    case "answer": {
      if (!due) return { kind: "time" };
      const answer = forecastsAnswer(now, dayInAnswer("2026-01-07", what.color));
      const event = { kind: "answered", due, answer, date: now, made_at: now, sent: now } as const;
      return { kind: "source", source: "service", event };
    }
    case "failure":
      if (!due) return { kind: "time" };
      return {
        kind: "source",
        source: "service",
        event: { kind: "failed", due, failure: { kind: "away", sentence: "no route" } },
      };
    case "command":
      return {
        kind: "commands",
        commands: [
          { topic: "x/set", command: { kind: "enabled", rule: "low", enabled: what.enabled, for: MINUTE } },
        ],
      };
    case "pretend": {
      const request = { color: what.color, from: "now", for: 5 * MINUTE } as const;
      return { kind: "commands", commands: [{ topic: "y/set", command: { kind: "simulation", request } }] };
    }
    case "connect": {
      const connection = (passing.outputs.connection?.number ?? 0) + 1;
      return { kind: "outputs", event: { kind: "connection opened", connection, version: 5 } };
    }
    case "saved": {
      const { number, outputChanges } = passing.saving;
      return { kind: "saved", number, outputChanges, problem: null };
    }
    case "acknowledged":
      return { kind: "outputs", event: { kind: "acknowledged", number: passing.outputs.given } };
    case "report":
      return {
        kind: "outputs",
        event: { kind: "report", topic: "plug", payload: what.payload, retain: false },
      };
    case "time":
      return what;
  }
}

describe("what is known after any short run", () => {
  const anyRun = fc.array(step, { maxLength: 15 });

  test("is settled by one settling: a second one at the same instant changes nothing", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        for (const { known, at, config } of follow(run)) {
          expect(settleAll(known, at, config)).toEqual(known);
        }
      }),
      { numRuns: runs(30) },
    );
  });

  test("is only read by a look, which finds the same again", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        for (const { known, at, config } of follow(run)) {
          const frozen = deepFreeze(known);
          expect(look(frozen, at, config).topics).toEqual(look(frozen, at, config).topics);
        }
      }),
      { numRuns: runs(15) },
    );
  });

  /** What is known after each step, settled. */
  function* follow(run: readonly Step[]) {
    const { config, known: first } = start();
    let known = first;
    const at = { now: NOON, steady: NOON };
    for (const { later, what } of run) {
      at.now += later + (what.kind === "jump" ? what.by : 0);
      at.steady += later;
      const here = { ...at };
      known = take(known, eventOf(what, known, config, here.now), here, { config, protect: throwing });
      known = settleAll(known, here, config);
      yield { known, at: here, config };
    }
  }
});

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of value instanceof Map ? value.values() : Object.values(value)) deepFreeze(part);
  return value;
}

test("an answer of which nothing can be learnt leaves what was known, and counts as an answer", () => {
  const { config, known } = start();
  const at = { now: NOON, steady: NOON };
  const begun = settlePolls(known, at, { config, protect: throwing });
  const due = begun.passing.sources.service?.poll?.queue[0];
  if (!due) throw new Error("Expected a poll at the start, got none");
  const failed: string[] = [];
  const protect: Protect = (part, run) => {
    try {
      run();
      return true;
    } catch {
      failed.push(part);
      return false;
    }
  };
  const answer = { kind: "forecasts" } as Answer;
  const event = { kind: "answered", due, answer, date: null, made_at: null, sent: null } as const;
  const taken = take(begun, { kind: "source", source: "service", event }, at, { config, protect });
  expect(failed).toEqual(["an answer of the service: forecasts"]);
  expect(taken.kept.days).toBe(begun.kept.days);
  const { poll } = taken.passing.sources.service ?? {};
  expect([poll?.queue[0] === due, taken.kept.sources.service?.answered_at]).toEqual([false, NOON]);
});

test.each(["findFollowUps", "describeUnusable"])(
  "what was learnt of an answer stays if an error of vigie itself comes after that (%s)",
  (broken) => {
    const { config: working, known } = start();
    const throwBug = () => {
      throw new TypeError("a bug");
    };
    const sources = working.sources.map((source) => ({ ...source, [broken]: throwBug }));
    const config = { ...working, sources };
    const at = { now: NOON, steady: NOON };
    const begun = settlePolls(known, at, { config, protect: throwing });
    const due = begun.passing.sources.service?.poll?.queue[0];
    if (!due) throw new Error("Expected a poll at the start, got none");
    const protect: Protect = (_part, run) => {
      try {
        run();
        return true;
      } catch {
        return false;
      }
    };
    const answer = forecastsAnswer(NOON, dayInAnswer("2026-01-07", "rouge"));
    const event = { kind: "answered", due, answer, date: null, made_at: null, sent: null } as const;
    const taken = take(begun, { kind: "source", source: "service", event }, at, { config, protect });
    expect(Object.keys(taken.kept.days.days)).toContain("2026-01-07");
  },
);

describe("what-if: vigie itself has an error · in what was saved", () => {
  const BUG = "TypeError: a bug that this state shows";
  const throwBug = () => {
    throw new TypeError("a bug that this state shows");
  };
  /** A start with this memory of rules, after commands. */
  const startWith = (rules: RulesState) => {
    const { config, known } = start();
    const lines: string[] = [];
    const events: object[] = [];
    const machine = {
      now: () => NOON,
      steady: () => NOON,
      after: () => () => undefined,
      atRealPace: <T>(answer: Promise<T>) => answer,
    };
    const loop = createLoop({
      clock: machine,
      longestSleep: SECOND,
      ownErrors: createOwnErrors(createProblemLog(logTo(lines), machine)),
      wake: () => undefined,
    });
    const settings = switchRule({}, "low", false);
    const kept = { ...known.kept, rules, settings };
    const at = { now: NOON, steady: NOON };
    const context = { at, config, broker: "", before: null } as const;
    loop.begin({
      config,
      known: startKnown(kept, context),
      said: saidAtStart(kept),
      sinks: [],
      say: (said) => {
        for (const line of said.lines) if ("sentence" in line) lines.push(line.sentence);
        events.push(...said.events);
      },
    });
    return { loop, kept, lines, events };
  };
  const WITHOUT =
    "This start is without what rules remember, what commands have set, and what was sent to devices: an error of vigie itself keeps what was saved from being read";

  test.each<[string, string, RulesState]>([
    [
      "of all rules",
      "what is decided",
      {
        at: NOON,
        official: {},
        truths: {},
        get rules() {
          return throwBug();
        },
      },
    ],
    [
      "of one rule",
      "rule ahead",
      {
        at: NOON,
        official: {},
        truths: {},
        rules: {
          both: { state: true, since: NOON - MINUTE },
          ahead: {
            since: NOON - MINUTE,
            get state() {
              return throwBug();
            },
          },
        },
      },
    ],
  ])("%s does not end the start, which says what it is without", (_, part, rules) => {
    const { loop, kept, lines, events } = startWith(rules);
    expect(loop.view().topics.get("tomorrow/color")?.payload).toBe("rouge");
    expect(loop.view().topics.get("rules/ahead/state")?.payload).toBe("ON");
    expect(loop.known().kept.days).toBe(kept.days);
    expect(loop.known().kept.settings).toEqual({});
    expect(lines).toEqual([
      expect.stringContaining(`An error of vigie itself (${part}): ${BUG}`),
      expect.stringMatching(/^There is no error of vigie itself any more/),
      WITHOUT,
    ]);
    expect(events).toEqual([]);
  });
});

describe("a payload is given to the broker", () => {
  const open = () => {
    const store = createMemoryStore(emptyState("test"));
    const saves: (() => void)[] = [];
    const save: typeof store.save = async (state) => {
      await new Promise<void>((resolve) => saves.push(resolve));
      await store.save(state);
    };
    const outputs = outputsOf([{ ...BOILER, choose: [{ when: "ahead", payload: "off" }] }]);
    const clock = { at: NOON };
    // What a run before has saved of the days.
    openTestLoop({ clock, store, days: DAYS });
    const test = openTestLoop({ clock, rules: RULES, outputs, store: { ...store, save } });
    test.outputs({ kind: "connection opened", connection: 1, version: 5 });
    return { ...test, store, clock, saves, sends: () => test.loop.view().sends };
  };

  test("once the state file says that it is about to be sent", async () => {
    const { store, saves, sends } = open();
    await settled();
    expect(sends()).toEqual([]);
    for (const end of saves) end();
    await settled();
    expect(store.state().outputs).toMatchObject({ "boiler/set": { payload: "off" } });
    expect(sends()).toMatchObject([{ payload: "off", by: { topic: "boiler/set" } }]);
  });

  test("seconds later at the latest, if the disk hangs", async () => {
    const { loop, clock, sends } = open();
    await settled();
    clock.at = loop.view().boundary.steady;
    expect(clock.at - NOON).toBeLessThanOrEqual(5 * SECOND);
    loop.refresh();
    expect(sends()).toMatchObject([{ payload: "off", by: { topic: "boiler/set" } }]);
  });
});
