import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bleuDaysWith } from "../support/bleu-days.ts";
import { type FakeTime, MINUTE, withoutFakeTime } from "../support/fake-time.ts";
import { type RunningFaultyService, startFaultyService } from "../support/faulty-server.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { startVigieBefore, type VigieBeforeInstant } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const DAYS = bleuDaysWith("2025-09-01", "2026-02-01", { "2026-01-05": "rouge" } as const);
const BOILER = "shellies/boiler/relay/0/command";
const CONFIG = {
  rules: [
    {
      id: "rouge_ahead",
      // Of forecasts none counts: it turns with the announcement.
      when: {
        any: [
          { day: "next", color: "rouge", official: true },
          { day: "now", color: "rouge" },
        ],
      },
    },
    { id: "rouge_peak", when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] }, lead: "5m" },
  ],
  outputs: [{ topic: BOILER, choose: [{ when: "rouge_peak", payload: "off" }], else: "on" }],
};

describe.skipIf(reason)(`a rouge day and a boiler ${reason}`, () => {
  const cleanup = createCleanup();
  let announced: VigieBeforeInstant;
  afterAll(cleanup.run);

  let simulator: RunningFaultyService | undefined;
  const service = async ({ clock }: FakeTime) => {
    // Days of another address would be another service's.
    if (!simulator || simulator.faults.get().length === 0) {
      const world = { port: 0, seed: 1, clock, sendDate: false, days: DAYS, officialAt: "06:35" };
      simulator = await startFaultyService(world);
      cleanup.add(simulator.stop);
    }
    return simulator.url;
  };
  /** A window, and what the boiler is told in it. */
  const open = async (at: string, state?: string) => {
    let boiler: Observer | undefined;
    const running = await startVigieBefore(cleanup, {
      at,
      service,
      config: CONFIG,
      ...(state !== undefined && { state }),
      beforeStart: async (url) => {
        boiler = await observe(url, BOILER);
        cleanup.add(boiler.disconnect);
      },
    });
    const told = () => boiler?.received.map(({ payload, retain }) => ({ payload, retain })) ?? [];
    return { ...running, told };
  };
  const states = ({ observer }: VigieBeforeInstant, rule: string) =>
    observer.received
      .filter(({ topic }) => topic === `vigie/rules/${rule}/state`)
      .map(({ payload }) => payload);
  const events = ({ observer }: VigieBeforeInstant) =>
    observer.received
      .filter(({ topic }) => topic === "vigie/event")
      .map(({ payload }) => JSON.parse(payload));

  beforeAll(async () => {
    // Announced at 06:35 in Paris the day before.
    const running = await open("2026-01-04T05:35:00Z");
    announced = running;
    await running.until({ "rules/rouge_ahead/state": "OFF", "next/official": "OFF" });
    await running.until({ "rules/rouge_ahead/state": "ON" });
    running.expectPunctual(5 * MINUTE);
    await running.until({ "rules/rouge_ahead/next_off": "2026-01-06T05:00:00Z" });
    await running.observer.until(() => events(running).some(({ rule }) => rule), "the rule's event came");
    expect(events(running).filter(({ rule }) => rule)).toEqual([
      { event_type: "rule_on", rule: "rouge_ahead", date: "2026-01-05", color: "rouge" },
    ]);
    // vigie does not undo what it did not do.
    expect(running.told()).toEqual([]);
    simulator?.faults.set(["down"]);
    expect((await running.vigie.end()).code).toBe(0);
  });

  test.concurrent("the rule stays ON over midnight, through a restart and with the service away", async () => {
    const running = await open("2026-01-04T23:00:00Z", announced.folder);
    await running.until({ "today/date": "2026-01-05", "now/date": "2026-01-04" });
    running.expectPunctual();
    expect(new Set(states(running, "rouge_ahead"))).toEqual(new Set(["ON"]));
    expect(running.told()).toEqual([]);
  });

  test.concurrent("the payload off is sent once before 06:00, and on once at 22:00", async () => {
    const morning = await open("2026-01-05T05:00:00Z", announced.folder);
    await morning.observer.until(() => morning.told().length > 0, "the boiler was told");
    const early = Date.parse("2026-01-05T05:00:00Z") - morning.time.clock.now();
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThanOrEqual(5 * MINUTE);
    await morning.until({ rouge_hp_now: "ON", "now/date": "2026-01-05" });
    expect(new Set(states(morning, "rouge_ahead"))).toEqual(new Set(["ON"]));
    expect(events(morning).filter(({ rule }) => rule === "rouge_ahead")).toEqual([]);
    await morning.vigie.end("SIGKILL");
    expect(morning.told()).toEqual([{ payload: "off", retain: false }]);

    const night = await open("2026-01-05T21:00:00Z", morning.folder);
    expect(night.payloadOf("rules/rouge_peak/state")).toBe("ON");
    await night.observer.until(() => night.told().length > 0, "the boiler was told");
    night.expectPunctual();
    await night.until({ "rules/rouge_peak/state": "OFF", "rules/rouge_ahead/state": "ON" });
    await night.vigie.end();
    expect(night.told()).toEqual([{ payload: "on", retain: false }]);
  });

  test.concurrent("the rule ends with the rouge day", async () => {
    const running = await open("2026-01-06T05:00:00Z", announced.folder);
    expect(running.payloadOf("rules/rouge_ahead/state")).toBe("ON");
    await running.until({ "rules/rouge_ahead/state": "OFF" });
    running.expectPunctual();
  });
});
