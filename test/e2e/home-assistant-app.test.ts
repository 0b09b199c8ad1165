import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type AppHouse, BROKER_PASSWORD, openAppHouse, startApp } from "../support/app-vigie.ts";
import { withoutMosquitto } from "../support/mosquitto.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { serveBleuDays } from "../support/running-vigie.ts";
import { TOKEN } from "../support/supervisor.ts";
import { createCleanup } from "../support/vigie.ts";

const BOILER = { use: "boiler", kind: "shelly_gen1", place: "shellies/boiler" };
const WRONG = { outputs: [{ ...BOILER, place: "shellies/#" }] };
const PROBLEM = "Appareils 1, Topic de l’appareil\u00a0: attendu le début d’un topic";

describe.skipIf(withoutMosquitto)(`the Home Assistant app ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let official: string;
  beforeAll(async () => {
    official = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);

  const open = () => openAppHouse(cleanup, official);

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
    const { vigie, until: untilPublished } = await startApp(cleanup, house, WRONG);
    await vigie.says(new RegExp(`^Configuration: ${PROBLEM}`));
    await untilPublished({ availability: "online", "rules/kept/state": /ON|OFF/ });
    await house.shows("La dernière configuration lue est refusée");
    expect(await house.page()).toContain(PROBLEM);
    await vigie.end();
    expect(vigie.output()).not.toMatch(/that-of-then|password-of-the-broker/);
  });

  describe("with a form in which nothing was filled in", () => {
    let first: { house: AppHouse; app: Awaited<ReturnType<typeof startApp>> };
    beforeAll(async () => {
      const house = await open();
      first = { house, app: await startApp(cleanup, house, {}) };
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
