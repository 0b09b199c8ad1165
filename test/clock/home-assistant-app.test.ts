import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { startSimulator } from "../../src/simulator/server.ts";
import {
  BROKER_PASSWORD,
  openAppHouse,
  startGuardedBroker,
  watchGuardedBroker,
} from "../support/app-vigie.ts";
import { MINUTE, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { freePort } from "../support/ports.ts";
import { createCleanup } from "../support/vigie.ts";

const SPEED = 60;
const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`the Home Assistant app at ${SPEED} times real speed ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  const openHouse = async () => {
    const time = startFakeTime("2026-01-12T10:00:00Z", SPEED);
    const days = new Map([["2026-01-12", "rouge"] as const]);
    const official = await startSimulator({ port: 0, seed: 3, clock: time.clock, sendDate: false, days });
    cleanup.add(official.stop);
    const house = await openAppHouse(cleanup, official.url);
    return { ...house, time, startNow: () => house.start(time.env()) };
  };
  const RULE = { id: "peak", colors: "rouge", day: "now", hours: "peak" };

  test("is connected soon after its broker, which comes ten minutes late; its page has the days meanwhile", async () => {
    const house = await openHouse();
    await house.writeForm({ rules: [RULE] });
    // Neither does Home Assistant name a broker, nor is there one.
    const port = await freePort();
    const vigie = await house.startNow();
    const began = house.time.clock.now();
    await house.shows('class="panel now rouge');
    await house.shows("Home Assistant n’indique pas encore de broker MQTT");
    await vi.waitFor(() => expect(house.time.clock.now()).toBeGreaterThan(began + 10 * MINUTE), PATIENCE);
    // Again and again, about every ten seconds; at this speed a busy machine manages fewer.
    expect(house.supervisor.asked()).toBeGreaterThan(2);
    expect((await house.get("/alive")).status).toBe(200);
    house.supervisor.names({ port, password: BROKER_PASSWORD });
    await vigie.says(/^Home Assistant names the broker .*, after \d+ min/);
    // It is named before it runs, as when a machine starts.
    const broker = await startGuardedBroker(cleanup, { port });
    const app = await watchGuardedBroker(cleanup, broker, vigie.output);
    await app.until({ availability: "online", "now/color": "rouge", "rules/peak/state": "ON" });
    const asked = house.supervisor.asked();
    const connected = house.time.clock.now();
    await vi.waitFor(() => expect(house.time.clock.now()).toBeGreaterThan(connected + 2 * MINUTE), PATIENCE);
    // Whoever is connected asks for nothing.
    expect(house.supervisor.asked()).toBeLessThanOrEqual(asked + 1);
    const lines = vigie.lines.filter(({ msg }) => /has no MQTT broker/.test(msg));
    expect(lines).toHaveLength(1);
  });

  test("keeps a configuration that ran for a minute, for when the next one is wrong", async () => {
    const house = await openHouse();
    const broker = await startGuardedBroker(cleanup);
    house.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
    await house.writeForm({ rules: [RULE] });
    const first = await house.startNow();
    const app = await watchGuardedBroker(cleanup, broker, first.output);
    await app.until({ availability: "online", "rules/peak/state": "ON" });
    const path = join(house.folder, "data", "last-good.json");
    const kept = await vi.waitFor(() => readFile(path, "utf8"), { timeout: PATIENCE, interval: 20 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(kept).given.rules).toMatchObject([{ id: "peak" }]);
    await first.end("SIGKILL");

    await house.writeForm({ rules: [{ ...RULE, day: "soon" }] });
    const second = await house.startNow();
    await second.says(/^Configuration: Règles 1, Jour\u00a0: attendu un de ces mots \(now/);
    await app.until({ availability: "online", "rules/peak/state": "ON" });
    await house.shows("La précédente reste en vigueur");
    await second.end();
    for (const { output } of [first, second]) expect(output()).not.toContain(BROKER_PASSWORD);
  });

  test("takes the place of another vigie on its base topic within minutes after that has ended", async () => {
    const [house, other] = [await openHouse(), await openHouse()];
    const broker = await startGuardedBroker(cleanup);
    for (const one of [house, other]) {
      one.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
      await one.writeForm({ rules: [RULE] });
    }
    const first = await other.startNow();
    const app = await watchGuardedBroker(cleanup, broker, first.output);
    await app.until({ availability: "online" });
    const second = await house.startNow();
    await house.shows("The base topic vigie has another owner");
    await first.end();
    await second.says(/^Connected to the broker/);
    await house.shows('class="panel now rouge');
  });
});
