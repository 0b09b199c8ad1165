import { describe, expect, test, vi } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Color } from "../../src/core/calendar/tariff.ts";
import type { Answer, DayInAnswer } from "../../src/core/contract/answer.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { learn } from "../../src/core/days/learn.ts";
import type { SimulationRequest } from "../../src/core/facts/simulation.ts";
import { evaluate } from "../../src/core/loop/evaluate.ts";
import { verdictsFor } from "../../src/core/loop/settle.ts";
import type { BothVerdicts } from "../../src/core/outputs/choose-outputs.ts";
import { NO_RULES_STATE, readRulesState } from "../../src/core/rules/rules-state.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { forecast, knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { BOILER, outputsOf } from "../support/outputs.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, RULES, settled } from "../support/test-loop.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const EVENING = Date.parse("2026-01-04T19:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const ROUGE = knownDaysOf({ ...BLEU.days, "2026-01-05": official("rouge") });

const NEXT_ROUGE = { day: "next", color: "rouge", confidence: 50 };

const rouge: DayInAnswer = {
  date: "2026-01-06",
  color: "rouge",
  raw: "rouge",
  confidence: 0.8,
  source: null,
  explanation: null,
  rates: { hp: null, hc: null },
};
const forecasts: Answer = { kind: "forecasts", updated_at: NOW - 3 * HOUR, days: [rouge] };

describe("when the service answered last", () => {
  /** A loop that starts with days learnt two hours ago. */
  const restarted = (clock: { at: number }) =>
    openTestLoop({
      clock,
      days: learn(NO_KNOWN_DAYS, forecasts, clock.at - 2 * HOUR, PARIS),
      ask: async () => ({ answer: forecasts, date: null, made_at: null, sent: null }),
    });
  const poll = () => ({ essential: true, recheck: false });

  test("moves seldom while nothing is new: the status shows that all is well", async () => {
    const clock = { at: NOW };
    const { loop, payload } = restarted(clock);
    const shown = new Set<string | undefined>();
    for (let hour = 0; hour < 24; hour += 1) {
      await loop.poll(poll());
      shown.add(payload("service/last_success"));
      clock.at += HOUR;
    }
    // Six steps of four hours.
    expect(shown.size).toBe(7);
  });

  test("ends a status of down, also if nothing else is new", async () => {
    const clock = { at: NOW };
    let isAway = true;
    const { loop, payload } = openTestLoop({
      clock,
      days: learn(NO_KNOWN_DAYS, forecasts, NOW - 2 * HOUR, PARIS),
      ask: async () => {
        if (isAway) throw new Error("no route");
        return { answer: forecasts, date: null, made_at: null, sent: null };
      },
    });
    const shown = () => [payload("service/status"), payload("service/problem_code")];
    await loop.poll(poll());
    expect(shown()).toEqual(["degraded", "service"]);
    clock.at += 3 * HOUR;
    loop.refresh();
    expect(shown()).toEqual(["down", "service"]);
    isAway = false;
    await loop.poll(poll());
    expect(shown()).toEqual(["ok", "late"]);
  });
});

describe("a clock behind the newest instant that is known", () => {
  test("counts as right when it has passed that, by time alone: rules and devices go on within seconds", async () => {
    const days = knownDaysOf({
      ...officialDays("2026-01-01", "2026-01-05"),
      "2026-01-06": official("rouge", { first_said: NOW }),
    });
    const clock = { at: NOW - 10 * MINUTE, steady: 0 };
    const outputs = outputsOf([{ ...BOILER, choose: [{ when: "ahead", payload: "off" }] }]);
    const test = openTestLoop({ rules: RULES, days, clock, checkClock: "auto", ask: null, outputs });
    test.outputs({ kind: "connection opened", connection: 1, version: 5 });
    const pass = async (milliseconds: number) => {
      clock.at += milliseconds;
      clock.steady += milliseconds;
      test.loop.refresh();
      await settled();
    };
    // Five minutes are tolerated.
    await pass(4 * MINUTE);
    expect([test.payload("rules/ahead/state"), test.payload("service/problem_code")]).toEqual([
      "None",
      "clock",
    ]);
    await pass(MINUTE);
    await pass(15_000);
    expect([test.payload("rules/ahead/state"), test.payload("service/problem_code")]).toEqual(["ON", "none"]);
    expect(test.loop.view().sends).toMatchObject([{ payload: "off" }]);
  });
});

