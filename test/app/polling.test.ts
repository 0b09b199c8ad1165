import { describe, expect, test, vi } from "vitest";
import type { PollRequest } from "../../src/app/loop.ts";
import { createPolling, createPollings } from "../../src/app/polling.ts";
import type { PollOutcome } from "../../src/core/facts/poll-record.ts";
import type { Source } from "../../src/service/sources.ts";
import { emptyState } from "../../src/state/state.ts";
import { forecast, knownDaysOf, official, saidByRte } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop } from "../support/test-loop.ts";

const MINUTE = 60_000;
const QUARTER_PAST = Date.parse("2026-01-05T13:15:00Z");

interface PollingSettings {
  at?: number;
  /** When the last request before the start was sent. */
  sentAt?: number | null;
  poll: (request: PollRequest) => Promise<PollOutcome>;
}

function openPolling({ at = QUARTER_PAST, sentAt = null, poll }: PollingSettings) {
  const { loop, memory } = openTestLoop({ clock: { at } });
  memory.client.set({ ...memory.client.get(), sent_at: sentAt });
  const said: string[] = [];
  const polling = createPolling({
    loop: { ...loop, poll },
    memory,
    tariff: PARIS,
    times: { every: 60 * MINUTE, announcement: { between: ["06:30", "12:00"], every: 5 * MINUTE } },
    offset: 0,
    clock: { now: () => at, steady: () => at },
    onFirstFailure: (_source, failure) => said.push(`first: ${failure}`),
    onPolled: (_source, { failures }) => said.push(`polled: ${failures.join() || "well"}`),
  });
  const press = () =>
    polling.pollNow((_source, { failures }) => said.push(`command: ${failures.join() || "well"}`));
  return { polling, said, press };
}

/** The polls of a start at this instant, with the last request before it. */
function pollsOfStart(at: number, sentAt: number | null): Pick<PollRequest, "essential" | "recheck">[] {
  const polls: Pick<PollRequest, "essential" | "recheck">[] = [];
  const poll = async ({ essential, recheck }: PollRequest) => {
    polls.push({ essential, recheck });
    return { answers: 1, failures: [] };
  };
  void openPolling({ at, sentAt, poll }).polling.pollIfDue();
  return polls;
}

describe("a start polls at once", () => {
  test.each([
    ["beyond the day's budget at the first start", null, true],
    ["beyond it where the hourly poll was missed", QUARTER_PAST - 16 * MINUTE, true],
    ["only within it shortly after another request", QUARTER_PAST - MINUTE, false],
  ])("%s", (_case, sentAt, essential) => {
    expect(pollsOfStart(QUARTER_PAST, sentAt)).toEqual([{ essential, recheck: true }]);
  });
});

describe("a poll", () => {
  /** Each one ends when the test says so. */
  function open() {
    const requests: PollRequest[] = [];
    let end: (outcome: PollOutcome) => void = () => undefined;
    const poll = (request: PollRequest) => {
      requests.push(request);
      return new Promise<PollOutcome>((resolve) => {
        end = resolve;
      });
    };
    const opened = openPolling({ poll });
    const fail = (failure: string) => requests.at(-1)?.onRetry?.(failure);
    const finish = async (outcome: PollOutcome) => {
      const before = opened.said.length;
      end(outcome);
      await vi.waitFor(() => expect(opened.said.length).toBeGreaterThan(before));
    };
    return { ...opened, requests, fail, finish };
  }
  const WELL = { answers: 3, failures: [] };

  test("tells the first failure since the start at once, while it tries again, and later ones at its end", async () => {
    const { polling, press, fail, finish, said } = open();
    void polling.pollIfDue();
    await finish(WELL);
    polling.pollNow(() => undefined);
    fail("no route");
    expect(said).toEqual(["polled: well", "first: no route"]);
    fail("status 500");
    await finish({ answers: 0, failures: ["status 500"] });
    expect(said.slice(2)).toEqual(["polled: status 500"]);
    press();
    fail("status 500");
    expect(said.slice(3)).toEqual(["command: status 500"]);
  });

  test("tells a command its first failure at once, and nothing more", async () => {
    const { press, fail, finish, said } = open();
    press();
    fail("no route");
    expect(said).toEqual(["first: no route", "command: no route"]);
    await finish(WELL);
    expect(said.slice(2)).toEqual(["polled: well"]);
  });

  test("that runs already is what a command is told of, however often it comes", async () => {
    const { polling, press, requests, finish, said } = open();
    void polling.pollIfDue();
    press();
    press();
    await finish(WELL);
    expect(said).toEqual(["command: well", "polled: well"]);
    expect(requests).toHaveLength(1);
  });
});

