import { afterAll, beforeAll, describe, test } from "vitest";
import {
  BROKER_PASSWORD,
  openAppHouse,
  startGuardedBroker,
  watchGuardedBroker,
} from "../support/app-vigie.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { NOBODY } from "../support/ports.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

describe.skipIf(withoutMosquitto)(`the Home Assistant app ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let official: string;
  beforeAll(async () => {
    official = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);

  const open = () => openAppHouse(cleanup, official);

  test("asks again while the Supervisor is not there or answers nonsense", async () => {
    const house = await open();
    await house.writeForm({ language: "en" });
    const vigie = await house.start({ SUPERVISOR_URL: `http://${NOBODY}` });
    await vigie.says(/^Home Assistant's Supervisor does not name the broker: nothing listens there/);
    await house.shows("Home Assistant names no MQTT broker yet");
    const odd = await open();
    odd.supervisor.answers(200, "<html>Home Assistant</html>");
    await odd.writeForm({ language: "en" });
    const asking = await odd.start();
    await asking.says(/does not name the broker: its answer names no host and port/);
    const broker = await startGuardedBroker(cleanup);
    odd.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
    const app = await watchGuardedBroker(cleanup, broker, asking.output);
    await app.until({ availability: "online" });
  });
});
