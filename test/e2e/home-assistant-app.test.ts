import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type AppHouse,
  BROKER_PASSWORD,
  openAppHouse,
  passwordsFor,
  startGuardedBroker,
  watchGuardedBroker,
} from "../support/app-vigie.ts";
import { startFastTime } from "../support/fake-time.ts";
import { LONG } from "../support/long.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import type { ReceivedMessage } from "../support/observer.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { TOKEN } from "../support/supervisor.ts";
import { createCleanup, type Vigie } from "../support/vigie.ts";

const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };
const WRONG = { outputs: [{ ...BOILER, place: "shellies/#" }] };
const PROBLEM = "Appareils 1, Topic de l’appareil\u00a0: attendu le début d’un topic";
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
  const startWith = async (form: object, house: AppHouse, env?: Record<string, string>) => {
    const broker = await startGuardedBroker(cleanup);
    house.supervisor.names({ port: broker.port, password: BROKER_PASSWORD });
    await house.writeForm(form);
    const vigie = await house.start(env);
    return { broker, vigie, ...(await watchGuardedBroker(cleanup, broker, vigie.output)) };
  };

  test.concurrent("switches a boiler of the form off on a pretended rouge day, and sees that it obeyed", async () => {
    const house = await open();
    const rule = { id: "rouge", colors: "rouge", day: "now" };
    const app = await startWith(
      { language: "en", rules: [rule], outputs: [{ ...BOILER, rule: "rouge" }] },
      house,
    );
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

  test.concurrent("has a page and /alive, and nothing else, while its form is wrong and nothing ran before", async () => {
    const house = await open();
    await house.writeForm(WRONG);
    const vigie = await house.start();
    const { msg } = await vigie.says(new RegExp(`^Configuration: ${PROBLEM}`));
    await house.shows("vigie ne fonctionne pas encore");
    expect(await house.page()).toContain(msg.replace("Configuration: ", "").split(", reçu")[0] ?? "");
    expect((await house.get("/alive")).status).toBe(200);
    expect(await house.get("/health")).toEqual({ status: 503, text: expect.stringContaining(PROBLEM) });
    expect((await house.get("/api/state")).status).toBe(503);
    expect(vigie.output()).not.toMatch(/Connected to the broker|vigie .* starts/);
    process.kill(vigie.pid, "SIGHUP");
    expect((await house.get("/alive")).status).toBe(200);
    const began = Date.now();
    expect((await vigie.end()).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(onBusyMachine(5_000));
  });

  test.concurrent("goes on with the last configuration that was right, while its form is wrong", async () => {
    const house = await open();
    // As a vigie before has written it after a minute.
    const given = {
      ...{ service: { base_url: "none" }, official: { source: "rte" }, http: { language: "fr" } },
      rules: [{ id: "kept", when: { period: "hp" } }],
    };
    const kept = { given, broker: { url: "mqtt://127.0.0.1:9", password: "that-of-then" } };
    await writeFile(join(house.folder, "data", "last-good.json"), JSON.stringify(kept));
    const { vigie, until: untilPublished } = await startWith(WRONG, house);
    await vigie.says(new RegExp(`^Configuration: ${PROBLEM}`));
    await untilPublished({ availability: "online", "rules/kept/state": /ON|OFF/ });
    await house.shows("La dernière configuration lue est refusée");
    expect(await house.page()).toContain(PROBLEM);
    await vigie.end();
    expect(vigie.output()).not.toMatch(/that-of-then|password-of-the-broker/);
  });

  test.concurrent("follows /config/vigie.yaml from when it comes to when it goes, and says on its page what is wrong with it", async () => {
    const { house, env } = await openFast();
    const app = await startWith({ language: "en", outputs: [BOILER] }, house, env());
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
    const app = await startWith({ language: "en" }, house);
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
    for (const moment of LONG ? moments : [whenAsked]) {
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

  describe("with a form in which nothing was filled in", () => {
    let first: { house: AppHouse; app: Awaited<ReturnType<typeof startWith>> };
    beforeAll(async () => {
      const house = await open();
      first = { house, app: await startWith({}, house) };
      await first.app.until({ availability: "online" });
    });

    test("works, and shows its page in the language of the form", async () => {
      const { house, app } = first;
      await app.until({ availability: "online", "official/status": "ok", "service/status": "off" });
      await house.shows('<html lang="fr">');
      expect(await house.get("/alive")).toEqual({ status: 200, text: "alive\n" });
      expect(house.supervisor.asked()).toBe(1);
    });

    test("started twice on one folder, the second one disturbs the first in nothing", async () => {
      const { house, app } = first;
      await house.shows('class="panel now');
      const owner = async () => {
        const state = await readFile(join(house.folder, "data", "state.json"), "utf8");
        return JSON.parse(state).incarnation;
      };
      const before = await owner();
      const second = await house.start();
      await second.says(/^The state folder .* is in use by vigie/);
      expect((await second.end()).code).toBe(0);
      expect(app.payloadOf("availability")).toBe("online");
      expect(await owner()).toBe(before);
      expect(await house.page()).toContain('class="panel now');
    });

    test("does not end where another vigie owns its base topic, but says so on its page", async () => {
      const { app } = first;
      const second = await open();
      second.supervisor.names({ port: app.broker.port, password: BROKER_PASSWORD });
      await second.writeForm({});
      const vigie = await second.start();
      await vigie.says(/The base topic vigie has another owner/);
      await second.shows("The base topic vigie has another owner");
      expect((await second.get("/alive")).status).toBe(200);
      expect(app.payloadOf("availability")).toBe("online");
      // It asks again at once if the file changes, and says nothing new: the second answer comes after the end of the first try.
      const answers = () => app.observer.received.filter(({ topic }) => topic === "vigie/owner/pong").length;
      for (const rules of ["[]", "[ ]"]) {
        const before = answers();
        await second.writeFile(`rules: ${rules}\n`);
        await vi.waitFor(() => expect(answers()).toBeGreaterThan(before), PATIENCE);
      }
      expect(vigie.lines.filter(({ msg }) => msg.includes("has another owner"))).toHaveLength(1);
      expect((await second.get("/alive")).status).toBe(200);
      expect(vigie.output()).not.toMatch(/vigie .* starts/);
      // It has ended by now if it does.
      const ended = await Promise.race([vigie.ended, Promise.resolve("runs")]);
      expect(ended).toBe("runs");
    });

    test("ends in order, has warned of nothing, and has told nobody what it was told in confidence", async () => {
      const { app } = first;
      expect((await app.vigie.end()).code).toBe(0);
      // The machine of the tests may be a container itself, and vigie's own prices may be old when the test runs.
      const isUsual = (line: string) => /in a container|^The newest prices/.test(line);
      const odd = app.vigie.lines.filter(({ level, msg }) => level !== "info" && !isUsual(msg));
      expect(odd).toEqual([]);
      const output = app.vigie.output();
      for (const secret of [BROKER_PASSWORD, TOKEN]) expect(output).not.toContain(secret);
    });
  });
});
