import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCommandHandler, handleCommand } from "../../src/app/handle-command.ts";
import type { OnOutcome } from "../../src/app/polling.ts";
import type { PollOutcome } from "../../src/core/facts/poll-record.ts";
import type { Command } from "../../src/mqtt/read-command.ts";
import { FORECAST_SERVICE, OFFICIAL_SOURCE } from "../../src/service/sources.ts";
import { emptyState } from "../../src/state/state.ts";
import { knownDaysOf, official, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";

const WELL: PollOutcome = { answers: 4, failures: [] };
const EVENING = Date.parse("2026-01-04T19:00:00Z");
const ROUGE = knownDaysOf({ ...officialDays("2026-01-01", "2026-01-12"), "2026-01-05": official("rouge") });

function open(
  store = createMemoryStore(emptyState("test")),
  days = ROUGE,
  clock = { at: EVENING },
  checkClock: "auto" | "off" = "off",
) {
  const loop = openTestLoop({ rules: RULES, store, days, clock, checkClock });
  const count = { polls: 0 };
  const service = { outcome: WELL };
  const poll = (onOutcome: OnOutcome) => {
    count.polls += 1;
    onOutcome(FORECAST_SERVICE, service.outcome);
    onOutcome(OFFICIAL_SOURCE, WELL);
  };
  const give = (command: Command) =>
    handleCommand("x/set", command, { ...loop, rules: RULES, tariff: PARIS, poll });
  const states = () => loop.loop.snapshot().verdicts.map(({ state }) => state);
  return { ...loop, give, states, count, service };
}

describe("a command", () => {
  test.each([
    [WELL, "x/set: the forecast service has answered"],
    [{ answers: 2, failures: ["No season", "No history"] }, "x/set: No season"],
    [
      { answers: 0, failures: [] },
      "x/set: nothing was sent to the forecast service, as the requests of today are used up",
    ],
  ])("to poll logs what came of it, of each source: %j", async (outcome, line) => {
    const { give, lines, service } = open();
    service.outcome = outcome;
    await give({ kind: "poll" });
    expect(lines).toEqual([
      "x/set: vigie asks its sources as soon as its limits of requests allow it",
      line,
      "x/set: the official source has answered",
    ]);
  });

  test("disables a rule, also over a restart", async () => {
    const { give, store, states } = open();
    expect(states()).toEqual([true, true]);
    await give({ kind: "enabled", rule: "ahead", enabled: false });
    expect(states()).toEqual([false, true]);
    expect(open(createMemoryStore(store.state())).states()).toEqual([false, true]);
  });

  describe("for a time", () => {
    const HOUR = 3_600_000;
    const GUESTS: Command = { kind: "enabled", rule: "ahead", enabled: false, for: 12 * HOUR };

    test("disables a rule until its end, for which the loop wakes", async () => {
      const clock = { at: EVENING };
      const { give, loop, states, lines, payload, memory } = open(undefined, undefined, clock);
      clock.at += 90_000;
      const end = clock.at + 12 * HOUR;
      await give(GUESTS);
      expect(states()).toEqual([false, true]);
      expect(lines).toEqual(["x/set: rule ahead is disabled until 2026-01-05 08:01, then enabled again"]);
      expect(payload("rules/ahead/enabled")).toBe("OFF");
      expect(payload("rules/ahead/next_on")).toBe("2026-01-05T07:01:30Z");
      expect(JSON.parse(payload("rules/ahead") ?? "")).toMatchObject({
        enabled_until: "2026-01-05T07:01:30Z",
        because: ["disabled until 2026-01-05 08:01"],
      });
      // Each boundary until then, as the loop wakes.
      while (loop.snapshot().boundary < end) {
        clock.at = loop.snapshot().boundary;
        loop.refresh();
        expect(states()[0]).toBe(false);
      }
      expect(loop.snapshot().boundary).toBe(end);
      clock.at = end;
      loop.refresh();
      expect(states()[0]).toBe(true);
      expect(payload("rules/ahead/enabled")).toBe("ON");
      expect(payload("rules/ahead/since")).toBe("2026-01-05T07:01:30Z");
      expect(JSON.parse(payload("rules/ahead") ?? "")).not.toHaveProperty("enabled_until");
      loop.refresh();
      expect(lines.slice(1)).toEqual([
        "Rule ahead is enabled again: the time for which a command had disabled it is over",
      ]);
      expect(memory.settings()).toEqual({});
    });

    test("goes on over a restart, and its end takes effect at a start that comes after it", async () => {
      const { give, store } = open();
      await give(GUESTS);
      const later = open(createMemoryStore(store.state()), ROUGE, { at: EVENING + HOUR });
      expect(later.states()).toEqual([false, true]);
      expect(later.lines).toEqual([]);
      const after = open(createMemoryStore(later.store.state()), ROUGE, { at: EVENING + 13 * HOUR });
      expect(after.states()[0]).toBe(true);
      expect(after.payload("rules/ahead/since")).toBe("2026-01-05T07:00:00Z");
      expect(after.lines).toEqual([
        "Rule ahead is enabled again: the time for which a command had disabled it is over",
      ]);
      expect(open(createMemoryStore(after.store.state()), ROUGE, { at: EVENING + 14 * HOUR }).lines).toEqual(
        [],
      );
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
      expect(lines[1]).toBe("x/set: rule ahead is enabled until 2026-01-04 21:00, then disabled again");
      clock.at += HOUR;
      loop.refresh();
      expect([payload("rules/ahead/enabled"), payload("rules/ahead/state")]).toEqual(["OFF", "OFF"]);
      expect(payload("rules/ahead/since")).toBe("2026-01-04T20:00:00Z");
    });

    test("leaves a rule enabled that was enabled already", async () => {
      const clock = { at: EVENING };
      const { give, loop, lines, payload } = open(undefined, undefined, clock);
      await give({ kind: "enabled", rule: "ahead", enabled: true, for: HOUR });
      expect(lines).toEqual([
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
      const { give, loop, lines, states } = open(undefined, days, clock, "auto");
      await give({ kind: "enabled", rule: "ahead", enabled: false, for: HOUR });
      expect(lines).toEqual(["x/set: rule ahead is disabled until 2026-01-04 22:00, then enabled again"]);
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
      expect(lines).toEqual([`x/set: rule ahead is disabled until ${local}, then enabled again`]);
      expect(JSON.parse(payload("rules/ahead") ?? "").enabled_until).toBe(end);
    });
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
