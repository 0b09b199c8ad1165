import { afterAll, describe, test } from "vitest";
import { startSimulator } from "../../src/simulator/server.ts";
import { SPEED, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { PUBACK, startOmittingProxy } from "../support/omitting-proxy.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;

describe.skipIf(reason)(`a broker that acknowledges nothing any more ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("the connection is closed after two minutes, and what was not acknowledged is sent again", async () => {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: false });
    cleanup.add(simulator.stop);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const proxy = await startOmittingProxy(broker.port);
    cleanup.add(proxy.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
      broker,
      config: { mqtt: { url: proxy.url } },
    });
    await running.until({ availability: "online", "service/status": "ok" });

    proxy.omit(PUBACK);
    await running.observer.publish("vigie/simulation/set", "rouge", false);
    await running.vigie.says(
      /connection to the broker was lost: the broker has not answered a message for 2 minutes/,
    );
    proxy.omit(PUBACK, 0);
    await running.observer.publish("vigie/simulation/set", "blanc", false);
    await running.until({ availability: "online", "simulation/color": "blanc" });
  });
});

test.skipIf(reason)("what-if: The broker is frozen · is detected, and all is right afterwards", async () => {
  const cleanup = createCleanup();
  try {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: false });
    cleanup.add(simulator.stop);
    const { broker, observer, until, vigie } = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
    });
    await until({ availability: "online", "service/status": "ok" });
    broker.freeze();
    await vigie.says(/connection to the broker was lost: the broker does not answer any more/);
    broker.thaw();
    await observer.publish("vigie/simulation/set", "rouge", false);
    await until({ availability: "online", "simulation/color": "rouge" });
  } finally {
    await cleanup.run();
  }
});
