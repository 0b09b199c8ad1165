import { describe, expect, test } from "vitest";
import { obey } from "../../src/app/handle-command.ts";
import { openRulebook } from "../../src/app/rulebook.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { FactsInput } from "../../src/core/facts/facts.ts";
import { type RuleTurn, turnEvent } from "../../src/core/rules/verdict-changes.ts";
import type { Command } from "../../src/mqtt/read-command.ts";
import { emptyState, parseState, serialiseState } from "../../src/state/state.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { createMemoryStore, GRACE } from "../support/season-vigie.ts";
import { PARIS } from "../support/tariff.ts";

const RULES = rulesOptions.parse([
  {
    id: "ahead",
    when: {
      any: [
        { day: "next", color: "rouge" },
        { day: "now", color: "rouge" },
      ],
    },
  },
  { id: "week", threshold: 60, when: { day: "next_7_days", color: "rouge", confidence: "threshold" } },
]);
const EVENING = Date.parse("2026-01-04T19:00:00Z");
const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
const ROUGE = knownDaysOf({ ...BLEU.days, "2026-01-05": official("rouge") });

function factsInputAt(at: number, knownDays = BLEU, right = true): FactsInput {
  const polls = {
    started_at: at,
    last_success: at,
    shown_success: at,
    shown_update: at,
    failure: null,
    simulated: false,
  };
  return { knownDays, polls, clock: { at, right }, late_after: "12:00" };
}

function openHouse(store = createMemoryStore(emptyState("test")), rules = RULES) {
  const turns: RuleTurn[] = [];
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const turned = (turn: RuleTurn) => void turns.push(turn);
  const log = { info: say, warn: say };
  const rulebook = openRulebook({ rules, tariff: PARIS, grace: GRACE, store, log, turned });
  const count = { asked: 0, refreshed: 0 };
  let known = factsInputAt(EVENING);
  const states = (next = known, telling = true) => {
    known = next;
    return rulebook.read(next, telling).verdicts.map(({ state }) => state);
  };
  const give = (command: Command) => {
    const refresh = () => {
      count.refreshed += 1;
    };
    const ask = () => {
      count.asked += 1;
    };
    const cycle = { refresh, seen: () => ({ known }) as never };
    return obey("x/set", command, { rules, rulebook, cycle, log, ask });
  };
  return { store, rulebook, turns, lines, states, give, count };
}

describe("the rulebook", () => {
  test("tells of each turn once, and of none when a rule is asked for the first time", () => {
    const { states, turns } = openHouse();
    expect(states()).toEqual([false, false]);
    expect(turns).toEqual([]);
    expect(states(factsInputAt(EVENING + 1000, ROUGE))).toEqual([true, true]);
    states(factsInputAt(EVENING + 2000, ROUGE));
    expect(turns.map(turnEvent)).toEqual([
      { event_type: "rule_on", rule: "ahead", date: "2026-01-05", color: "rouge" },
      { event_type: "rule_on", rule: "week", date: "2026-01-05", color: "rouge" },
    ]);
  });

  test("remembers over a restart what a rule said and since when", () => {
    const first = openHouse();
    first.states(factsInputAt(EVENING, ROUGE));
    const second = openHouse(createMemoryStore(parseState(serialiseState(first.store.state()))));
    const { topics } = second.rulebook.read(factsInputAt(EVENING + 60_000, ROUGE), true);
    expect(new Map(topics).get("rules/ahead/since")?.payload).toBe("2026-01-04T19:00:00Z");
    expect(second.turns).toEqual([]);
  });

  test("writes only what changed", () => {
    const { store, states } = openHouse();
    states();
    const writes = store.writes();
    for (let second = 1; second < 10; second += 1) states(factsInputAt(EVENING + second * 1000));
    expect(store.writes()).toBe(writes);
  });

  test("remembers and says nothing while the clock is wrong, but the settings", () => {
    const { store, rulebook } = openHouse();
    const { verdicts, topics, turn } = rulebook.read(factsInputAt(EVENING, ROUGE, false), true);
    expect(verdicts).toEqual([]);
    expect(turn).toBe(Number.POSITIVE_INFINITY);
    expect(new Map(topics).get("rules/ahead/state")?.payload).toBe("None");
    expect(new Map(topics).get("rules/week/threshold")?.payload).toBe("60");
    expect(store.writes()).toBe(0);
  });

  test("forgets a moved threshold when its owner edits the configuration, and says so", async () => {
    const first = openHouse();
    await first.give({ kind: "threshold", rule: "week", threshold: 80 });
    const edited = RULES.map((rule) => (rule.id === "week" ? { ...rule, threshold: 70 } : rule));
    const second = openHouse(first.store, edited);
    expect(second.rulebook.settings()).toEqual({});
    expect(second.lines).toEqual([expect.stringContaining("changed in the configuration from 60")]);
    expect(first.store.state().settings).toEqual({});
  });
});

