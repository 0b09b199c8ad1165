import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { Command } from "../../src/core/loop/command.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { collectCommands } from "../../src/mqtt/collect-commands.ts";
import { BudgetSpent, ServiceUnreachable } from "../../src/service/service-errors.ts";
import { emptyState } from "../../src/state/state.ts";
import { forecastsAnswer } from "../support/answers.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { openTestLoop, RULES, settled, type TestLoopOptions } from "../support/test-loop.ts";

const EVENING = Date.parse("2026-01-04T19:00:00Z");
const ROUGE = knownDaysOf({ ...officialDays("2026-01-01", "2026-01-12"), "2026-01-05": official("rouge") });

function open(
  store: TestLoopOptions["store"] = createMemoryStore(emptyState("test")),
  days: TestLoopOptions["days"] = ROUGE,
  clock = { at: EVENING },
  more: Partial<TestLoopOptions> = {},
) {
  const test = openTestLoop({ rules: RULES, store, ...(days && { days }), clock, ...more });
  /** Those that come in these turns of the event loop are collected as they are in life. */
  const collector = collectCommands({ after: () => () => undefined }, test.loop.post);
  const states = () => test.loop.view().verdicts.map(({ state }) => state);
  const settings = () => test.loop.known().kept.settings;
  return { ...test, store, collector, give: test.command, states, settings };
}

/** With the state file of a run before. */
const restarted = ({ store }: Pick<ReturnType<typeof open>, "store">, clock = { at: EVENING }) =>
  open(createMemoryStore(store.state()), undefined, clock);

const askOfficial: NonNullable<TestLoopOptions["askOfficial"]> = async () => ({
  answer: { kind: "light", words: [{ date: "2026-01-04", color: "bleu" }] },
  date: null,
  made_at: null,
  sent: null,
});

