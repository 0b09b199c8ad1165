import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { ValuesEvent } from "../../src/core/loop/event.ts";
import { startKnown } from "../../src/core/loop/start.ts";
import { type HeardValues, type KeptValues, readKeptValues } from "../../src/core/rules/value-readings.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { ConnectionLost, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import { createValueListener } from "../../src/mqtt/value-listener.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { knownDaysOf, officialDays } from "../support/known-days.ts";
import { logTo } from "../support/logs.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-01-05T12:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection whose retained messages have arrived when the test says so. */
function fakeLink({ refuses = "" } = {}) {
  const calls: string[] = [];
  let arrived: () => void = () => undefined;
  let lost: () => void = () => undefined;
  const retained = new Promise<void>((resolve, reject) => {
    arrived = resolve;
    lost = () => reject(new ConnectionLost("gone"));
  });
  const link: BrokerLink = {
    version: 5,
    publish: async () => undefined,
    subscribe: async (topic, how) => {
      calls.push(`subscribe ${topic} ${how}`);
      if (topic === refuses) throw new SubscribeRefused(`The broker refuses the subscription to ${topic}`);
    },
    unsubscribe: async (topic) => void calls.push(`unsubscribe ${topic}`),
    waitForRetained: () => retained,
    readRetained: async () => new Map(),
    closed: new Promise(() => undefined),
  };
  return { link, calls, arrived, lost };
}

/** A listener on fake time, and the real loop that takes what it posts. */
function listen({
  topics = ["car"],
  kept = {} as KeptValues,
  heard = new Map() as HeardValues,
  rules = [] as object[],
} = {}) {
  const problems: string[] = [];
  const posted: ValuesEvent[] = [];
  const test = openTestLoop({
    clock: {
      get at() {
        return Date.now();
      },
      get steady() {
        return performance.now();
      },
    },
    isSettled: () => false,
    days: knownDaysOf(officialDays("2026-01-01", "2026-01-12")),
    rules: rulesOptions.parse(rules),
  });
  const listener = createValueListener({
    topics,
    kept,
    heard,
    clock: systemClock,
    problemLog: createProblemLog(logTo(problems), systemClock),
    post: (event) => {
      posted.push(event);
      test.loop.post(event);
    },
  });
  const message = (payload: string, retain = false, topic = "car") =>
    listener.take({ topic, payload, retain });
  /** What the loop knows, when it has taken what may be posted by now. */
  const known = () => {
    vi.advanceTimersByTime(0);
    test.loop.refresh();
    const { kept, passing } = test.loop.known();
    return {
      heard: passing.values.heard,
      kept: kept.values,
      isSettled: passing.values.awaitedSince === null,
    };
  };
  const age = () => Date.now() - (known().heard.get("car")?.at ?? Number.NaN);
  return { listener, message, known, age, problems, test, reports: () => posted.length };
}

/** The steady clock does not follow. */
function setClock(now: number) {
  vi.setSystemTime(now);
}

