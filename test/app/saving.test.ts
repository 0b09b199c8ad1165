import { describe, expect, test } from "vitest";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Known } from "../../src/core/loop/known.ts";
import { hangsAt } from "../../src/core/loop/saving.ts";
import { type ClientMemory, EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { emptyState } from "../../src/state/state.ts";
import { parseState, serialiseState } from "../../src/state/state-format.ts";
import { forecastsAnswer } from "../support/answers.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const RTE = "https://official.example/v1";
const AT = Date.UTC(2026, 0, 5, 10);

function open(store = createMemoryStore(emptyState("test")), official = RTE) {
  const isOff = official === "off";
  const askOfficial = isOff ? null : () => Promise.reject(new Error("RTE is away"));
  const { loop, memories, command } = openTestLoop({ store, clock: { at: AT }, official, askOfficial });
  const memory = memories.official;
  const send = (count: number): ClientMemory => ({
    ...memory.get(),
    spent: { day: "2026-01-05", count },
    sent_at: AT,
  });
  return { loop, memory, serviceMemory: memories.service, store, send, command };
}

/** The store that a vigie has after a restart: read back from the text of the state file. */
const restart = (store: ReturnType<typeof createMemoryStore>) =>
  createMemoryStore(parseState(serialiseState(store.state())));

describe("how much was sent to the official source, and since when it fails", () => {
  test("is kept over a restart, under its address", async () => {
    const { loop, memory, store, send } = open();
    memory.set(send(1));
    const pause = { until: AT + 60_000, turns: 1 };
    memory.set({ ...send(1), pause });
    await loop.pollOfficial([{ request: { kind: "light" }, essential: false }]);
    const again = open(restart(store));
    expect(again.memory.get()).toEqual({ ...send(1), pause });
    expect(again.loop.view().factsInput.official?.failing).toEqual({ since: AT, sentence: "RTE is away" });
  });

  test("is not used for another address, nor mixed with what was sent to the service", () => {
    const { memory, store, send } = open();
    memory.set(send(7));
    const elsewhere = open(restart(store), "https://other.example");
    expect(elsewhere.memory.get()).toEqual(EMPTY_MEMORY);
    expect(elsewhere.serviceMemory.get().spent.count).toBe(0);
    // That of the service.
    expect(open(restart(store), "test").memory.get()).toEqual(EMPTY_MEMORY);
  });

  test("is saved request by request after a start, then by tens", () => {
    const { memory, store, send } = open();
    const before = store.writes();
    for (let count = 1; count <= 40; count += 1) memory.set(send(count));
    expect(store.writes() - before).toBe(13);
    expect(open(restart(store)).memory.get().spent.count).toBe(40);
  });

  test("begins at nothing where the state file is of an older vigie, or this part of it is damaged", () => {
    const { installation, ...older } = emptyState("test");
    const read = parseState(JSON.stringify({ installation, ...older }));
    expect(open(createMemoryStore(read)).memory.get()).toEqual(EMPTY_MEMORY);
    const damaged = { ...emptyState("test"), official_clients: { [RTE]: { spent: 3 } } };
    expect(open(createMemoryStore(damaged)).memory.get()).toEqual(EMPTY_MEMORY);
  });

  test("begins with what RTE has said last, if an older vigie did not keep when it answered", () => {
    const words = { "2026-01-05": { color: "bleu" as const, first_said: AT - 60_000, confirmed: true } };
    const older = { ...emptyState("test"), official_words: { [RTE]: words } };
    expect(open(createMemoryStore(older)).loop.view().factsInput.official?.answered_at).toBe(AT - 60_000);
  });

  test("is nowhere with official.source: off", async () => {
    const { store, command } = open(undefined, "off");
    await command({ kind: "simulation", request: { color: "rouge", from: "now", for: 60_000 } });
    expect(store.state().simulation).toMatchObject({ color: "rouge" });
    expect(store.state().official_clients).toEqual({});
  });
});

test("a write that fails is shown until one succeeds", async () => {
  const store = createMemoryStore(emptyState("test"));
  let problem: string | null = "the disk is full";
  const { loop, command } = openTestLoop({ store: { ...store, problem: () => problem }, clock: { at: AT } });
  const pretend = (color: "rouge" | "blanc") =>
    command({ kind: "simulation", request: { color, from: "now", for: 60_000 } });
  await pretend("rouge");
  expect(loop.view().unsaved).toBe("the disk is full");
  problem = null;
  await pretend("blanc");
  await settled();
  expect(loop.view()).not.toHaveProperty("unsaved");
});

test("that the state is saved again is shown at once, though nothing else has changed", async () => {
  const store = createMemoryStore(emptyState("test"));
  const { loop } = openTestLoop({ store, clock: { at: AT } });
  const tell = (problem: string | null) => {
    loop.post({ kind: "saved", number: 0, outputChanges: 0, problem });
    return settled();
  };
  await tell("the disk is full");
  expect(loop.view().unsaved).toBe("the disk is full");
  await tell(null);
  expect(loop.view()).not.toHaveProperty("unsaved");
});

describe("a disk that hangs", () => {
  const HANGS =
    /^The state cannot be saved in the state folder: its disk has not ended a write for 10 s\. vigie goes on, but a restart would lose what is new\. To fix it: /;
  const ENDED = /^The disk of the state has ended a write, after 5 min$/;
  /** A loop whose disk ends the write of what it was given when the test says so, and takes no other write before. */
  const openHanging = (before?: Known) => {
    const clock = { at: AT, steady: 0 };
    const writes: (() => void)[] = [];
    const store = createMemoryStore(emptyState("test"));
    const save = () => new Promise<void>((resolve) => writes.push(resolve));
    const opened = openTestLoop({ store: { ...store, save }, clock, ...(before && { before }) });
    const pretend = () =>
      opened.command({ kind: "simulation", request: { color: "rouge", from: "now", for: 3_600_000 } });
    const passTo = (steady: number) => {
      clock.at += steady - clock.steady;
      clock.steady = steady;
      opened.loop.refresh();
      return opened.loop.view().unsaved;
    };
    const endWrite = async () => {
      writes.shift()?.();
      await settled();
    };
    return { ...opened, clock, pretend, passTo, endWrite };
  };

  test("what-if: The disk is full · is told once after ten seconds, by the steady clock alone, and that it is over when the write ends", async () => {
    const { loop, lines, clock, pretend, passTo, endWrite } = openHanging();
    passTo(60_000);
    await endWrite();
    expect(passTo(120_000)).toBeUndefined();
    await pretend();
    expect(passTo(125_000)).toBeUndefined();
    await pretend();
    expect(passTo(128_000)).toBeUndefined();
    expect(loop.view().boundary.steady).toBe(130_000);
    clock.at += 3_600_000;
    expect(passTo(129_999)).toBeUndefined();
    expect(passTo(130_000)).toMatch(/^the state folder: its disk has not ended a write for 10 s/);
    await pretend();
    expect(passTo(430_000)).toMatch(/^the state folder: /);
    expect(lines.filter((line) => HANGS.test(line))).toHaveLength(1);
    await endWrite();
    expect(loop.view()).not.toHaveProperty("unsaved");
    expect(lines.filter((line) => ENDED.test(line))).toHaveLength(1);
    // Two more were given meanwhile: each end of a write gives the next one ten seconds.
    expect(passTo(439_999)).toBeUndefined();
    expect(passTo(440_000)).toMatch(/^the state folder: /);
  });

  test("is still shown after a reload, until a write ends", async () => {
    const first = openHanging();
    await first.pretend();
    first.passTo(10_000);
    const { loop, pretend, endWrite } = openHanging(first.loop.pause());
    expect(loop.view().unsaved).toMatch(/^the state folder: /);
    await pretend();
    await endWrite();
    expect(loop.view()).not.toHaveProperty("unsaved");
  });

  test("is not looked for in a demo, whose clock runs while the disk writes", () => {
    const writing = { waitsSince: 60_000, hangs: false };
    expect(hangsAt(writing, { isDemo: false })).toBe(70_000);
    expect(hangsAt(writing, { isDemo: true })).toBeNull();
  });

  test("that ends a write in vain shows why from then on", async () => {
    const { loop, pretend, passTo } = openHanging();
    await pretend();
    passTo(10_000);
    const { number } = loop.view().saving;
    loop.post({ kind: "saved", number, outputChanges: 0, problem: "/state: the disk is full" });
    await settled();
    expect(loop.view().unsaved).toBe("/state: the disk is full");
  });
});

test("while the clock counts as wrong for half a day, a rule with a max_age makes vigie save every three hours, not more often", async () => {
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;
  const clock = { at: AT, steady: 0 };
  const store = createMemoryStore(emptyState("test"));
  /** A state that is given again and again would leave the test no turn in which to fail. */
  const save: typeof store.save = (state) => {
    if (store.writes() >= 20) throw new Error("Expected fewer writes");
    return store.save(state);
  };
  const { loop } = openTestLoop({
    store: { ...store, save },
    clock,
    checkClock: "auto",
    days: knownDaysOf(officialDays("2026-01-01", "2026-01-06")),
    rules: rulesOptions.parse([
      { id: "low", when: { mqtt: { topic: "car", below: 40, max_age: "2h" } }, when_unknown: "off" },
    ]),
    ask: async () => ({ answer: forecastsAnswer(null), date: AT + clock.steady, made_at: null, sent: null }),
  });
  const poll = () => loop.poll({ essential: true, recheck: false });
  await poll();
  expect(loop.view().factsInput.clock.right).toBe(true);
  clock.at -= 24 * HOUR;
  await poll();
  expect(loop.view().factsInput.clock).toMatchObject({ at: AT, right: false });
  const writes = store.writes();
  for (let passed = 0; passed < 12 * HOUR; passed += 5 * MINUTE) {
    clock.at += 5 * MINUTE;
    clock.steady += 5 * MINUTE;
    loop.refresh();
    await settled();
  }
  expect(loop.view().factsInput.clock).toMatchObject({ at: AT + 12 * HOUR, right: false });
  expect(store.writes() - writes).toBeGreaterThanOrEqual(3);
  expect(store.writes() - writes).toBeLessThanOrEqual(4);
});