describe("a command", () => {
  const REPLY = { answer: forecastsAnswer(null), date: null, made_at: null, sent: null };
  const AWAY = new ServiceUnreachable(FORECAST_SERVICE, "GET /v1/public", "example.org", "no route");
  test.each<[string, NonNullable<TestLoopOptions["ask"]>, string]>([
    ["answers", async () => REPLY, "x/set: the forecast service has answered"],
    ["fails", () => Promise.reject(AWAY), `x/set: ${AWAY.message}`],
    [
      "answers one request of several",
      async ({ kind }) => (kind === "forecasts" ? REPLY : Promise.reject(new Error("No history"))),
      "x/set: No history",
    ],
    [
      "may be sent nothing any more today",
      () => Promise.reject(new BudgetSpent("GET /v1/public", 150)),
      "x/set: nothing was sent to the forecast service, as the requests of today are used up",
    ],
  ])("to poll logs what came of it, of each source: the service %s", async (_, ask, line) => {
    const { give, lines } = open(undefined, undefined, undefined, { ask, askOfficial });
    await give({ kind: "poll" });
    const [first, ...more] = lines.filter((said) => said.startsWith("x/set"));
    expect(first).toBe("x/set: vigie asks its sources as soon as its limits of requests allow it");
    expect(more.toSorted()).toEqual([line, "x/set: the official source has answered"].toSorted());
  });

  test("that waits for its half second is carried out and saved once when vigie stops", async () => {
    const { collector, lines, settings, store } = open();
    collector.add("x/set", { kind: "enabled", rule: "ahead", enabled: false });
    await settled();
    collector.add("x/set", { kind: "enabled", rule: "ahead", enabled: true });
    collector.add("y/set", { kind: "threshold", rule: "week", threshold: 80 });
    await settled();
    expect(settings()).toMatchObject({ ahead: { enabled: false } });
    collector.flush();
    collector.flush();
    await settled();
    const after = restarted({ store });
    expect(after.states()).toEqual([true, true]);
    expect(after.payload("rules/week/threshold")).toBe("80");
    expect(lines.filter((line) => line.startsWith("y/set"))).toHaveLength(1);
  });

  test("disables a rule, also over a restart", async () => {
    const { give, store, states } = open();
    expect(states()).toEqual([true, true]);
    await give({ kind: "enabled", rule: "ahead", enabled: false });
    expect(states()).toEqual([false, true]);
    expect(restarted({ store }).states()).toEqual([false, true]);
  });

  describe("for a time", () => {
    const ENABLED_AGAIN = "Rule ahead is enabled again: the time for which a command had disabled it is over";
    /** The lines that are about commands. */
    const ofSettings = (lines: readonly string[]) =>
      lines.filter((line) => line.startsWith("x/set") || line.includes("again"));
    const HOUR = 3_600_000;
    const GUESTS: Command = { kind: "enabled", rule: "ahead", enabled: false, for: 12 * HOUR };

    test("disables a rule until its end, for which the loop wakes", async () => {
      const clock = { at: EVENING };
      const { give, loop, states, lines, payload, settings } = open(undefined, undefined, clock);
      clock.at += 90_000;
      const end = clock.at + 12 * HOUR;
      await give(GUESTS);
      expect(states()).toEqual([false, true]);
      expect(lines.splice(0)).toContain(
        "x/set: rule ahead is disabled until 2026-01-05 08:01, then enabled again",
      );
      expect(payload("rules/ahead/enabled")).toBe("OFF");
      expect(payload("rules/ahead/next_on")).toBe("2026-01-05T07:01:30Z");
      expect(JSON.parse(payload("rules/ahead") ?? "")).toMatchObject({
        enabled_until: "2026-01-05T07:01:30Z",
        because: ["disabled until 2026-01-05 08:01"],
      });
      // Each boundary until then, as the loop wakes.
      while (loop.view().boundary.now < end) {
        clock.at = loop.view().boundary.now;
        loop.refresh();
        expect(states()[0]).toBe(false);
      }
      expect(loop.view().boundary.now).toBe(end);
      clock.at = end;
      loop.refresh();
      expect(states()[0]).toBe(true);
      expect(payload("rules/ahead/enabled")).toBe("ON");
      expect(payload("rules/ahead/since")).toBe("2026-01-05T07:01:30Z");
      expect(JSON.parse(payload("rules/ahead") ?? "")).not.toHaveProperty("enabled_until");
      loop.refresh();
      expect(ofSettings(lines)).toEqual([ENABLED_AGAIN]);
      expect(settings()).toMatchObject({ ahead: { enabled: true, meanwhile: { isOver: true } } });
    });

    test("goes on over a restart, and its end takes effect at a start that comes after it", async () => {
      const first = open();
      await first.give(GUESTS);
      const later = restarted(first, { at: EVENING + HOUR });
      expect(later.states()).toEqual([false, true]);
      expect(ofSettings(later.lines)).toEqual([]);
      const after = restarted(later, { at: EVENING + 13 * HOUR });
      expect(after.states()[0]).toBe(true);
      expect(after.payload("rules/ahead/since")).toBe("2026-01-05T07:00:00Z");
      expect(ofSettings(after.lines)).toEqual([ENABLED_AGAIN]);
      expect(ofSettings(restarted(after, { at: EVENING + 14 * HOUR }).lines)).toEqual([]);
    });

    test("ends with the next command", async () => {
      const { give, payload, states } = open();
      await give(GUESTS);
      await give({ kind: "enabled", rule: "ahead", enabled: true });
      expect([states()[0], payload("rules/ahead/enabled")]).toEqual([true, "ON"]);
      await give(GUESTS);
      await give({ kind: "enabled", rule: "ahead", enabled: false });
      expect(payload("rules/ahead/next_on")).toBe("None");
      expect(JSON.parse(payload("rules/ahead") ?? "").because).toEqual(["disabled"]);
    });

    test("enables a rule, which is disabled again at the end", async () => {
      const clock = { at: EVENING };
      const { give, loop, lines, payload } = open(undefined, undefined, clock);
      await give({ kind: "enabled", rule: "ahead", enabled: false });
      await give({ kind: "enabled", rule: "ahead", enabled: true, for: HOUR });
      expect(payload("rules/ahead/next_off")).toBe("2026-01-04T20:00:00Z");
      expect(ofSettings(lines)[1]).toBe(
        "x/set: rule ahead is enabled until 2026-01-04 21:00, then disabled again",
      );
      clock.at += HOUR;
      loop.refresh();
      expect([payload("rules/ahead/enabled"), payload("rules/ahead/state")]).toEqual(["OFF", "OFF"]);
      expect(payload("rules/ahead/since")).toBe("2026-01-04T20:00:00Z");
    });

    test("leaves a rule enabled that was enabled already", async () => {
      const clock = { at: EVENING };
      const { give, loop, lines, payload } = open(undefined, undefined, clock);
      await give({ kind: "enabled", rule: "ahead", enabled: true, for: HOUR });
      expect(ofSettings(lines)).toEqual([
        "x/set: rule ahead is enabled now, and stays so: no command had disabled it before",
      ]);
      clock.at += HOUR;
      loop.refresh();
      expect(payload("rules/ahead/enabled")).toBe("ON");
    });

    test("counts from the true time while the clock is known to be wrong, and ends when the clock is right", async () => {
      const clock = { at: EVENING };
      const seen_at = EVENING + HOUR;
      const days = knownDaysOf({ ...ROUGE.days, "2026-01-04": official("bleu", { first_said: seen_at }) });
      const { give, loop, lines, states } = open(undefined, days, clock, { checkClock: "auto" });
      await give({ kind: "enabled", rule: "ahead", enabled: false, for: HOUR });
      expect(ofSettings(lines)).toEqual([
        "x/set: rule ahead is disabled until 2026-01-04 22:00, then enabled again",
      ]);
      clock.at = seen_at + HOUR - 1;
      loop.refresh();
      expect(states()[0]).toBe(false);
      clock.at += 1;
      loop.refresh();
      expect(states()[0]).toBe(true);
    });

    test.each([
      ["2026-03-28T21:00:00Z", "2026-03-29 11:00", "2026-03-29T09:00:00Z"],
      ["2026-10-24T20:00:00Z", "2026-10-25 09:00", "2026-10-25T08:00:00Z"],
    ])("lasts 12 hours also in the night in which the clocks are moved, from %s", async (at, local, end) => {
      const days = knownDaysOf(officialDays(at.slice(0, 10), `${at.slice(0, 8)}31`));
      const { give, lines, payload } = open(undefined, days, { at: Date.parse(at) });
      await give(GUESTS);
      expect(ofSettings(lines)).toEqual([`x/set: rule ahead is disabled until ${local}, then enabled again`]);
      expect(JSON.parse(payload("rules/ahead") ?? "").enabled_until).toBe(end);
    });
  });

  test("pretends a colour, and ends it with auto, also over a restart", async () => {
    const days = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
    const { give, store, states, lines, payload } = open(undefined, days);
    await give({ kind: "simulation", request: { color: "rouge", from: "now", for: 60_000 } });
    expect(states()).toEqual([true, false]);
    expect(lines).toContain(
      "x/set: rouge is pretended for the tariff day 2026-01-04, until 2026-01-04 20:01",
    );
    expect(restarted({ store }).payload("now/color")).toBe("rouge");
    await give({ kind: "simulation", request: null });
    expect([states(), payload("now/color")]).toEqual([[false, false], "bleu"]);
    expect(lines).toContain("x/set: no colour is pretended any more");
    expect(restarted({ store }).loop.known().kept.simulation).toBeNull();
  });

  test("that pretends a colour turns a rule with a lead from then on, and not from its lead before", async () => {
    const rules = rulesOptions.parse([{ id: "early", lead: "5m", when: { day: "now", color: "rouge" } }]);
    const clock = { at: EVENING };
    const days = knownDaysOf(officialDays("2026-01-01", "2026-01-12"));
    const { command, payload } = openTestLoop({ rules, days, clock });
    clock.at += 10 * 60_000;
    await command({ kind: "simulation", request: { color: "rouge", from: "now", for: 3_600_000 } });
    expect([payload("rules/early/state"), payload("rules/early/since")]).toEqual([
      "ON",
      "2026-01-04T19:10:00Z",
    ]);
  });

  test("that pretends a colour by a clock that was days ahead does not begin once more when that day comes", async () => {
    const DAY = 24 * 3_600_000;
    const clock = { at: EVENING + 2 * DAY, steady: 0 };
    const { give, loop, payload, lines, store } = open(undefined, undefined, clock);
    await give({ kind: "simulation", request: { color: "bleu", from: "now", for: 3_600_000 } });
    expect(payload("simulation/color")).toBe("bleu");
    clock.at = EVENING;
    loop.refresh();
    expect(payload("simulation/color")).toBe("auto");
    expect(lines).toContain(
      "The simulation has ended: bleu is not pretended any more for the tariff day 2026-01-06",
    );
    await settled();
    clock.at = EVENING + 2 * DAY + 60_000;
    loop.refresh();
    expect(payload("simulation/color")).toBe("auto");
    expect(restarted({ store }, clock).payload("simulation/color")).toBe("auto");
  });

  test("that pretends a colour ends with its day also if the state file says that it lasts longer", () => {
    const simulation = { color: "rouge", from: "now", date: "2026-01-04", begun: EVENING } as const;
    const day = 24 * 3_600_000;
    const store = createMemoryStore({
      ...emptyState("test"),
      simulation: { ...simulation, until: EVENING + day },
    });
    const clock = { at: EVENING };
    const { loop, payload } = restarted({ store }, clock);
    expect(JSON.parse(payload("simulation") ?? "")).toMatchObject({ until: "2026-01-05T05:00:00Z" });
    clock.at = EVENING + day / 2;
    loop.refresh();
    expect(payload("simulation/color")).toBe("auto");
  });

  test("is in force, logged and given to the disk at once, also while the disk hangs", async () => {
    const store = createMemoryStore(emptyState("test"));
    const save: typeof store.save = (state) => {
      void store.save(state);
      return new Promise(() => undefined);
    };
    const { give, states, lines } = open({ ...store, save });
    await give({ kind: "enabled", rule: "ahead", enabled: false });
    expect(states()).toEqual([false, true]);
    await give({ kind: "enabled", rule: "week", enabled: false });
    expect(states()).toEqual([false, false]);
    expect(lines).toEqual([
      "x/set: rule ahead is disabled now",
      "Rule ahead is OFF: disabled",
      "x/set: rule week is disabled now",
      "Rule week is OFF: disabled",
    ]);
    expect(Object.keys(store.state().settings ?? {})).toEqual(["ahead", "week"]);
  });

  test.each<[string, Command, object]>([
    ["a threshold", { kind: "threshold", rule: "week", threshold: 59 }, { settings: { week: {} } }],
    ["a rule", { kind: "enabled", rule: "ahead", enabled: false }, { settings: { ahead: {} } }],
    [
      "a colour",
      { kind: "simulation", request: { color: "bleu", from: "now", for: 3_600_000 } },
      { simulation: { color: "bleu" } },
    ],
  ])("for %s is given to the disk at once, also if it turns no rule", async (_, command, expected) => {
    const store = createMemoryStore(emptyState("test"));
    const { give, states } = open(store, knownDaysOf(officialDays("2026-01-01", "2026-01-12")));
    const before = states();
    const writes = store.writes();
    await give(command);
    expect(states()).toEqual(before);
    expect(store.state()).toMatchObject(expected);
    expect(store.writes()).toBe(writes + 1);
  });

  test("that comes during a reload is carried out once that has ended", async () => {
    const { give, loop, config, settings } = open();
    const known = loop.pause();
    await give({ kind: "threshold", rule: "week", threshold: 59 });
    expect(settings()).toEqual({});
    loop.begin({
      config,
      known,
      said: saidAtStart(known.kept),
      sinks: [],
      say: () => undefined,
    });
    expect(settings()).toMatchObject({ week: { threshold: { value: 59 } } });
  });

  test("for a rule or a threshold that does not exist changes nothing, and the log says so", async () => {
    const asked: string[] = [];
    const { give, lines, settings } = open(undefined, undefined, undefined, {
      ask: async ({ kind }) => {
        asked.push(kind);
        return REPLY;
      },
    });
    await give({ kind: "enabled", rule: "gone", enabled: false });
    await give({ kind: "threshold", rule: "ahead", threshold: 10 });
    expect(settings()).toEqual({});
    expect(lines).toEqual([
      "x/set: there is no rule gone in the configuration",
      "x/set: rule ahead has no threshold in the configuration, so there is none to move",
    ]);
    expect(asked).toEqual([]);
  });

  test.each([
    ["in one turn of the event loop", async () => undefined],
    ["while those before are saved", settled],
  ])(
    "among 2000 that come %s: of each topic the newest counts, with few refreshes and writes",
    async (_, pause) => {
      const store = createMemoryStore(emptyState("test"));
      let [views, polls] = [0, 0];
      const { collector, settings, lines, states } = open(store, undefined, undefined, {
        sinks: [
          {
            name: "views",
            show: () => {
              views += 1;
            },
          },
        ],
        ask: async ({ kind }) => {
          if (kind === "forecasts") polls += 1;
          return REPLY;
        },
      });
      for (let number = 0; number < 2_000; number += 1) {
        const threshold = number === 1_999 ? 42 : number % 100;
        collector.add("rules/week/threshold/set", { kind: "threshold", rule: "week", threshold });
        collector.add("rules/ahead/enabled/set", {
          kind: "enabled",
          rule: "ahead",
          enabled: number % 2 === 0,
        });
        collector.add("refresh/set", { kind: "poll" });
        if (number % 10 === 0) await pause();
      }
      collector.flush();
      await settled();
      expect(settings()).toMatchObject({ ahead: { enabled: false }, week: { threshold: { value: 42 } } });
      expect(states()[0]).toBe(false);
      expect(views).toBeLessThan(40);
      expect(store.writes()).toBeLessThan(40);
      expect(lines.length).toBeLessThan(60);
      expect(polls).toBeLessThan(10);
    },
  );

  test("that are too many for the log are counted there after a minute", async () => {
    const { collector, lines, runTimers } = open();
    for (let number = 0; number < 30; number += 1)
      collector.add(`x${number}/set`, { kind: "enabled", rule: `gone${number}`, enabled: true });
    await settled();
    expect(lines).toHaveLength(10);
    runTimers();
    expect(lines.slice(10)).toEqual(["20 more such lines were left out within a minute"]);
  });

  test("before one for a time is not forgotten: it counts again when that is over", async () => {
    const { collector, settings } = open();
    for (const more of [{ enabled: false }, { enabled: true, for: 1_000 }, { enabled: true, for: 2_000 }])
      collector.add("x/set", { kind: "enabled", rule: "ahead", ...more });
    await settled();
    const meanwhile = { enabled: true, from: EVENING, until: EVENING + 2_000 };
    expect(settings()).toMatchObject({ ahead: { enabled: false, meanwhile } });
  });

  test("ends one for a time that came before it in the same turn", async () => {
    const { collector, settings } = open();
    for (const more of [{ enabled: false, for: 1_000 }, { enabled: true }])
      collector.add("x/set", { kind: "enabled", rule: "ahead", ...more });
    await settled();
    expect(settings()).toEqual({});
  });
});