describe("a command", () => {
  test("switches a rule off over a restart", async () => {
    const { give, store, states } = openHouse();
    await give({ kind: "enabled", rule: "ahead", enabled: false });
    expect(states(factsInputAt(EVENING, ROUGE))).toEqual([false, true]);
    expect(openHouse(store).states(factsInputAt(EVENING, ROUGE))).toEqual([false, true]);
  });

  test("pretends a colour for a while, and the truth goes on beneath it", async () => {
    const { give, rulebook, states } = openHouse();
    states();
    await give({ kind: "simulation", wish: { color: "rouge", from: "now", for: 60_000 } });
    expect(states(factsInputAt(EVENING + 1000))).toEqual([true, false]);
    expect(rulebook.truth(factsInputAt(EVENING + 1000))?.verdicts.map(({ state }) => state)).toEqual([
      false,
      false,
    ]);
    expect(rulebook.read(factsInputAt(EVENING + 1000), true).turn).toBeLessThanOrEqual(EVENING + 60_000);
    expect(states(factsInputAt(EVENING + 60_000))).toEqual([false, false]);
    expect(rulebook.truth(factsInputAt(EVENING + 60_000))).toBeUndefined();
  });

  test("is confirmed and takes effect once it is saved, and the next one counts on it before", async () => {
    const store = createMemoryStore(emptyState("test"));
    const saved: (() => void)[] = [];
    const save: typeof store.save = (state) => {
      void store.save(state);
      return new Promise((resolve) => saved.push(resolve));
    };
    const { give, rulebook, states, lines, count } = openHouse({ ...store, save });
    states(factsInputAt(EVENING, ROUGE));
    const given = [
      give({ kind: "enabled", rule: "ahead", enabled: false }),
      give({ kind: "enabled", rule: "week", enabled: false }),
    ];
    expect(rulebook.settings()).toEqual(store.state().settings);
    expect(Object.keys(rulebook.settings())).toEqual(["ahead", "week"]);
    expect(states(factsInputAt(EVENING + 1000, ROUGE))).toEqual([true, true]);
    expect([lines, count.refreshed]).toEqual([[], 0]);
    for (const end of saved) end();
    await Promise.all(given);
    expect(states(factsInputAt(EVENING + 2000, ROUGE))).toEqual([false, false]);
    expect([lines.length, count.refreshed]).toEqual([2, 2]);
  });

  test("ends the pretended colour with auto", async () => {
    const { give, store, rulebook } = openHouse();
    await give({ kind: "simulation", wish: { color: "rouge", from: "now", for: 60_000 } });
    expect(store.state().simulation).not.toBeNull();
    await give({ kind: "simulation", wish: null });
    expect(rulebook.simulation()).toBeNull();
    expect(openHouse(store).rulebook.simulation()).toBeNull();
  });

  test("for a rule that is not there, or a threshold that is not, changes nothing and is said", async () => {
    const { give, lines, rulebook, count } = openHouse();
    await give({ kind: "enabled", rule: "gone", enabled: false });
    await give({ kind: "threshold", rule: "ahead", threshold: 10 });
    expect(rulebook.settings()).toEqual({});
    expect(lines).toEqual([
      "x/set: there is no rule gone in the configuration",
      "x/set: ahead has no threshold that could be moved",
    ]);
    expect(count).toEqual({ asked: 0, refreshed: 0 });
  });

  test("asks the service where it says refresh", async () => {
    const { give, count } = openHouse();
    await give({ kind: "refresh" });
    expect(count).toEqual({ asked: 1, refreshed: 0 });
  });
});
