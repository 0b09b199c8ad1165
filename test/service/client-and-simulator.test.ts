import { describe, expect, it, onTestFinished } from "vitest";
import { EMPTY_MEMORY } from "../../src/core/sources/source-kept.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { keepMemory } from "../../src/service/memory-keeper.ts";
import { probeService } from "../../src/service/probe.ts";
import { retryDelay } from "../../src/service/retry-delay.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
import { AnswerUnreadable } from "../../src/service/service-errors.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { SILENT_LOG } from "../support/logs.ts";
import type { FaultName } from "../support/service-faults.ts";

const AT = Date.UTC(2026, 0, 5, 12);
const TODAY = "2026-01-05";
const CONFIG = { colors: {}, confidence: "auto", rate_unit: "EUR/kWh", history_parameters: "auto" } as const;

/** The client against the simulator; the first wait ends the asking. */
async function open(...faults: FaultName[]) {
  const clock = { ...systemClock, now: () => AT, steady: () => AT };
  const simulator = await startFaultyService({
    port: 0,
    seed: 1,
    clock,
    sendDate: false,
    faults,
  });
  const memory = keepMemory(EMPTY_MEMORY);
  const client = createServiceClient({
    config: CONFIG,
    base: simulator.url,
    version: "1.2.3",
    clock: {
      ...clock,
      after: () => {
        throw new Error("waiting is not the test's business");
      },
    },
    random: () => 1,
    memory,
    log: SILENT_LOG,
    timeout: 60_000,
  });
  onTestFinished(async () => {
    await client.close();
    await simulator.stop();
  });
  const { signal } = new AbortController();
  return {
    client,
    memory,
    signal,
    probe: () => probeService({ client, address: "x", today: TODAY, signal, post: () => undefined }),
  };
}

describe("the client and the simulator", () => {
  it("understand each other at every endpoint", async () => {
    const { client, signal } = await open();
    const forecasts = await client.ask({ kind: "forecasts" }, { signal });
    expect(forecasts.answer).toMatchObject({ kind: "forecasts", updated_at: expect.any(Number) });
    if (forecasts.answer.kind !== "forecasts") throw new Error("Expected forecasts");
    expect(forecasts.answer.days).toHaveLength(8);
    expect(forecasts.answer.days[0]?.date).toBe(TODAY);
    const first = forecasts.answer.days[0];
    const date = await client.ask({ kind: "date", date: TODAY }, { signal });
    expect(date.answer).toMatchObject({ kind: "date", is_official: true, day: { color: first?.color } });
    const season = await client.ask({ kind: "season", label: "2024-2025" }, { signal });
    expect(season.answer).toMatchObject({
      kind: "season",
      season: { label: "2024-2025", days_remaining: 0 },
    });
    const history = await client.ask({ kind: "history", start: "2024-10-01", end: "2026-01-04" }, { signal });
    if (history.answer.kind !== "history") throw new Error("Expected history");
    expect(history.answer.entries).toHaveLength(461);
    expect(history.answer.entries.every(({ color, rates }) => color !== null && rates.hp !== null)).toBe(
      true,
    );
  });

  it("a probe of each endpoint says what was assumed", async () => {
    const probes = await (await open()).probe();
    expect(probes.map(({ endpoint, answer }) => [endpoint, answer?.kind])).toEqual([
      ["forecasts", "forecasts"],
      ["date", "date"],
      ["season", "season"],
      ["history", "history"],
    ]);
    const assumed = probes.flatMap((one) => one.assumed).join("\n");
    expect(assumed).toMatch(/colours: "(bleu|blanc|rouge)" is (bleu|blanc|rouge)/);
    expect(assumed).toMatch(/confidence: from 0\.\d+ to (1|0\.\d+), taken as ratio/);
    expect(assumed).toContain("taken as EUR/kWh");
    expect(assumed).toContain("whether the colour is official: said by the service (is_official)");
    expect(assumed).toContain("names of the two dates in the request: start_date and end_date");
  });

  it("a probe spares a service that is away", async () => {
    const probes = await (await open("down")).probe();
    expect(probes.map(({ answer, message }) => [answer, message.startsWith("not requested")])).toEqual([
      [null, false],
      [null, true],
      [null, true],
      [null, true],
    ]);
  });

  it("a reset, before the answer or within it, is worth another try", async () => {
    const { client, signal } = await open("reset");
    const error = await client.ask({ kind: "forecasts" }, { signal }).catch((cause: unknown) => cause);
    expect(retryDelay(error, 1, 1)).toBe(5_000);
  });

  it("the faults percent, spellings and history-names are understood", async () => {
    const { client, memory, signal } = await open("percent", "spellings", "history-names");
    const { answer } = await client.ask({ kind: "forecasts" }, { signal });
    if (answer.kind !== "forecasts") throw new Error("Expected forecasts");
    expect(answer.days.length).toBeGreaterThan(5);
    expect(answer.days.every(({ color }) => color !== null)).toBe(true);
    expect(answer.days.every(({ confidence }) => confidence !== null && confidence <= 1)).toBe(true);
    const history = await client.ask({ kind: "history", start: "2025-12-01", end: "2025-12-31" }, { signal });
    expect(history.answer).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ date: "2025-12-31" })]),
    });
    expect(memory.get().percent).toBe(true);
    expect(memory.get().history_parameters).not.toBeNull();
  });

  it.each(["unknown-colors", "cents", "missing", "nulls", "wrong-today", "revised"] as const)(
    "the fault %s leaves an answer without a guess",
    async (fault) => {
      const { client, signal } = await open(fault);
      const outcome = await client.ask({ kind: "forecasts" }, { signal }).catch((error: unknown) => error);
      if (outcome instanceof Error) return expect(outcome).toBeInstanceOf(AnswerUnreadable);
      expect(outcome).toMatchObject({ answer: { kind: "forecasts" } });
    },
  );
});
