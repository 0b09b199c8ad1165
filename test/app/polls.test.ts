import { describe, expect, test } from "vitest";
import { civilDate } from "../../src/core/calendar/dates.ts";
import type { SourceId } from "../../src/core/facts/source-record.ts";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
import { NEW_SOURCE } from "../../src/core/sources/source-kept.ts";
import { ServiceUnreachable } from "../../src/service/service-errors.ts";
import type { RequestOptions } from "../../src/service/service-request.ts";
import { emptyState } from "../../src/state/state.ts";
import { forecastsAnswer } from "../support/answers.ts";
import { forecast, knownDaysOf, official, officialDays, saidByRte } from "../support/known-days.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { PARIS } from "../support/tariff.ts";
import { openTestLoop, settled, type TestLoopOptions } from "../support/test-loop.ts";

const MINUTE = 60_000;
const QUARTER_PAST = Date.parse("2026-01-05T13:15:00Z");

type Ask = NonNullable<TestLoopOptions["ask"]>;

interface PollingSettings {
  /** When the last request before the start was sent. */
  sentAt?: number | null;
  ask: Ask;
}

/** A start with days known from before. */
function openPolling({ sentAt = null, ask }: PollingSettings) {
  const clients = { test: { ...NEW_SOURCE, sent_at: sentAt } };
  const store = createMemoryStore({ ...emptyState("test"), clients });
  const clock = { at: QUARTER_PAST };
  return openTestLoop({ clock, store, days: BLEU, ask, polls: "when due" });
}

const BLEU = knownDaysOf(officialDays("2026-01-01", "2026-01-06"));
const REPLY = { answer: forecastsAnswer(null), date: null, made_at: null, sent: null };

describe("a start polls at once", () => {
  test.each([
    ["beyond the day's budget at the first start", null, true],
    ["beyond it where the hourly poll was missed", QUARTER_PAST - 16 * MINUTE, true],
    ["only within it shortly after another request", QUARTER_PAST - MINUTE, false],
  ])("%s", async (_case, sentAt, essential) => {
    const asked: [string, boolean | undefined][] = [];
    const ask: Ask = async (request, options) => {
      if (request.kind === "date" || request.kind === "forecasts")
        asked.push([request.kind === "date" ? request.date : request.kind, options.essential]);
      return REPLY;
    };
    openPolling({ sentAt, ask });
    await settled();
    // The next day is final, and asked for once more.
    expect(asked).toEqual([
      ["forecasts", essential],
      ["2026-01-06", essential],
    ]);
  });
});

