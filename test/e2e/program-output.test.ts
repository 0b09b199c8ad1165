import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { serveBleuDays, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runVigie } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

test("an output that is longer than a pipe holds arrives whole", async () => {
  const { code, stdout } = await runVigie({
    folder: await cleanup.createFolder(),
    config: { service: { base_url: "simulator" }, mqtt: { url: "embedded" } },
    args: ["history", "--from", "2018-01-01", "--to", "2025-12-31", "--json"],
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(2922);
});

test.skipIf(withoutMosquitto)(
  `a line of the log for people has the time of the tariff's zone, whatever the zone of the machine, and DEBUG=*, for which libraries write what they do, prints no password ${withoutMosquitto}`,
  async () => {
    const { vigie, until } = await startVigieAndBroker(cleanup, {
      service: await serveBleuDays(cleanup),
      config: { tariff: { time_zone: "Asia/Tokyo", laws: "off" }, log: { format: "pretty" } },
      env: {
        TZ: "Europe/Paris",
        DEBUG: "*",
        VIGIE_MQTT_USERNAME: "vigie",
        VIGIE_MQTT_PASSWORD: "open sesame",
      },
    });
    const written = await vigie.prints(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= {2}\S)/m);
    const age = systemClock.now() - Date.parse(`${written.replace(" ", "T")}+09:00`);
    expect(Math.abs(age)).toBeLessThan(600_000);
    await until({ availability: "online" });
    await vigie.end();
    expect(vigie.output()).not.toContain("open sesame");
    expect(vigie.output()).not.toContain("mqttjs");
  },
);