describe("after a kill", () => {
  const open = (store = createMemoryStore(emptyState("test"))) => ({
    ...openTestLoop({ store, clock: { at: QUARTER_PAST } }),
    store,
  });

  test("the count of the first requests of each start is known", () => {
    let state = emptyState("test");
    for (let starts = 0; starts < 3; starts += 1) {
      const { memory, store } = open(createMemoryStore(state));
      for (let requests = 0; requests < 4; requests += 1) {
        const { spent } = memory.client.get();
        memory.client.set({ ...memory.client.get(), spent: { ...spent, count: spent.count + 1 } });
      }
      state = store.state();
    }
    expect(open(createMemoryStore(state)).memory.client.get().spent.count).toBe(12);
  });

  test("the times of the requests of the last minute are known", () => {
    const { memory, store } = open();
    const { spent } = memory.client.get();
    const recent = [QUARTER_PAST - 2_000, QUARTER_PAST];
    memory.client.set({ ...memory.client.get(), recent, spent: { ...spent, count: 2 } });
    expect(open(store).memory.client.get().recent).toEqual(recent);
  });

  test("the count of a day is known up to the last ten requests, with few writes", () => {
    const { memory, store } = open();
    const writes = store.writes();
    for (let count = 1; count < 150; count += 1) {
      memory.client.set({ ...memory.client.get(), spent: { day: "2026-01-05", count } });
    }
    expect(open(store).memory.client.get().spent.count).toBeGreaterThanOrEqual(140);
    expect(store.writes() - writes).toBeLessThan(25);
  });

  test("the first requests of a new day need no write", () => {
    const { memory, store } = open();
    const writesOf = (day: string, from: number, to: number) => {
      const before = store.writes();
      for (let count = from; count <= to; count += 1)
        memory.officialClient.set({ ...memory.officialClient.get(), spent: { day, count } });
      return store.writes() - before;
    };
    expect(writesOf("2026-01-05", 1, 40)).toBeGreaterThan(0);
    expect(writesOf("2026-01-06", 1, 9)).toBe(0);
    expect(writesOf("2026-01-06", 10, 10)).toBe(1);
    expect(open(store).memory.officialClient.get().spent).toEqual({ day: "2026-01-06", count: 10 });
  });

  test("the pause after a 429 is known, of either source", () => {
    const pause = { until: QUARTER_PAST + MINUTE, turns: 1 };
    const ofService = open();
    ofService.memory.client.set({ ...ofService.memory.client.get(), pause });
    expect(open(ofService.store).memory.client.get().pause).toEqual(pause);
    const ofRte = open();
    ofRte.memory.officialClient.set({ ...ofRte.memory.officialClient.get(), pause });
    expect(open(ofRte.store).memory.officialClient.get().pause).toEqual(pause);
  });
});