describe("a poll", () => {
  /** Each one ends when the test says so. */
  function open() {
    let polls = 0;
    let settle: () => void = () => undefined;
    let ended: "well" | Error | null = null;
    let told: RequestOptions["post"];
    const ask: Ask = ({ kind }, { post }) => {
      if (kind === "forecasts") {
        polls += 1;
        ended = null;
      }
      told = post;
      return new Promise((resolve, reject) => {
        settle = () => {
          if (ended === "well") resolve(REPLY);
          else if (ended) reject(ended);
        };
        settle();
      });
    };
    const opened = openPolling({ ask });
    const fail = (failure: string) => told?.({ kind: "tried", failure, isPause: false });
    const finish = async (outcome: "well" | Error) => {
      ended = outcome;
      settle();
      await settled();
    };
    const press = () => opened.command({ kind: "poll" });
    return { ...opened, press, polls: () => polls, fail, finish };
  }
  const AWAY = new ServiceUnreachable(FORECAST_SERVICE, "GET /v1/public", "example.org", "no route");
  const PRESSED = "x/set: vigie asks its sources as soon as its limits of requests allow it";

  test("tells the first failure of the first one after a start at once, while it tries again, and later ones at its end", async () => {
    const { press, fail, finish, lines } = open();
    fail("no route");
    expect(lines.splice(0)).toEqual(["no route"]);
    fail("status 500");
    expect(lines).toEqual([]);
    await finish(AWAY);
    expect(lines.splice(0)).toEqual([AWAY.message]);
    await press();
    fail("status 500");
    expect(lines).toEqual([PRESSED, "x/set: status 500"]);
    await finish("well");
    expect(lines.slice(2)).toEqual(["The forecast service answers again, after 0 s"]);
  });

  test("that fails for its season alone says so once, also after a restart that asks for it again", async () => {
    const store = createMemoryStore(emptyState("test"));
    const clock = { at: QUARTER_PAST };
    let isSeasonThere = false;
    let isAway = false;
    const ask: Ask = async ({ kind }) => {
      if (isAway || (kind === "season" && !isSeasonThere)) throw new Error(`no ${kind}`);
      return REPLY;
    };
    const start = () => openTestLoop({ clock, store, days: BLEU, ask, polls: "when due" });
    const later = async ({ loop, lines }: ReturnType<typeof start>, minutes: number) => {
      clock.at += minutes * MINUTE;
      loop.refresh();
      await settled();
      return lines.splice(0);
    };
    const first = start();
    expect(await later(first, 1)).toEqual(["no season"]);
    // What failed before a start is not said again, if it is not asked: not within the hour.
    const second = openTestLoop({ clock, store: createMemoryStore(store.state()), ask, polls: "when due" });
    expect(await later(second, 1)).toEqual([]);
    // While today and tomorrow fail as well, it is one cause.
    isAway = true;
    expect(await later(second, 60)).toEqual(["no forecasts"]);
    isAway = false;
    expect(await later(second, 60)).toEqual(["no season", "The forecast service answers again, after 1 h"]);
    isSeasonThere = true;
    expect(await later(second, 60)).toEqual(["The forecast service answers about the season, after 1 h"]);
  });

  test("tells a command its first failure at once, and nothing more", async () => {
    const { press, fail, finish, lines } = open();
    await press();
    fail("no route");
    expect(lines.splice(0)).toEqual([PRESSED, "x/set: no route", "no route"]);
    await finish("well");
    expect(lines).toEqual(["The forecast service answers again, after 0 s"]);
  });

  test("that runs already is what a command is told of, however often it comes", async () => {
    const { press, polls, finish, lines } = open();
    await press();
    await press();
    await finish("well");
    expect(lines).toEqual([PRESSED, PRESSED, "x/set: the forecast service has answered"]);
    expect(polls()).toBe(1);
  });
});

