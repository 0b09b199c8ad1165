import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bleuDaysWith } from "../support/bleu-days.ts";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { type RunningFaultyService, startFaultyService } from "../support/faulty-server.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { type RunningVigie, startVigieAndBroker, startVigieBefore } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const DAYS = bleuDaysWith("2025-09-01", "2026-02-01", {
  "2026-01-05": "rouge",
  "2026-01-06": "rouge",
} as const);

describe.skipIf(reason)(`the service is away since the evening before a rouge day ${reason}`, () => {
  const cleanup = createCleanup();
  let simulator: RunningFaultyService;
  let evening: RunningVigie;
  let known: ReadonlyMap<string, string>;
  const said = (name: string) => known.get(`vigie/${name}`) ?? "";

  beforeAll(async () => {
    // 20:00 in Paris.
    const time = startFakeTime("2026-01-04T19:00:00Z", 240);
    simulator = await startFaultyService({
      port: 0,
      seed: 1,
      clock: time.clock,
      sendDate: false,
      days: DAYS,
    });
    cleanup.add(simulator.stop);
    evening = await startVigieAndBroker(cleanup, { service: simulator.url, time });
    await evening.until({ "service/status": "ok", "next/color": "rouge", "now/color": "bleu" });
    // The days ahead come one after the other.
    await evening.until({ "service/last_success": /Z$/, "d7/color": /bleu|blanc|rouge/ });
    known = new Map(evening.observer.retained);
    simulator.faults.set(["down"]);
    expect((await evening.vigie.end()).code).toBe(0);
  });
  afterAll(cleanup.run);

  /** Started again some minutes before an instant, on what was known in the evening. */
  const restart = (at: string, lead?: number) =>
    startVigieBefore(cleanup, {
      at,
      state: evening.folder,
      service: async () => simulator.url,
      ...(lead !== undefined && { lead }),
    });

  test.concurrent("a restart tells the truth from the store, before any answer", async () => {
    // At the speed of life: it takes minutes until the first question is given up.
    const time = startFakeTime("2026-01-04T21:00:00Z", 1);
    const { until, payloadsOf } = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
      state: evening.folder,
    });
    await until({ availability: "online" });
    expect(payloadsOf("now/color", "next/color", "next/official", "rouge_next", "tomorrow/date")).toEqual({
      "now/color": "bleu",
      "next/color": "rouge",
      "next/official": "ON",
      rouge_next: "ON",
      "tomorrow/date": "2026-01-05",
    });
  });

  test.concurrent("the service counts as degraded once a poll has failed, and as down three hours later", async () => {
    const { until, time } = await restart("2026-01-04T21:00:00Z", 20);
    await until({ "service/status": "degraded", "service/problem_code": "service" });
    const since = time.clock.now();
    await until({ "service/last_error": /could not be reached/ });
    await until({ "service/status": "down", "service/problem": "ON" });
    const hours = (time.clock.now() - since) / 3_600_000;
    // This test may see the failure late, but never before the poll is over.
    expect(hours).toBeGreaterThan(2);
    expect(hours).toBeLessThan(4);
  });

  test.concurrent("at 00:00 the civil days change, the tariff day does not, and an unknown day is None", async () => {
    const { payloadsOf, until, expectPunctual } = await restart("2026-01-04T23:00:00Z");
    expect(payloadsOf("today/date", "rouge_today", "d7/color")).toEqual({
      "today/date": "2026-01-04",
      rouge_today: "OFF",
      "d7/color": said("d7/color"),
    });
    await until({ "today/date": "2026-01-05", rouge_today: "ON", "d7/color": "None" });
    expectPunctual();
    await until({
      "today/color": "rouge",
      "tomorrow/date": "2026-01-06",
      "tomorrow/color": said("d2/color"),
      "d7/date": "2026-01-12",
      "d7/confidence": "None",
      "d6/color": said("d7/color"),
      "now/date": "2026-01-04",
      rouge_now: "OFF",
      rouge_next: "ON",
      "service/status": "degraded",
    });
  });

  test.concurrent("at 06:00 rouge is in force", async () => {
    const { payloadsOf, until, expectPunctual } = await restart("2026-01-05T05:00:00Z");
    expect(payloadsOf("now/color", "now/period", "rouge_now", "rouge_hp_now")).toEqual({
      "now/color": "bleu",
      "now/period": "hc",
      rouge_now: "OFF",
      rouge_hp_now: "OFF",
    });
    await until({ "now/color": "rouge", rouge_now: "ON", rouge_hp_now: "ON", offpeak: "OFF" });
    expectPunctual();
    await until({
      "now/date": "2026-01-05",
      "now/slot": "rouge_hp",
      "now/stage": "final",
      "now/color_until": "2026-01-06T05:00:00Z",
      "now/period_until": "2026-01-05T21:00:00Z",
      "next/date": "2026-01-06",
      "next/color": said("d2/color"),
      "next/official": "OFF",
    });
  });

  test.concurrent("at 22:00 the dear hours of rouge are over, and rouge is not", async () => {
    const { payloadsOf, until, expectPunctual } = await restart("2026-01-05T21:00:00Z");
    expect(payloadsOf("rouge_hp_now", "offpeak")).toEqual({ rouge_hp_now: "ON", offpeak: "OFF" });
    await until({ rouge_hp_now: "OFF", offpeak: "ON", "now/period": "hc" });
    expectPunctual();
    await until({ "now/color": "rouge", rouge_now: "ON", "now/slot": "rouge_hc" });
  });

  test.concurrent("at 06:00 of the day after, its forecast is in force, and is called one", async () => {
    const { payloadsOf, until, expectPunctual } = await restart("2026-01-06T05:00:00Z");
    expect(payloadsOf("now/color", "next/official")).toEqual({
      "now/color": "rouge",
      "next/official": "OFF",
    });
    await until({ "now/date": "2026-01-06", "now/stage": "forecast", "now/official": "OFF" });
    expectPunctual();
    await until({ "now/color": said("d2/color"), "next/color": said("d3/color") });
  });

  test.concurrent("what-if: The forecast service is down · after a week no day is known, and nothing is guessed", async () => {
    const { payloadsOf, until, expectPunctual } = await restart("2026-01-12T05:00:00Z");
    expect(payloadsOf("now/color", "now/date")).toEqual({
      "now/color": said("d7/color"),
      "now/date": "2026-01-11",
    });
    await until({ "now/date": "2026-01-12", "now/color": "None", rouge_now: "None", rouge_hp_now: "None" });
    expectPunctual();
    await until({
      "next/color": "None",
      "now/slot": "None",
      "now/rate": "None",
      "next_change/color": "None",
      "next_rouge/date": "None",
      "next_rouge/outlook": "unknown",
      "service/status": "degraded",
    });
  });
});
