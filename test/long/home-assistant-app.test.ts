import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  BROKER_PASSWORD,
  openAppHouse,
  passwordsFor,
  startApp,
  startGuardedBroker,
  watchGuardedBroker,
} from "../support/app-vigie.ts";
import { startFastTime } from "../support/fake-time.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { ReceivedMessage } from "../support/observer.ts";
import { PATIENCE } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { createCleanup, type Vigie } from "../support/vigie.ts";

const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };
type Moment = (vigie: Vigie, asked: number) => Promise<unknown>;
const IN_FORCE = /^The new configuration is in force/;

describe.skipIf(withoutMosquitto)(`the Home Assistant app ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let official: string;
  beforeAll(async () => {
    official = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);

  const open = () => openAppHouse(cleanup, official);

  /** vigie asks again after ten seconds, and looks at a file that is not there each five: they are one second here. */
  const openFast = async () => {
    const time = startFastTime(10);
    const days = await serveBleuDays(cleanup, time.clock);
    return { house: await openAppHouse(cleanup, days), env: time.env };
  };

  test.concurrent("switches a boiler of the form off on a pretended rouge day, and sees that it obeyed", async () => {
    const house = await open();
    const rule = { id: "rouge", colors: "rouge", day: "now" };
    const app = await startApp(cleanup, house, {
      language: "en",
      rules: [rule],
      outputs: [{ ...BOILER, rule: "rouge" }],
    });
    await app.until({ availability: "online", "rules/rouge/state": /ON|OFF/ });
    await app.observer.publish("vigie/simulation/set", "rouge", false);
    await app.until({ "outputs/boiler/payload": "off", "outputs/boiler/state": "waiting" });
    const isTold = ({ topic, payload }: ReceivedMessage) =>
      topic === "shellies/boiler/relay/0/command" && payload === "off";
    await app.observer.until(({ received }) => received.some(isTold), "the boiler was told");
    const reporting = setInterval(
      () => void app.observer.publish("shellies/boiler/relay/0", "off", false),
      200,
    );
    cleanup.add(async () => clearInterval(reporting));
    await app.until({ "outputs/boiler/state": "confirmed" });
    clearInterval(reporting);
  });

  test.concurrent("says on its page that there is no broker, and finds it without a restart, also with another password later", async () => {
    const { house, env } = await openFast();
    await house.writeForm({ language: "en", outputs: [BOILER] });
    const vigie = await house.start(env());
    await vigie.says(/^Home Assistant has no MQTT broker: install the app Mosquitto broker/);
    await house.shows("Home Assistant names no MQTT broker yet");
    // The days are there already.
    await house.shows(/class="panel now (bleu|blanc|rouge)/);
    expect((await house.get("/alive")).status).toBe(200);

    const broker = await startGuardedBroker(cleanup);
    house.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
    const app = await watchGuardedBroker(cleanup, broker, vigie.output);
    await app.until({ availability: "online" });
    await house.shows(/^((?!no MQTT broker yet)[\s\S])*$/);
    await vigie.says(/^Home Assistant names the broker mqtt:/);

    // As when the app Mosquitto broker was installed anew.
    const [asked, from] = [house.supervisor.asked(), vigie.lines.length];
    await broker.end();
    await broker.renew({ passwords: passwordsFor("another-password") });
    await broker.start();
    await vigie.says(/refuses the login/, from);
    house.supervisor.names({ port: broker.port, password: "another-password" });
    await vigie.says(IN_FORCE, from);
    await app.until({ availability: "online" });
    expect(house.supervisor.asked()).toBeGreaterThan(asked);
    expect(vigie.output()).not.toMatch(/another-password|password-of-the-broker/);
  });

  test.concurrent("follows /config/vigie.yaml from when it comes to when it goes, and says on its page what is wrong with it", async () => {
    const { house, env } = await openFast();
    const app = await startApp(cleanup, house, { language: "en", outputs: [BOILER] }, env());
    await app.until({ availability: "online", "outputs/boiler/state": "nothing" });
    let from = app.vigie.lines.length;
    await house.writeFile("rules: [{ id: mine, when: { period: hp } }]\n");
    await app.vigie.says(IN_FORCE, from);
    await app.until({ "rules/mine/state": /ON|OFF/ });
    await app.observer.until(
      () => app.payloadOf("outputs/boiler/state") === undefined,
      "the device of the form is gone",
    );
    await house.writeFile("rules: [{ id: mine }]\n");
    await house.shows("The configuration that was read last is refused");
    expect(await house.page()).toMatch(/config\/vigie\.yaml:1:\d+ rules\[0\]\.when: expected/);
    await house.writeFile("");
    await house.shows("got an empty file");
    expect(app.payloadOf("rules/mine/state")).toMatch(/ON|OFF/);
    from = app.vigie.lines.length;
    await rm(join(house.folder, "config", "vigie.yaml"));
    await app.vigie.says(IN_FORCE, from);
    await app.until({ "outputs/boiler/state": "nothing" });
    await house.shows(/^((?!is refused)[\s\S])*$/);
  });

  test.concurrent("starts as soon as a file that was wrong is right", async () => {
    const house = await open();
    await house.writeFile("rules: 7\n");
    const app = await startApp(cleanup, house, { language: "en" });
    await house.shows("rules: expected a list of rules");
    await house.writeFile("rules: []\n");
    await app.until({ availability: "online" });
    await house.shows('class="panel now');
  });

  test.concurrent("is killed at any moment of its start, and starts again", async () => {
    const house = await open();
    const broker = await startGuardedBroker(cleanup);
    house.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
    await house.writeForm({ outputs: [BOILER] });
    const whenAsked: Moment = (_, asked) =>
      vi.waitFor(() => expect(house.supervisor.asked()).toBeGreaterThan(asked), PATIENCE);
    const moments: Moment[] = [
      async () => undefined,
      whenAsked,
      (vigie) => vigie.says(/^vigie .* starts/),
      (vigie) => vigie.says(/^Connected to the broker/),
      (vigie) => vigie.says(/^The page is at/),
    ];
    for (const moment of moments) {
      const asked = house.supervisor.asked();
      const vigie = await house.start();
      await moment(vigie, asked);
      await vigie.end("SIGKILL");
    }
    const vigie = await house.start();
    const app = await watchGuardedBroker(cleanup, broker, vigie.output);
    await app.until({ availability: "online", "outputs/boiler/state": "nothing" });
    await vigie.end();
    const left = await readdir(join(house.folder, "data"));
    expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test.concurrent("asks again while the Supervisor is not there or answers nonsense", async () => {
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
