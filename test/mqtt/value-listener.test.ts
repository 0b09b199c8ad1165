import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HeardValues, KeptValues } from "../../src/core/rules/value-readings.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { ConnectionLost, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import { createValueListener } from "../../src/mqtt/value-listener.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { logTo } from "../support/logs.ts";

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

function listen({ topics = ["car"], kept = {} as KeptValues, heard = new Map() as HeardValues } = {}) {
  const problems: string[] = [];
  let reports = 0;
  const listener = createValueListener({
    topics,
    kept,
    heard,
    clock: systemClock,
    problemLog: createProblemLog(logTo(problems), systemClock),
    onHeard: () => {
      reports += 1;
    },
  });
  const message = (payload: string, retain = false, topic = "car") =>
    listener.onMessage({ topic, payload, retain });
  const age = () => Date.now() - (listener.heard().get("car")?.at ?? Number.NaN);
  return { listener, message, age, problems, reports: () => reports };
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
    expect(age()).toBe(0);
  });

  test("goes on over a week of restarts while its device is dead", () => {
    let kept: KeptValues = {};
    const first = listen();
    first.message("39");
    kept = first.listener.keep();
    for (let day = 1; day <= 7; day += 1) {
      vi.advanceTimersByTime(24 * HOUR);
      const { message, age, listener } = listen({ kept: JSON.parse(JSON.stringify(kept)) });
      message("39", true);
      expect(age()).toBe(day * 24 * HOUR);
      kept = listener.keep();
    }
  });

  test("begins anew after a restart where the broker holds another payload", () => {
    const { message, listener } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    const second = listen({ kept: listener.keep() });
    second.message("38", true);
    expect(second.age()).toBe(0);
  });

  test("goes on over a restart in which nothing was heard", () => {
    const first = listen();
    first.message("39");
    const second = listen({ kept: first.listener.keep() });
    const third = listen({ kept: second.listener.keep() });
    vi.advanceTimersByTime(HOUR);
    third.message("39", true);
    expect(third.age()).toBe(HOUR);
  });

  test("goes on where the clock is set back, as if it had not been", () => {
    const { message, age, listener } = listen();
    message("39");
    vi.advanceTimersByTime(HOUR);
    setClock(Date.now() - 24 * HOUR);
    expect(age()).toBe(HOUR);
    vi.advanceTimersByTime(HOUR);
    message("39", true);
    expect(age()).toBe(2 * HOUR);
    expect(listener.keep()["car"]?.at).toBe(Date.now() - 2 * HOUR);
    message("39");
    expect(age()).toBe(0);
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

  test("and its payload are kept over a reload, but those of a topic that is removed are not", () => {
    const first = listen({ topics: ["car", "home"] });
    first.message("39");
    first.message("yes", false, "home");
    vi.advanceTimersByTime(HOUR);
    const second = listen({ topics: ["car", "garden"], heard: first.listener.heard() });
    expect([...second.listener.heard().keys()]).toEqual(["car"]);
    expect(second.age()).toBe(HOUR);
  });
});

test("the state file gets a hash, not the value", () => {
  const { message, listener } = listen();
  message("SECRET");
  expect(JSON.stringify(listener.keep())).not.toContain("SECRET");
});

test("an empty payload is as if the value was never heard", () => {
  const { message, listener } = listen();
  message("39");
  message("");
  expect(listener.heard().size).toBe(0);
});

test("a payload of 64 KB counts, a larger one is ignored and said once", () => {
  const { message, listener, problems } = listen();
  message("é".repeat(32 * 1024));
  expect(listener.heard().get("car")?.payload).toHaveLength(32 * 1024);
  for (let times = 0; times < 3; times += 1) message(`${"é".repeat(32 * 1024)}x`);
  message("x".repeat(300 * 1024));
  expect(listener.heard().get("car")?.payload).toHaveLength(32 * 1024);
  expect(problems).toEqual(["Ignored a message of more than 64 KB on car, to which a rule listens"]);
});

test("messages on other topics are left alone", () => {
  const { message, listener, reports } = listen();
  message("39", false, "other");
  message("39", false, "__proto__");
  vi.advanceTimersByTime(HOUR);
  expect([listener.heard().size, reports()]).toEqual([0, 0]);
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

describe("on a connection", () => {
  test("it subscribes to each topic, for the newest message only, and ends what it does not need any more", async () => {
    const kept = { car: null, old: { hash: "x", at: START } };
    const { listener } = listen({ topics: ["car", "home"], kept });
    const { link, calls } = fakeLink();
    listener.onConnection(link);
    await settle();
    expect(calls).toEqual(["unsubscribe old", "subscribe car newest only", "subscribe home newest only"]);
  });

  test("it is settled when what the broker holds has arrived", async () => {
    const { listener, reports } = listen();
    expect(listener.isSettled()).toBe(false);
    const { link, arrived } = fakeLink();
    listener.onConnection(link);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(listener.isSettled()).toBe(false);
    arrived();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([listener.isSettled(), reports()]).toEqual([true, 1]);
  });

  test("it waits at most 10 s", async () => {
    const { listener } = listen();
    listener.onConnection(fakeLink().link);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(listener.isSettled()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(listener.isSettled()).toBe(true);
  });

  test("that is lost it goes on waiting: only the next connection brings what the broker holds", async () => {
    const { listener } = listen();
    const first = fakeLink();
    listener.onConnection(first.link);
    first.lost();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(listener.isSettled()).toBe(false);
    const second = fakeLink();
    listener.onConnection(second.link);
    second.arrived();
    await settle();
    expect(listener.isSettled()).toBe(true);
  });

  test("that follows another one it waits anew, and keeps values meanwhile", async () => {
    const { listener, message } = listen();
    const first = fakeLink();
    listener.onConnection(first.link);
    first.arrived();
    message("39");
    await settle();
    const second = fakeLink();
    listener.onConnection(second.link);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([listener.isSettled(), listener.heard().get("car")?.payload]).toEqual([false, "39"]);
    second.arrived();
    await settle();
    expect(listener.isSettled()).toBe(true);
  });

  test("a subscription that the broker refuses is said, and the others go on", async () => {
    const { listener, problems } = listen({ topics: ["secret", "car"] });
    const { link, arrived } = fakeLink({ refuses: "secret" });
    listener.onConnection(link);
    arrived();
    await settle();
    expect(problems).toEqual(["The broker refuses the subscription to secret"]);
    expect(listener.isSettled()).toBe(true);
  });
});

test("without topics it is settled from the start", () => {
  expect(listen({ topics: [] }).listener.isSettled()).toBe(true);
});
