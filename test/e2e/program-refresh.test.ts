import { afterAll, describe, expect, test } from "vitest";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { serveBleuDays, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup, runHere } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

describe.skipIf(withoutMosquitto)(`what a household asks vigie ${withoutMosquitto}`, () => {
  test("a press of refresh and the end of a simulation are in the log; show says that vigie is dead, although it counts as online until the grace is over", async () => {
    const env = { RUNTIME_DIRECTORY: await cleanup.createFolder() };
    const service = await serveBleuDays(cleanup);
    const { folder, vigie, observer, until } = await startVigieAndBroker(cleanup, {
      service,
      env,
    });
    await until({ availability: "online", "service/status": "ok" });
    await observer.publish("vigie/simulation/set", JSON.stringify({ color: "rouge", for: "1s" }), false);
    await observer.publish("vigie/refresh/set", "PRESS", false);
    await vigie.says(/^refresh\/set: the forecast service has answered$/);
    const { msg } = await vigie.says(/^The simulation has ended/);
    expect(msg).toMatch(
      /^The simulation has ended: rouge is not pretended any more for the tariff day [\d-]+$/,
    );
    await until({ "simulation/color": "auto" });

    const show = async () => (await runHere({ folder, args: ["show"], env })).stdout;
    expect(await show()).not.toContain("does not run");
    await vigie.end("SIGKILL");
    expect(await show()).toMatch(
      new RegExp(
        `: online\nThe vigie with this state folder does not run: its process ${vigie.pid} has ended`,
      ),
    );
  });
});
