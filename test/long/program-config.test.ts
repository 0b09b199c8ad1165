import { afterAll, describe, test } from "vitest";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`a configuration that changes ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("while vigie is not running moves everything to another base topic, too", async () => {
    const service = await serveBleuDays(cleanup);
    const running = await startVigieAndBroker(cleanup, { service });
    await running.until({ availability: "online", "service/status": "ok" });
    await running.vigie.end();
    const moved = vigieConfig(service, running.broker.url, {
      mqtt: { url: running.broker.url, base_topic: "cabin" },
    });
    const successor = await cleanup.startVigie({ folder: running.folder, config: moved });
    await successor.says(/^Connected to the broker/);
    await running.observer.until(({ retained }) => retained.size === 0, "nothing is left below vigie/");
  });
});