describe("after a kill", () => {
  const askOfficial = () => Promise.reject(new Error("not asked here"));
  const open = (store = createMemoryStore(emptyState("test"))) => {
    const { memories } = openTestLoop({ store, clock: { at: QUARTER_PAST }, askOfficial });
    return { memory: { client: memories.service, officialClient: memories.official }, store };
  };

  test("what-if: The refresh button is hammered · the count of the first requests of each start is known", () => {
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
  /** Both pollings on the real loop; the service answers what `ask` says. */
  function openBoth(ask: Ask, { behind = 0, doesRteHang = false, days = knownDaysOf({}) } = {}) {
    const clock = { at: QUARTER_PAST - behind };
    const asked: string[] = [];
    const beyondBudget: string[] = [];
    const opened = openTestLoop({
      clock,
      ask,
      days,
      checkClock: "auto",
      polls: "when due",
      askOfficial: async ({ kind }, { essential, signal }) => {
        asked.push(kind);
        if (essential) beyondBudget.push(kind);
        if (doesRteHang) await untilAborted(signal);
        const date = clock.at + behind;
        const today = { date: civilDate(date, PARIS.time_zone), color: "bleu" as const };
        return { answer: { kind, words: [today] }, date, made_at: null, sent: null };
      },
    });
    let looked = 0;
    /** What RTE was asked since the last time. */
    const lookAfter = async (minutes: number) => {
      clock.at += minutes * MINUTE;
      opened.loop.refresh();
      await settled();
      const before = looked;
      looked = asked.length;
      return asked.slice(before);
    };
    return { ...opened, clock, asked, beyondBudget, polled: () => pollsOf(opened), lookAfter };
  }

  /** How many polls of each source have ended. */
  const pollsOf = ({ loop }: Pick<ReturnType<typeof openTestLoop>, "loop">) => {
    const { service, official } = loop.view().pollCounts;
    const total = (counts: Record<string, number> = {}) =>
      Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { service: total(service), official: total(official) } satisfies Record<SourceId, number>;
  };

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });

  const failing = () => Promise.reject(new Error("the service is away"));

  test("have polls of their own: a service that hangs does not delay the official source", async () => {
    const { lookAfter, asked, polled, stop } = openBoth((_request, { signal }) => untilAborted(signal));
    await settled();
    expect(polled()).toEqual({ service: 0, official: 1 });
    expect(asked).toEqual(["light", "season"]);
    await lookAfter(46);
    expect(polled()).toMatchObject({ official: 2 });
    expect(asked).toEqual(["light", "season", "light"]);
    await stop();
  });

  test("have polls of their own: an official source that hangs does not delay the service", async () => {
    const { lookAfter, polled, asked, stop } = openBoth(failing, { doesRteHang: true });
    await settled();
    expect(polled()).toEqual({ service: 1, official: 0 });
    expect(asked).toEqual(["light"]);
    await lookAfter(60);
    expect(polled()).toMatchObject({ service: 2 });
    await stop();
  });

  test("what-if: The refresh button is hammered · are both polled by a command, which sends RTE nothing beyond the day's budget", async () => {
    const { command, asked, beyondBudget, polled, lines } = openBoth(failing);
    await settled();
    expect(polled()).toEqual({ service: 1, official: 1 });
    const beyondBefore = [...beyondBudget];
    await command({ kind: "poll" });
    expect(polled()).toEqual({ service: 2, official: 2 });
    const [, ...told] = lines.filter((line) => line.startsWith("x/set"));
    expect(told.toSorted()).toEqual([
      "x/set: the official source has answered",
      "x/set: the service is away",
    ]);
    expect(asked).toEqual(["light", "season", "light"]);
    expect(beyondBudget).toEqual(beyondBefore);
  });

  test.each([
    ["an official colour", official("rouge")],
    ["a forecast", forecast("rouge")],
  ])(
    "that differ, by %s of the service: the official source is asked hourly while they differ",
    async (_kind, said) => {
      const rte = saidByRte("bleu");
      const days = knownDaysOf({ "2026-01-05": rte, "2026-01-06": rte });
      const { know, lookAfter } = openBoth(failing, { days });
      expect(await lookAfter(0)).toEqual(["light", "season"]);
      expect(await lookAfter(1)).toEqual([]);
      know(knownDaysOf({ "2026-01-05": rte, "2026-01-06": { ...rte, ...said } }));
      expect(await lookAfter(1)).toEqual([]);
      expect(await lookAfter(50)).toEqual(["light"]);
      expect(await lookAfter(1)).toEqual([]);
    },
  );

  test("are asked after each jump of the clock by a minute or more, ten times a day", async () => {
    const clock = { at: QUARTER_PAST, steady: 0 };
    let requests = 0;
    const { loop } = openTestLoop({
      clock,
      days: BLEU,
      checkClock: "auto",
      polls: "when due",
      ask: async ({ kind }) => {
        if (kind === "forecasts") requests += 1;
        return REPLY;
      },
    });
    const askedAfter = async (by: number) => {
      const before = requests;
      clock.at += by;
      loop.refresh();
      await settled();
      return requests - before;
    };
    await settled();
    expect(requests).toBe(1);
    expect(await askedAfter(MINUTE - 1)).toBe(0);
    const asked: number[] = [];
    for (let jump = 0; jump < 12; jump += 1) asked.push(await askedAfter(MINUTE));
    expect(asked).toEqual([...Array(10).fill(1), 0, 0]);
  });

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
    const asked: string[] = [];
    const ask = ({ kind }: { kind: string }) => {
      asked.push(kind);
      return failing();
    };
    const opened = openTestLoop({
      clock,
      checkClock,
      ask,
      askOfficial: ask,
      polls: "when due",
      days: knownDaysOf({ "2026-01-06": saidByRte("bleu", { first_said: newest, confirmed: false }) }),
    });
    for (let minute = 0; minute <= 120; minute += 1) {
      opened.loop.refresh();
      await settled();
      clock.at += MINUTE;
    }
    return ["forecasts", "light"].map((kind) => asked.filter((one) => one === kind).length);
  }

  test.each([
    ["20 hours", 20 * 60 * MINUTE],
    ["two hours", 2 * 60 * MINUTE],
  ])(
    "are polled as often as otherwise while only what is known says that this machine's clock is %s behind",
    async (_, behind) => {
      const polls = await pollsOfTwoHours(behind, "auto");
      expect(Math.min(...polls)).toBeGreaterThan(0);
      expect(polls).toEqual(await pollsOfTwoHours(behind, "off"));
    },
  );

  test.each([
    ["a day behind", 24 * 60 * MINUTE],
    ["18 hours behind", 18 * 60 * MINUTE],
  ])("are asked at the right time of day by a machine whose clock is %s", async (_, behind) => {
    const days = knownDaysOf({ "2026-01-05": saidByRte("bleu") });
    const { know, lookAfter } = openBoth(failing, { behind, days });
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
