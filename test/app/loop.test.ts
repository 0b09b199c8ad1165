import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/core/contract/answer.ts";
import { NO_KNOWN_DAYS } from "../../src/core/days/known-days.ts";
import { learn } from "../../src/core/days/learn.ts";
import type { VerdictsAndFacts } from "../../src/core/outputs/choose-outputs.ts";
import { verdictChangeEvent } from "../../src/core/rules/verdict-changes.ts";
import { emptyState, parseState, serialiseState } from "../../src/state/state.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { stateAfter } from "../support/outputs.ts";
import { createMemoryStore } from "../support/season-vigie.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const EVENING = Date.parse("2026-01-04T19:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const ROUGE = knownDaysOf({ ...BLEU.days, "2026-01-05": official("rouge") });

const forecasts: Answer = {
  kind: "forecasts",
  updated_at: NOW - 3 * HOUR,
  days: [
    {
      date: "2026-01-06",
      color: "rouge",
      raw: "rouge",
      confidence: 0.8,
      source: null,
      explanation: null,
      rates: { hp: null, hc: null },
    },
  ],
};

describe("when the service answered last", () => {
  /** A loop that starts with days learnt two hours ago. */
  const restarted = (clock: { at: number }) =>
    openTestLoop({
      clock,
      days: learn(NO_KNOWN_DAYS, forecasts, clock.at - 2 * HOUR, PARIS),
      ask: async () => ({ answer: forecasts, date: null }),
    });
  const poll = () => ({ signal: new AbortController().signal, essential: true, confirm: false });

  test("is published anew at the first answer after a start, also soon after the last one before it", async () => {
    const { loop, payload } = restarted({ at: NOW });
    expect(payload("service/last_success")).toBe("2026-01-05T10:00:00Z");
    await loop.poll(poll());
    expect(payload("service/last_success")).toBe("2026-01-05T12:00:00Z");
  });

  test("then moves seldom while nothing is new: the status shows that all is well", async () => {
    const clock = { at: NOW };
    const { loop, payload } = restarted(clock);
    const shown = new Set<string | undefined>();
    for (let hour = 0; hour < 24; hour += 1) {
      await loop.poll(poll());
      shown.add(payload("service/last_success"));
      clock.at += HOUR;
    }
    expect(shown.size).toBe(6);
  });
});

describe("the verdicts", () => {
  const open = (store = createMemoryStore(emptyState("test")), days = BLEU) => {
    const clock = { at: EVENING };
    const test = openTestLoop({ rules: RULES, store, days, clock });
    const refreshAt = (at: number) => {
      clock.at = at;
      test.loop.refresh();
      return test.loop.snapshot().verdicts.map(({ state }) => state);
    };
    return { ...test, refreshAt };
  };

  test("are reported once for each change, and never when a rule is evaluated for the first time", () => {
    const { refreshAt, know, changes } = open();
    expect(refreshAt(EVENING)).toEqual([false, false]);
    expect(changes).toEqual([]);
    know(ROUGE);
    expect(refreshAt(EVENING + 1000)).toEqual([true, true]);
    refreshAt(EVENING + 2000);
    expect(changes.map(verdictChangeEvent)).toEqual([
      { event_type: "rule_on", rule: "ahead", date: "2026-01-05", color: "rouge" },
      { event_type: "rule_on", rule: "week", date: "2026-01-05", color: "rouge" },
    ]);
  });

  test("and since when they hold are remembered over a restart", () => {
    const first = open(undefined, ROUGE);
    const second = open(createMemoryStore(parseState(serialiseState(first.store.state()))), ROUGE);
    second.refreshAt(EVENING + 60_000);
    expect(second.payload("rules/ahead/since")).toBe("2026-01-04T19:00:00Z");
    expect(second.changes).toEqual([]);
  });

  test("are written only where one changed", () => {
    const store = createMemoryStore(emptyState("test"));
    const { refreshAt } = open(store);
    const writes = store.writes();
    for (let second = 1; second < 10; second += 1) refreshAt(EVENING + second * 1000);
    expect(store.writes()).toBe(writes);
  });

  test("are neither remembered nor published while the clock is wrong, but the settings are", () => {
    const days = knownDaysOf({ ...ROUGE.days, "2026-01-04": official("bleu", { seen_at: EVENING + HOUR }) });
    const { loop, payload, store } = openTestLoop({
      rules: RULES,
      days,
      clock: { at: EVENING },
      checkClock: "auto",
    });
    expect(loop.snapshot().verdicts).toEqual([]);
    expect(payload("rules/ahead/state")).toBe("None");
    expect(payload("rules/week/threshold")).toBe("60");
    expect(store.state().rules).toBeUndefined();
  });

  test("follow the configuration where its owner edited a threshold that a command had moved", async () => {
    const first = open();
    await first.memory.changeSettings(() => ({
      week: { enabled: true, threshold: { value: 80, configured: 60 } },
    }));
    const edited = RULES.map((rule) => (rule.id === "week" ? { ...rule, threshold: 70 } : rule));
    const second = openTestLoop({ rules: edited, store: first.store, clock: { at: EVENING } });
    expect(second.memory.settings()).toEqual({});
    expect(second.payload("rules/week/threshold")).toBe("70");
    expect(second.lines).toEqual([expect.stringContaining("changed in the configuration from 60")]);
    expect(first.store.state().settings).toEqual({});
  });

  test("for devices are given with and without the colour that is pretended, while it is", async () => {
    const seen: { shown: VerdictsAndFacts; truth: VerdictsAndFacts }[] = [];
    const clock = { at: EVENING };
    const { loop, memory } = openTestLoop({
      rules: RULES,
      days: BLEU,
      clock,
      devices: { update: (shown, truth) => void seen.push({ shown, truth }) },
    });
    const states = (which: "shown" | "truth") =>
      [...(seen.at(-1)?.[which].verdicts.values() ?? [])].map(({ state }) => state);
    await memory.changeSimulation({
      color: "rouge",
      from: "now",
      date: "2026-01-04",
      begun: EVENING,
      until: EVENING + 60_000,
    });
    loop.refresh();
    expect([states("shown"), states("truth")]).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(loop.snapshot().boundary).toBeLessThanOrEqual(EVENING + 60_000);
    clock.at = EVENING + 60_000;
    loop.refresh();
    expect(states("shown")).toEqual([false, false]);
  });
});

test("what was sent to devices is kept in the state file", async () => {
  const first = openTestLoop({ clock: { at: EVENING } });
  await first.memory.keepOutputs(stateAfter({ t: "off" }));
  const store = createMemoryStore(parseState(serialiseState(first.store.state())));
  expect(openTestLoop({ store, clock: { at: EVENING } }).memory.outputs()).toEqual(stateAfter({ t: "off" }));
});