test("commands that come while others wait are posted half a second later, the newest of each topic", async () => {
  const posted: Command[][] = [];
  let timer: { milliseconds: number; run: () => void } | null = null;
  const next = () => {
    const due = timer;
    timer = null;
    due?.run();
    return due?.milliseconds;
  };
  const { add } = collectCommands(
    {
      after: (milliseconds, run) => {
        timer = { milliseconds, run };
        return () => undefined;
      },
    },
    (event) => {
      if (event.kind === "commands") posted.push(event.commands.map(({ command }) => command));
    },
  );
  const switching = (rule: string, enabled: boolean) =>
    add(`${rule}/set`, { kind: "enabled", rule, enabled });
  switching("a", true);
  expect(posted).toEqual([]);
  await settled();
  expect(posted.splice(0)).toEqual([[{ kind: "enabled", rule: "a", enabled: true }]]);
  switching("a", true);
  switching("b", true);
  switching("a", false);
  await settled();
  expect(posted).toEqual([]);
  expect(next()).toBe(500);
  expect(posted.splice(0)).toEqual([
    [
      { kind: "enabled", rule: "b", enabled: true },
      { kind: "enabled", rule: "a", enabled: false },
    ],
  ]);
  expect(next()).toBe(500);
  switching("a", true);
  await settled();
  expect(posted).toHaveLength(1);
});