describe("two sources", () => {
  const ANSWERED = {
    answer: { kind: "light" as const, words: [] },
    failure: null,
    date: null,
    made_at: null,
  };

  const AWAITED: [string, string] = ["06:30", "12:00"];

  function pollBoth(
    { loop, memory }: Pick<ReturnType<typeof openTestLoop>, "loop" | "memory">,
    clock: { at: number },
    onPolled: (source: Source) => void,
  ) {
    return createPollings(
      { service: true, official: true },
      {
        loop,
        memory,
        tariff: PARIS,
        times: { every: 60 * MINUTE, announcement: { between: AWAITED, every: 5 * MINUTE } },
        offset: 0,
        clock: { now: () => clock.at, steady: () => clock.at },
        onFirstFailure: () => undefined,
        onPolled,
      },
    );
  }

  /** Both pollings on the real loop; the service answers what `ask` says. */
  function openBoth(
    ask: NonNullable<Parameters<typeof openTestLoop>[0]["ask"]>,
    { behind = 0, doesRteHang = false } = {},
  ) {
    const clock = { at: QUARTER_PAST - behind };
    const asked: string[] = [];
    const beyondBudget: string[] = [];
    const { loop, memory, know } = openTestLoop({
      clock,
      ask,
      checkClock: "auto",
      askOfficial: async ({ kind }, { trueTime, essential, signal }) => {
        asked.push(kind);
        if (essential) beyondBudget.push(kind);
        if (doesRteHang) await untilAborted(signal);
        const date = clock.at + behind;
        trueTime(date);
        return { ...ANSWERED, date };
      },
    });
    const polled: string[] = [];
    const polling = pollBoth({ loop, memory }, clock, ({ name }) => void polled.push(name));
    const lookAfter = async (minutes: number) => {
      clock.at += minutes * MINUTE;
      const before = asked.length;
      void polling.pollIfDue();
      // Nothing here takes time: all of it has run by the next round of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      return asked.slice(before);
    };
    return { polling, clock, asked, beyondBudget, polled, know, lookAfter };
  }

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });

  const failing = () => Promise.reject(new Error("the service is away"));

  test("have polls of their own: a service that hangs does not delay the official source", async () => {
    const { polling, clock, asked, polled } = openBoth((_request, { signal }) => untilAborted(signal));
    void polling.pollIfDue();
    await vi.waitFor(() => expect(polled).toEqual(["official source"]));
    expect(asked).toEqual(["light", "season"]);
    clock.at += 46 * MINUTE;
    void polling.pollIfDue();
    await vi.waitFor(() => expect(polled).toEqual(["official source", "official source"]));
    expect(asked).toEqual(["light", "season", "light"]);
    await polling.stop();
  });

  test("have polls of their own: an official source that hangs does not delay the service", async () => {
    const { polling, clock, asked, polled } = openBoth(failing, { doesRteHang: true });
    void polling.pollIfDue();
    await vi.waitFor(() => expect(polled).toEqual(["forecast service"]));
    clock.at += 60 * MINUTE;
    void polling.pollIfDue();
    await vi.waitFor(() => expect(polled).toEqual(["forecast service", "forecast service"]));
    expect(asked).toEqual(["light"]);
    await polling.stop();
  });

  test("are both polled by a command, which sends RTE nothing beyond the day's budget", async () => {
    const { polling, asked, beyondBudget, polled } = openBoth(failing);
    void polling.pollIfDue();
    await vi.waitFor(() => expect(polled).toHaveLength(2));
    const beyondBefore = [...beyondBudget];
    const told: string[] = [];
    polling.pollNow(({ name }, { answers }) => told.push(`${name}: ${answers}`));
    await vi.waitFor(() => expect(polled).toHaveLength(4));
    expect(told.toSorted()).toEqual(["forecast service: 0", "official source: 1"]);
    expect(asked).toEqual(["light", "season", "light"]);
    expect(beyondBudget).toEqual(beyondBefore);
    await polling.stop();
  });

  test.each([
    ["an official colour", official("rouge")],
    ["a forecast", forecast("rouge")],
  ])(
    "that differ, by %s of the service: the official source is asked at once, and hourly while they differ",
    async (_kind, said) => {
      const { know, lookAfter } = openBoth(failing);
      const rte = saidByRte("bleu");
      know(knownDaysOf({ "2026-01-05": rte, "2026-01-06": rte }));
      expect(await lookAfter(0)).toEqual(["light", "season"]);
      expect(await lookAfter(1)).toEqual([]);
      know(knownDaysOf({ "2026-01-05": rte, "2026-01-06": { ...rte, ...said } }));
      expect(await lookAfter(1)).toEqual(["light"]);
      expect(await lookAfter(1)).toEqual([]);
      expect(await lookAfter(50)).toEqual(["light"]);
    },
  );

  test("the service is asked often in the hours of the announcement, also where this machine's clock shows others", async () => {
    let requests = 0;
    const counting = () => {
      requests += 1;
      return failing();
    };
    const { lookAfter } = openBoth(counting, { behind: 18 * 60 * MINUTE });
    const requestsAfter = async (minutes: number) => {
      const before = requests;
      await lookAfter(minutes);
      return requests - before;
    };
    await lookAfter(0);
    // 10:30 of the next day in truth.
    expect(await requestsAfter(20 * 60 + 15)).toBeGreaterThan(0);
    expect(await requestsAfter(4)).toBe(0);
    expect(await requestsAfter(1)).toBeGreaterThan(0);
  });

  /** The polls of two hours in which nobody answers; what is known says that it is 10:31 in Paris at the earliest. */
  async function pollsOfTwoHours(behind: number, checkClock: "auto" | "off") {
    const newest = Date.parse("2026-01-05T09:31:00Z");
    const clock = { at: newest - behind };
    const polls: Record<string, number> = {};
    const { loop, memory, know } = openTestLoop({
      clock,
      checkClock,
      ask: failing,
      askOfficial: failing,
    });
    know(knownDaysOf({ "2026-01-06": saidByRte("bleu", { first_said: newest, confirmed: false }) }));
    const polling = pollBoth({ loop, memory }, clock, ({ name }) => {
      polls[name] = (polls[name] ?? 0) + 1;
    });
    for (let minute = 0; minute <= 120; minute += 1) {
      void polling.pollIfDue();
      await new Promise((resolve) => setImmediate(resolve));
      clock.at += MINUTE;
    }
    return polls;
  }

  test.each([
    ["20 hours", 20 * 60 * MINUTE],
    ["two hours", 2 * 60 * MINUTE],
  ])(
    "are polled as often as otherwise while only what is known says that this machine's clock is %s behind",
    async (_, behind) => {
      const polls = await pollsOfTwoHours(behind, "auto");
      expect(Object.keys(polls).toSorted()).toEqual(["forecast service", "official source"]);
      expect(polls).toEqual(await pollsOfTwoHours(behind, "off"));
    },
  );

  test.each([
    ["a day behind", 24 * 60 * MINUTE],
    ["18 hours behind", 18 * 60 * MINUTE],
  ])("are asked at the right time of day by a machine whose clock is %s", async (_, behind) => {
    const { know, lookAfter } = openBoth(failing, { behind });
    know(knownDaysOf({ "2026-01-05": saidByRte("bleu") }));
    // 14:15 in truth.
    expect(await lookAfter(0)).toEqual(["light", "season"]);
    expect(await lookAfter(44)).toEqual([]);
    expect(await lookAfter(1)).toEqual(["light"]);
    // 18:00 and 05:50 of a tomorrow that is confirmed.
    know(knownDaysOf({ "2026-01-05": saidByRte("bleu"), "2026-01-06": saidByRte("bleu") }));
    expect(await lookAfter(60)).toEqual([]);
    expect(await lookAfter(119)).toEqual([]);
    expect(await lookAfter(1)).toEqual(["light"]);
  });
});