/** Promises that are settled already have called back. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe("the age of a value", () => {
  test("counts from the last live message, though it says the same", () => {
    const { message, age } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    expect(age()).toBe(HOUR);
    message("39");
    expect(age()).toBe(0);
  });

  test("goes on when the broker sends again what it holds", () => {
    const { message, age } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    message("39", true);
    expect(age()).toBe(HOUR);
    message("38", true);
    vi.advanceTimersByTime(1_000);
    expect(age()).toBe(1_000);
  });

  test("goes on over a week of restarts while its device is dead", () => {
    let kept: KeptValues = {};
    const first = listen();
    first.message("39");
    kept = first.known().kept;
    for (let day = 1; day <= 7; day += 1) {
      vi.advanceTimersByTime(24 * HOUR);
      const { message, age, known } = listen({ kept: JSON.parse(JSON.stringify(kept)) });
      message("39", true);
      expect(age()).toBe(day * 24 * HOUR);
      kept = known().kept;
    }
  });

  test("begins anew after a restart where the broker holds another payload", () => {
    const { message, known } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    const second = listen({ kept: known().kept });
    second.message("38", true);
    expect(second.age()).toBe(0);
  });

  test("goes on over a restart in which nothing was heard", async () => {
    const first = listen();
    first.message("39");
    const second = listen({ kept: first.known().kept });
    const { link, arrived } = fakeLink();
    second.listener.connected(link);
    arrived();
    await settle();
    const third = listen({ kept: second.known().kept });
    vi.advanceTimersByTime(HOUR);
    third.message("39", true);
    expect(third.age()).toBe(HOUR);
  });

  test("goes on over a restart on a topic of any name", () => {
    for (const topic of ["__proto__", "constructor"]) {
      const first = listen({ topics: [topic] });
      first.message("39", false, topic);
      const heardAt = Date.now();
      const kept = readKeptValues(JSON.parse(JSON.stringify(first.known().kept)));
      vi.advanceTimersByTime(HOUR);
      const second = listen({ topics: [topic], kept });
      second.message("39", true, topic);
      expect(second.known().heard.get(topic)?.at).toBe(heardAt);
    }
  });

  test("goes on where the clock is set back, as if it had not been", () => {
    const { message, age, known } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    setClock(Date.now() - 24 * HOUR);
    expect(age()).toBe(HOUR);
    vi.advanceTimersByTime(HOUR);
    message("39", true);
    expect(age()).toBe(2 * HOUR);
    expect(known().kept["car"]?.at).toBe(Date.now() - 2 * HOUR);
    message("39");
    vi.advanceTimersByTime(1_000);
    expect(age()).toBe(1_000);
  });

  test("grows where the clock is set forward: the machine may have been suspended, and the value is as old as that", () => {
    const { message, age } = listen();
    message("39");
    setClock(Date.now() + 8 * HOUR);
    expect(age()).toBe(8 * HOUR);
  });

  test("follows corrections of the clock of less than two seconds", () => {
    const { message, age } = listen();
    message("39");
    setClock(Date.now() - 1_000);
    expect(age()).toBe(-1_000);
  });

  test("and its payload are kept over a reload, but those of a topic that is removed are not", async () => {
    const first = listen({ topics: ["car", "home"] });
    first.message("39");
    first.message("yes", false, "home");
    vi.advanceTimersByTime(HOUR);
    const second = listen({ topics: ["car", "garden"], heard: first.known().heard });
    const { link, arrived } = fakeLink();
    second.listener.connected(link);
    arrived();
    await settle();
    expect([...second.known().heard.keys()]).toEqual(["car"]);
    expect(second.age()).toBe(HOUR);
  });
});

test("the state file gets a hash, not the value", () => {
  const { message, known } = listen();
  message("SECRET");
  expect(known().kept).toEqual({ car: { hash: expect.any(String), at: START } });
  expect(JSON.stringify(known().kept)).not.toContain("SECRET");
});

test("an empty payload is as if the value was never heard", () => {
  const { message, known } = listen();
  message("39");
  expect(known().heard.size).toBe(1);
  message("");
  vi.advanceTimersByTime(1_000);
  expect(known().heard.size).toBe(0);
});

test("after an empty payload the state file holds nothing for the topic, and the same payload later is a new one", () => {
  const kept = listen();
  kept.message("39");
  const before = kept.known().kept;
  vi.advanceTimersByTime(HOUR);
  const { message, known, age } = listen({ kept: before });
  message("");
  vi.advanceTimersByTime(1_000);
  expect(known().kept).toEqual({ car: null });
  message("39", true);
  expect(age()).toBe(0);
});

test("what waits for the end of its second is known when the listener stops, and nothing after that", () => {
  const { listener, message, known, reports } = listen();
  message("39");
  expect(known().heard.get("car")?.payload).toBe("39");
  message("38");
  expect(known().heard.get("car")?.payload).toBe("39");
  listener.stop();
  expect(known().heard.get("car")?.payload).toBe("38");
  message("37");
  listener.stop();
  vi.advanceTimersByTime(60_000);
  expect([known().heard.get("car")?.payload, reports()]).toEqual(["38", 2]);
});

test("a payload of 64 KB counts, a larger one is ignored and said once", () => {
  const { message, known, problems } = listen();
  message("é".repeat(32 * 1024));
  expect(known().heard.get("car")?.payload).toHaveLength(32 * 1024);
  for (let times = 0; times < 3; times += 1) message(`${"é".repeat(32 * 1024)}x`);
  message("x".repeat(300 * 1024));
  vi.advanceTimersByTime(1_000);
  expect(known().heard.get("car")?.payload).toHaveLength(32 * 1024);
  expect(problems).toEqual(["Ignored a message of more than 64 KB on car, to which a rule listens"]);
});

test("messages on other topics are left alone", () => {
  const { message, known, reports } = listen();
  message("39", false, "other");
  message("39", false, "__proto__");
  vi.advanceTimersByTime(HOUR);
  expect([known().heard.size, reports()]).toEqual([0, 0]);
});

test("however many messages arrive, they are reported at most once a second", () => {
  const { message, reports } = listen();
  for (let millisecond = 0; millisecond < 10_000; millisecond += 2) {
    message(String(millisecond));
    vi.advanceTimersByTime(2);
  }
  expect(reports()).toBeGreaterThanOrEqual(9);
  expect(reports()).toBeLessThanOrEqual(11);
});

test("a value that flaps turns its rule at most once a second, whatever else has the rules evaluated", async () => {
  const rules = [{ id: "low", when: { mqtt: { topic: "car", below: 40 } } }];
  const { listener, message, test } = listen({ rules });
  const { link, arrived } = fakeLink();
  listener.connected(link);
  arrived();
  message("41");
  await vi.advanceTimersByTimeAsync(1_000);
  await settled();
  expect(test.events).toEqual([]);
  const seconds = new Set<number>();
  for (let n = 1; n <= 500; n += 1) {
    message(n % 3 === 0 ? "39" : "41");
    vi.advanceTimersByTime(20);
    test.outputs({ kind: "connection opened", connection: n, version: 5 });
    await settled();
    seconds.add(Math.floor(Date.now() / 1_000));
  }
  expect(test.events.length).toBeGreaterThan(3);
  expect(test.events.length).toBeLessThanOrEqual(seconds.size);
  // The newest value counts within a second.
  message("39");
  vi.advanceTimersByTime(1_000);
  await settled();
  expect(test.loop.view().verdicts.map(({ state }) => state)).toEqual([true]);
});

describe("on a connection", () => {
  test("it subscribes to each topic, for the newest message only, and ends what it does not need any more", async () => {
    const kept = { car: null, old: { hash: "x", at: START } };
    const { listener } = listen({ topics: ["car", "home"], kept });
    const { link, calls } = fakeLink();
    listener.connected(link);
    await settle();
    expect(calls).toEqual(["unsubscribe old", "subscribe car newest only", "subscribe home newest only"]);
  });

  test("it is settled when what the broker holds has arrived", async () => {
    const { listener, known, reports } = listen();
    expect(known().isSettled).toBe(false);
    const { link, arrived } = fakeLink();
    listener.connected(link);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(known().isSettled).toBe(false);
    arrived();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([known().isSettled, reports()]).toEqual([true, 1]);
  });

  test("it waits at most 10 s", async () => {
    const { listener, known } = listen();
    listener.connected(fakeLink().link);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(known().isSettled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    // Reported with the next timer.
    await vi.advanceTimersByTimeAsync(1);
    expect(known().isSettled).toBe(true);
  });

  test("that is lost it goes on waiting: only the next connection brings what the broker holds", async () => {
    const { listener, known } = listen();
    const first = fakeLink();
    listener.connected(first.link);
    first.lost();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(known().isSettled).toBe(false);
    const second = fakeLink();
    listener.connected(second.link);
    second.arrived();
    await settle();
    expect(known().isSettled).toBe(true);
  });

  test("that follows another one it waits anew, and keeps values meanwhile", async () => {
    const { listener, message, known } = listen();
    const first = fakeLink();
    listener.connected(first.link);
    first.arrived();
    message("39");
    await settle();
    const second = fakeLink();
    listener.connected(second.link);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([known().isSettled, known().heard.get("car")?.payload]).toEqual([false, "39"]);
    second.arrived();
    await settle();
    expect(known().isSettled).toBe(true);
  });

  test("a subscription that the broker refuses is said, and the others go on", async () => {
    const { listener, known, problems } = listen({ topics: ["secret", "car"] });
    const { link, arrived } = fakeLink({ refuses: "secret" });
    listener.connected(link);
    arrived();
    await settle();
    expect(problems).toEqual(["The broker refuses the subscription to secret"]);
    expect(known().isSettled).toBe(true);
  });
});

test.each([
  ["without a rule on a value the values are settled from the start", [], true],
  [
    "with one they are not, until the broker has sent what it holds",
    [{ id: "low", when: { mqtt: { topic: "car", below: 40 } } }],
    false,
  ],
])("%s", (_title, rules, isSettled) => {
  const { test } = listen({ rules });
  const at = { now: START, steady: 0 };
  const start = { at, config: test.config, broker: "", before: null } as const;
  expect(startKnown(test.loop.known().kept, start).passing.values.awaitedSince === null).toBe(isSettled);
});