describe("the failure of a request", () => {
  /** A loop whose requests wait, and how to tell that one is tried again, or to answer it. */
  function open(days?: KnownDays) {
    let fail: (failure: string) => void = () => undefined;
    let answer: (reply: { answer: Answer; date: null; made_at: null; sent: null }) => void = () => undefined;
    const opened = openTestLoop({
      clock: { at: NOW },
      ...(days && { days }),
      ask: (_request, { post }) => {
        fail = (failure) => post?.({ kind: "tried", failure, isPause: false });
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    void opened.loop.poll({ essential: true, recheck: false });
    return {
      payload: opened.payload,
      fail: (failure: string) => fail(failure),
      answer: () => answer({ answer: forecasts, date: null, made_at: null, sent: null }),
    };
  }

  test("is on its topic while the first poll ever tries again", () => {
    const { payload, fail } = open();
    fail("No route");
    expect([payload("service/problem_code"), payload("service/last_error")]).toEqual(["service", "No route"]);
  });

  test("is over with the first answer, before the poll is", async () => {
    const { payload, fail, answer } = open();
    fail("No route");
    answer();
    await vi.waitFor(() => expect(payload("service/status")).toBe("ok"), 60_000);
    expect(payload("service/last_error")).toBe("None");
  });

  test("is no problem yet where the service answered before this start", () => {
    const { payload, fail } = open(learn(NO_KNOWN_DAYS, forecasts, NOW - HOUR, PARIS));
    fail("No route");
    expect([payload("service/status"), payload("service/last_error")]).toEqual(["ok", "None"]);
  });
});

describe("what is known of the days", () => {
  const later = (hours: number): Answer => ({ ...forecasts, updated_at: NOW + hours * HOUR });

  test("is written at once where a day is new, and every three hours if only the time of the forecasts is", async () => {
    const clock = { at: NOW };
    let answer: Answer = forecasts;
    const store = createMemoryStore(emptyState("test"));
    const { loop, days } = openTestLoop({
      store,
      clock,
      ask: async () => ({ answer, date: null, made_at: null, sent: null }),
    });
    const written = async () => {
      const before = store.writes();
      await loop.poll({ essential: true, recheck: false });
      return store.writes() > before;
    };
    expect(await written()).toBe(true);
    clock.at = NOW + 12 * HOUR;
    answer = later(0);
    expect(await written()).toBe(true);
    answer = later(2.9);
    expect(await written()).toBe(false);
    expect(days().updated_at).toBe(NOW + 2.9 * HOUR);
    answer = later(3);
    expect(await written()).toBe(true);
    answer = { ...forecasts, updated_at: NOW + 2 * HOUR, days: [{ ...rouge, color: "blanc" }] };
    expect(await written()).toBe(true);
    expect(store.state().books["test"]).toEqual(days());
  });
});

describe("the verdicts", () => {
  const open = (store = createMemoryStore(emptyState("test")), days = BLEU) => {
    const clock = { at: EVENING };
    const test = openTestLoop({ rules: RULES, store, days, clock });
    const refreshAt = (at: number) => {
      clock.at = at;
      test.loop.refresh();
      return test.loop.view().verdicts.map(({ state }) => state);
    };
    const turns = () => test.events.filter((event) => "rule" in event);
    return { ...test, refreshAt, turns };
  };

  test("are reported once for each change, and never when a rule is evaluated for the first time", () => {
    const { refreshAt, know, turns } = open();
    expect(refreshAt(EVENING)).toEqual([false, false]);
    expect(turns()).toEqual([]);
    know(ROUGE);
    expect(refreshAt(EVENING + 1000)).toEqual([true, true]);
    refreshAt(EVENING + 2000);
    expect(turns()).toEqual([
      { event_type: "rule_on", rule: "ahead", date: "2026-01-05", color: "rouge" },
      { event_type: "rule_on", rule: "week", date: "2026-01-05", color: "rouge" },
    ]);
  });

  test("and since when they hold are remembered over a restart", () => {
    const first = open(undefined, ROUGE);
    const second = open(createMemoryStore(parseState(serialiseState(first.store.state()))), ROUGE);
    second.refreshAt(EVENING + 60_000);
    expect(second.payload("rules/ahead/since")).toBe("2026-01-04T19:00:00Z");
    expect(second.turns()).toEqual([]);
  });

  test("that an answer turns are so since that answer, though a boundary has passed since the last turn", async () => {
    const clock = { at: NOW };
    const { loop, goTo, payload } = openTestLoop({
      clock,
      rules: rulesOptions.parse([{ id: "r", when: { ...NEXT_ROUGE, day: "now" } }]),
      days: knownDaysOf({ ...officialDays("2026-01-01", "2026-01-05"), "2026-01-06": forecast("bleu") }),
      ask: async () => ({ answer: forecasts, date: null, made_at: null, sent: null }),
    });
    goTo(NOW + 20 * HOUR);
    expect(payload("rules/r/state")).toBe("OFF");
    await loop.poll({ essential: true, recheck: false });
    expect([payload("rules/r/state"), payload("rules/r/since")]).toEqual(["ON", "2026-01-06T08:00:00Z"]);
  });

  test("are written only where one changed", () => {
    const store = createMemoryStore(emptyState("test"));
    const { refreshAt, loop } = open(store);
    const writes = store.writes();
    for (let second = 1; second < 10; second += 1) {
      refreshAt(EVENING + second * 1000);
      const view = loop.view();
      loop.post({ kind: "home assistant", status: null });
      expect(loop.view()).not.toBe(view);
    }
    expect(store.writes()).toBe(writes);
  });

  test("are neither remembered nor published while the clock is wrong, but the settings are", () => {
    const days = knownDaysOf({
      ...ROUGE.days,
      "2026-01-04": official("bleu", { first_said: EVENING + HOUR }),
    });
    const { loop, payload, store } = openTestLoop({
      rules: RULES,
      days,
      clock: { at: EVENING },
      checkClock: "auto",
    });
    expect(loop.view().verdicts).toEqual([]);
    expect(payload("rules/ahead/state")).toBe("None");
    expect(payload("rules/week/threshold")).toBe("60");
    expect(readRulesState(store.state().rules)).toEqual(NO_RULES_STATE);
  });

  test("follow the configuration where its owner edited a threshold that a command had moved", async () => {
    const first = open();
    await first.command({ kind: "threshold", rule: "week", threshold: 80 });
    expect(first.payload("rules/week/threshold")).toBe("80");
    const edited = RULES.map((rule) => (rule.id === "week" ? { ...rule, threshold: 70 } : rule));
    const second = openTestLoop({ rules: edited, store: first.store, clock: { at: EVENING } });
    expect(second.loop.known().kept.settings).toEqual({});
    expect(second.payload("rules/week/threshold")).toBe("70");
    expect(second.lines).toEqual([expect.stringContaining("changed in the configuration from 60")]);
    expect(first.store.state().settings).toEqual({});
  });

  test("for devices are given with and without the colour that is pretended, while it is", async () => {
    const clock = { at: EVENING };
    const { loop, config, command } = openTestLoop({ rules: RULES, days: BLEU, clock });
    const states = (which: keyof BothVerdicts) => {
      const evaluation = evaluate(loop.known(), { now: clock.at, steady: clock.at }, config);
      const both = verdictsFor(loop.known(), config, evaluation);
      return [...(both?.[which].verdicts.values() ?? [])].map(({ state }) => state);
    };
    await command({ kind: "simulation", request: { color: "rouge", from: "now", for: 60_000 } });
    expect([states("withSimulation"), states("withoutSimulation")]).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(loop.view().boundary.now).toBeLessThanOrEqual(EVENING + 60_000);
    clock.at = EVENING + 60_000;
    loop.refresh();
    expect(states("withSimulation")).toEqual([false, false]);
  });
});

describe("the verdicts without the colour that is pretended", () => {
  const START = EVENING + 10 * MINUTE;
  const SIMULATION = { color: "rouge", from: "now", for: 30 * MINUTE } as const;
  const NOW_OR_NEXT = { any: [{ day: "now", color: "rouge" }, NEXT_ROUGE] };
  const next = (color: Color) => knownDaysOf({ ...BLEU.days, "2026-01-05": forecast(color) });

  /** The real verdict at each minute, with a simulation or without, while the forecasts of the next day change. */
  const follow = async (
    rule: object,
    simulation: SimulationRequest | null,
    news: Record<number, Color> = {},
  ) => {
    const seen: (boolean | null | undefined)[] = [];
    const clock = { at: EVENING };
    const store = createMemoryStore(emptyState("test"));
    const { loop, command, know } = openTestLoop({
      store,
      rules: rulesOptions.parse([{ id: "r", ...rule }]),
      days: next("bleu"),
      clock,
    });
    for (let minute = 1; minute <= 240; minute += 1) {
      clock.at = EVENING + minute * MINUTE;
      if (clock.at === START) await command({ kind: "simulation", request: simulation });
      const color = news[minute];
      if (color) know(next(color));
      loop.refresh();
      seen.push(loop.view().real.verdicts.find(({ rule: { id } }) => id === "r")?.state);
    }
    return { seen, shown: loop.view().verdicts.map(({ state }) => state), writes: store.writes() };
  };

  test.each([
    ["begins before the simulation", "2h", { 5: "rouge", 20: "bleu" }],
    ["begins before the simulation, and ends during it", "30m", { 5: "rouge", 6: "bleu" }],
    ["begins during the simulation", "2h", { 15: "rouge", 25: "bleu", 50: "rouge", 60: "bleu" }],
    ["is needed after the simulation only", "2h", { 15: "rouge", 50: "bleu" }],
  ] as const)("keep a hold that %s", async (_, hold, news) => {
    const rule = { hold, when: NOW_OR_NEXT };
    const plain = await follow(rule, null, news);
    const simulated = await follow(rule, SIMULATION, news);
    expect(new Set(plain.seen)).toEqual(new Set([false, true]));
    expect(simulated.seen).toEqual(plain.seen);
    expect(simulated.shown).toEqual(plain.shown);
  });

  test("have nothing of it in their lag either", async () => {
    const rule = { lag: "1h", when: { day: "now", color: "rouge" } };
    expect(new Set((await follow(rule, SIMULATION)).seen)).toEqual(new Set([false]));
  });

  test("cost no write of their own", async () => {
    const rule = { hold: "2h", when: NOW_OR_NEXT };
    const [plain, simulated] = [await follow(rule, null), await follow(rule, SIMULATION)];
    // That of the command and of the verdict that it changes, and that of the end of both.
    expect(simulated.writes - plain.writes).toBe(2);
  });
});

test("what was sent to devices is kept in the state file, and is not sent again after a restart", async () => {
  const outputs = outputsOf([{ ...BOILER, choose: [{ when: "ahead", payload: "off" }] }]);
  const connected = async (store: ReturnType<typeof createMemoryStore>) => {
    const test = openTestLoop({ store, clock: { at: EVENING }, rules: RULES, days: ROUGE, outputs });
    test.outputs({ kind: "connection opened", connection: 1, version: 5 });
    await settled();
    return { ...test, sends: () => test.loop.view().sends };
  };
  const first = await connected(createMemoryStore(emptyState("test")));
  expect(first.sends()).toMatchObject([{ payload: "off", by: { topic: "boiler/set" } }]);
  for (const { number } of first.sends()) first.outputs({ kind: "acknowledged", number });
  await settled();
  const second = await connected(createMemoryStore(parseState(serialiseState(first.store.state()))));
  expect(second.loop.known().kept.outputs).toEqual(first.loop.known().kept.outputs);
  expect(second.loop.known().kept.outputs.devices["boiler/set"]).toMatchObject({ payload: "off" });
  expect(second.sends()).toEqual([]);
});
