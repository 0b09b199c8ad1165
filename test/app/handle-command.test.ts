import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCommandHandler, handleCommand } from "../../src/app/handle-command.ts";
import type { Command } from "../../src/mqtt/read-command.ts";
import { emptyState } from "../../src/state/state.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";

const EVENING = Date.parse("2026-01-04T19:00:00Z");
const ROUGE = knownDaysOf({ ...officialDays("2026-01-01", "2026-01-12"), "2026-01-05": official("rouge") });

function open(store = createMemoryStore(emptyState("test")), days = ROUGE) {
  const loop = openTestLoop({ rules: RULES, store, days, clock: { at: EVENING } });
  const count = { polls: 0 };
  const poll = () => {
    count.polls += 1;
  };
  const give = (command: Command) =>
    handleCommand("x/set", command, { ...loop, rules: RULES, tariff: PARIS, poll });
  const states = () => loop.loop.snapshot().verdicts.map(({ state }) => state);
  return { ...loop, give, states, count };
}

describe("a command", () => {
  test("disables a rule, also over a restart", async () => {
    const { give, store, states } = open();
    expect(states()).toEqual([true, true]);
    await give({ kind: "enabled", rule: "ahead", enabled: false });
    expect(states()).toEqual([false, true]);
    expect(open(createMemoryStore(store.state())).states()).toEqual([false, true]);
  });

  test("pretends a colour, and ends it with auto, also over a restart", async () => {
    const days = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
    const { give, store, states, lines } = open(undefined, days);
    await give({ kind: "simulation", request: { color: "rouge", from: "now", for: 60_000 } });
    expect(states()).toEqual([true, false]);
    expect(lines).toEqual([
      "x/set: rouge is pretended for the tariff day 2026-01-04, until 2026-01-04 20:01",
    ]);
    await give({ kind: "simulation", request: null });
    expect(states()).toEqual([false, false]);
    expect(open(createMemoryStore(store.state()), days).memory.simulation()).toBeNull();
  });

  test("is logged and takes effect once it is saved, and the next one counts on it before", async () => {
    const store = createMemoryStore(emptyState("test"));
    const saved: (() => void)[] = [];
    const save: typeof store.save = (state) => {
      void store.save(state);
      return new Promise((resolve) => saved.push(resolve));
    };
    const { give, states, lines } = open({ ...store, save });
    const given = [
      give({ kind: "enabled", rule: "ahead", enabled: false }),
      give({ kind: "enabled", rule: "week", enabled: false }),
    ];
    expect(Object.keys(store.state().settings ?? {})).toEqual(["ahead", "week"]);
    expect(states()).toEqual([true, true]);
    expect(lines).toEqual([]);
    for (const end of saved) end();
    await Promise.all(given);
    expect(states()).toEqual([false, false]);
    expect(lines).toEqual(["x/set: rule ahead is disabled now", "x/set: rule week is disabled now"]);
  });

  test("for a rule or a threshold that does not exist changes nothing, and the log says so", async () => {
    const { give, lines, memory, count } = open();
    await give({ kind: "enabled", rule: "gone", enabled: false });
    await give({ kind: "threshold", rule: "ahead", threshold: 10 });
    expect(memory.settings()).toEqual({});
    expect(lines).toEqual([
      "x/set: there is no rule gone in the configuration",
      "x/set: rule ahead has no threshold in the configuration, so there is none to move",
    ]);
    expect(count.polls).toBe(0);
  });

  test("leaves nothing in memory when it is done", async () => {
    const { loop, memory, log } = open();
    const handler = createCommandHandler({
      rules: RULES,
      tariff: PARIS,
      memory,
      loop,
      log,
      poll: () => undefined,
    });
    const addResultOf = vi.spyOn(Promise, "all");
    onTestFinished(() => addResultOf.mockRestore());
    for (let count = 0; count < 3; count += 1) handler.onCommand("x/set", { kind: "poll" });
    const results = await Promise.all(addResultOf.mock.results.map(({ value }) => value));
    await handler.stop();
    expect(results).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("polls the service where it is refresh", async () => {
    const { give, count } = open();
    await give({ kind: "poll" });
    expect(count.polls).toBe(1);
  });
});
