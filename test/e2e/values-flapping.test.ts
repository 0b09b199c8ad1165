import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { serveInventedDays, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`a value that flaps around its bound ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterEach(cleanup.run);

  test("turns its rule at most once a second, and its device is sent no more payloads", async () => {
    const { observer, broker, until } = await startVigieAndBroker(cleanup, {
      service: await serveInventedDays(cleanup),
      config: {
        rules: [{ id: "low", when: { mqtt: { topic: "car", below: 40 } } }],
        outputs: [
          {
            topic: "boiler/set",
            choose: [{ when: "low", payload: "off" }],
            else: "on",
            confirm: { topic: "boiler", every: "5s" },
          },
        ],
      },
    });
    const device = await observe(broker.url, "boiler/set");
    cleanup.add(device.disconnect);
    await observer.publish("car", "50");
    await until({ availability: "online", "rules/low/state": "OFF" });

    const states = () => observer.received.filter(({ topic }) => topic === "vigie/rules/low/state").length;
    const before = states();
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1_000;
    let value = "39";
    let confirmed = 0;
    for (; seconds() < 11; await sleep(20)) {
      value = value === "39" ? "41" : "39";
      void observer.publish("car", value, false);
      // The device does what it is sent: each report is one more reason for a refresh.
      for (const { payload } of device.received.slice(confirmed))
        void observer.publish("boiler", payload, false);
      confirmed = device.received.length;
    }
    // One more than there were seconds: the first one comes at once.
    const most = seconds() + 1;
    expect(states() - before).toBeLessThanOrEqual(most);
    expect(device.received.length).toBeLessThanOrEqual(most);
    await observer.publish("car", "39", false);
    await until({ "rules/low/state": "ON", "outputs/boiler_set/payload": "off" });
  });
});
