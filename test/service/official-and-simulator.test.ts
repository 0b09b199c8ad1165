import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDays, datesBetween } from "../../src/core/calendar/dates.ts";
import type { Color, IsoDate } from "../../src/core/calendar/tariff.ts";
import { countingWords, whyFailure } from "../../src/core/days/official-answer.ts";
import { EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { keepMemory } from "../../src/service/memory-keeper.ts";
import { createOfficialClient, type OfficialClient } from "../../src/service/official-client.ts";
import { REQUEST_RULES } from "../../src/service/request-rules.ts";
import { ServiceError } from "../../src/service/service-errors.ts";
import { announceAt, trueColor } from "../../src/simulator/official-colors.ts";
import { type RunningFaultyService, startFaultyService } from "../support/faulty-server.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { OFFICIAL_FAULTS, type OfficialFaultName } from "../support/service-faults.ts";
import { PARIS } from "../support/tariff.ts";

const TODAY = "2026-01-05";
const SEASON = { kind: "season", label: "2025-2026" } as const;
const LIGHT = { kind: "light" } as const;

let simulator: RunningFaultyService;
let client: OfficialClient;
let minutes = 0;
const memory = keepMemory(EMPTY_MEMORY);
/** Another minute for each request: neither side then refuses one of too many. */
const now = () => Date.parse(`${TODAY}T11:00:00+01:00`) + minutes * 60_000;

beforeAll(async () => {
  simulator = await startFaultyService({
    port: 0,
    seed: 7,
    clock: { now },
    sendDate: false,
    slowFor: 1,
    dripEvery: 0,
    dripBytes: 100,
  });
  client = createOfficialClient({
    base: simulator.url,
    version: "1.2.3",
    tariff: PARIS,
    clock: {
      ...systemClock,
      now,
      steady: now,
      after: (milliseconds, run) => {
        minutes += milliseconds / 60_000;
        queueMicrotask(run);
        return () => undefined;
      },
    },
    random: () => 1,
    memory,
    log: SILENT_LOG,
  });
});
afterAll(async () => {
  await client.close();
  await simulator.stop();
});

/** The words of both requests, and how many of the two failed. */
async function ask(...faults: OfficialFaultName[]) {
  simulator.officialFaults.set(faults);
  const words: { date: IsoDate; color: Color }[] = [];
  let failures = 0;
  for (const request of [LIGHT, SEASON]) {
    minutes += 1;
    // Two more, and no request is tried again.
    memory.set({ ...EMPTY_MEMORY, spent: { day: TODAY, count: REQUEST_RULES.official.retryBudget - 2 } });
    const options = { signal: new AbortController().signal, essential: true };
    try {
      const { answer } = await client.ask(request, options);
      words.push(...countingWords(answer, now(), PARIS));
      if (whyFailure(answer, now(), PARIS) !== null) failures += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError);
      failures += 1;
    }
  }
  return { words, failures };
}

const truth = (date: IsoDate) =>
  trueColor(date, { seed: 7, days: new Map(), announcements: announceAt("10:30") });

describe("the official client and the simulator", () => {
  it("understand each other: past days, today and tomorrow, each once, as they are", async () => {
    const { words, failures } = await ask();
    expect(failures).toBe(0);
    const dates = words.map(({ date }) => date).toSorted();
    expect(dates).toEqual(datesBetween("2025-09-01", addDays(TODAY, 1)));
    for (const { date, color } of words) expect(color).toBe(truth(date));
  });

  /** Faults after which an answer tells what the source did not mean to say: it is the source's word all the same. */
  const LIES: readonly OfficialFaultName[] = ["other-colors", "revised"];
  const FAILING: readonly OfficialFaultName[] = [
    "down",
    "reset",
    "truncated",
    "html",
    "huge",
    "gzip-bomb",
    "redirect",
    "400",
    "422",
    "429",
    "429-retry-after",
    "500",
  ];

  it.each(OFFICIAL_FAULTS.filter((fault) => !LIES.includes(fault)))(
    "with the fault %s no word is given that is not true",
    async (fault) => {
      const { words, failures } = await ask(fault);
      for (const { date, color } of words) expect(color).toBe(truth(date));
      if (FAILING.includes(fault)) expect([failures, words]).toEqual([2, []]);
      expect(await ask()).toMatchObject({ failures: 0 });
    },
  );

  it.each([
    ["unknown-colors", 1],
    ["wrong-today", 0],
    ["wrong-season", 2],
    ["spellings", 0],
    ["strange-keys", 0],
    ["slow", 0],
  ] as const)("the fault %s makes %i of the two requests fail", async (fault, failures) => {
    expect((await ask(fault)).failures).toBe(failures);
  });

  it.each(LIES)(
    "with the fault %s the source's word counts, and only colours that the tariff allows",
    async (fault) => {
      const { words } = await ask(fault);
      expect(words.some(({ date, color }) => color !== truth(date))).toBe(fault === "other-colors");
    },
  );
});
