import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { systemClock } from "../../src/runtime/clock.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { createCleanup } from "../support/vigie.ts";
import {
  BLUEPRINTS,
  type Blueprint,
  type BlueprintHome,
  blueprintHome,
  type Inputs,
  LANGUAGES,
  SHIPPED,
} from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { pause } from "./states.ts";
import { startInHomeAssistant } from "./vigie-in-home-assistant.ts";

/** What an owner has to choose. */
const CHOSEN: Record<Blueprint, Inputs> = {
  boiler: { boiler: "switch.slow_boiler", memory: "input_boolean.boiler_memory" },
  charging: { charger: "switch.garage_charger", memory: "input_boolean.charging_memory" },
  energy: { meters: ["select.house_energy"] },
  preheat: { thermostat: "climate.heating_thermostat", memory: "input_number.preheat_memory" },
  "evening-message": {},
  "announcement-alarm": {},
};
const EDITIONS = LANGUAGES.flatMap((language) =>
  BLUEPRINTS.map((name) => ({ edition: `${language}/${name}`, name })),
);

describe.skipIf(withoutHomeAssistant)(`the shipped blueprints ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let shared: BlueprintHome;
  let mark: number;

  beforeAll(async () => {
    shared = await blueprintHome();
    await shared.setLocalTime("19:01:00");
    mark = await shared.home.mark();
  });
  afterAll(async () => {
    await shared?.use({});
    await cleanup.run();
  });

  test("each is imported from an address, loads with the devices alone, and does nothing without vigie", async () => {
    const server = createServer(({ url = "" }, answer) => answer.end(readFileSync(join(SHIPPED, url))));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.add(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const domain = "automation";
    for (const { edition } of EDITIONS) {
      const source_url = `http://127.0.0.1:${port}/${edition}.yaml`;
      const imported = await shared.home.ask("blueprint/import", { url: source_url });
      expect(imported).toMatchObject({ validation_errors: null, blueprint: { metadata: { domain } } });
      const { raw_data: yaml } = imported as { raw_data: string };
      await shared.home.ask("blueprint/save", { domain, path: `imported/${edition}.yaml`, yaml, source_url });
    }
    const used = EDITIONS.map(({ edition, name }): [string, [string, Inputs]] => [
      edition.replace(/\W/g, "_"),
      [`imported/${edition}`, CHOSEN[name]],
    ]);
    await shared.use(Object.fromEntries(used));
    await shared.home.restart();
    await pause(2_500);
    const all = await shared.home.states();
    for (const [id] of used) {
      const automation = all.find(({ entity_id }) => entity_id === `automation.${id}`);
      expect(automation).toMatchObject({ state: "on", attributes: { last_triggered: null } });
    }
    await expectNoComplaints(shared.home, mark);
  });

  test("each finds what it reads in a vigie with the shipped configuration", async () => {
    // All days are rouge, so that it does not matter which time it is.
    const dates = Array.from({ length: 60 }, (_, index) => systemClock.now() + (index - 30) * 86_400_000);
    const days = new Map(dates.map((at) => [new Date(at).toISOString().slice(0, 10), "rouge" as const]));
    const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: true, days });
    cleanup.add(simulator.stop);
    // The automations of the test before would give the charger back what the memory of a file before says.
    await shared.use({});
    await shared.home.call("input_boolean", "turn_off", { entity_id: "input_boolean.charging_memory" });
    await shared.setTimeZone("Europe/Paris");
    const car = await publishDevice(shared.observer, "garage", {
      charger: {
        platform: "switch",
        name: "charger",
        command_topic: "garage/set",
        state_topic: "garage/set",
        retain: true,
      },
    });
    cleanup.add(car.clear);
    await car.publishValue("set", "OFF");
    await shared.home.until({ "switch.garage_charger": "off" });
    await shared.use({
      real_charging: [
        "en/charging",
        { ...CHOSEN.charging, colors: ["rouge"], before_rouge: false, begin: "00:00:00", end: "23:59:59" },
      ],
      real_message: [
        "fr/evening-message",
        { at: "23:59:59", quiet_begin: "00:00:00", quiet_end: "00:00:00" },
      ],
    });
    const { rules } = parse(readFileSync(join(SHIPPED, "..", "vigie.yaml"), "utf8"));
    const settings = { service: simulator.url, tariff: { laws: "off" }, rules, outputs: [] };
    await startInHomeAssistant(cleanup, "vigie", { shared, ...settings });
    const named = EDITIONS.map(({ edition }) =>
      readFileSync(join(SHIPPED, `${edition}.yaml`), "utf8"),
    ).join();
    const wanted = new Set(named.match(/\b(binary_)?sensor\.vigie_\w+/g));
    await shared.home.until(Object.fromEntries([...wanted].map((id) => [id, /^(?!unavailable)/])));

    await shared.home.until({ "switch.garage_charger": "on", "input_boolean.charging_memory": "on" });
    const told = async () => JSON.stringify(await shared.home.ask("persistent_notification/get"));
    await expect.poll(told).toMatch(/Aujourd'hui, .* est un jour rouge/);
    await shared.use({});
    await shared.home.call("input_boolean", "turn_off", { entity_id: "input_boolean.charging_memory" });
    await expectNoComplaints(shared.home, mark);
  });
});
