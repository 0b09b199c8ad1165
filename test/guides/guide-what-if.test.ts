import { execFileSync } from "node:child_process";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { blocksOf, isSame, readPage, sectionOf } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { PATIENCE } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, runVigie, type Vigie, writeConfig } from "../support/vigie.ts";

const PAGE = readPage("docs/what-if.md");

const POLLING = { timeout: PATIENCE, interval: 500 };

describe.skipIf(withoutMosquitto)(`docs/what-if.md, made to happen ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  // By itself: vigie's own limits are short in a time that runs faster.
  test.skipIf(withoutFakeTime)(
    `what-if: The forecast service is down · topics and log ${withoutFakeTime}`,
    async () => {
      // vigie waits 60 s for an answer, which are two here.
      const time = startFakeTime("2026-01-05T09:00:00Z", 30);
      const simulator = await startFaultyService({ port: 0, seed: 5, clock: time.clock, sendDate: false });
      cleanup.add(simulator.stop);
      const running = await startVigieAndBroker(cleanup, { service: simulator.url, time });
      const asking = setInterval(
        () => void running.observer.publish("vigie/refresh/set", "PRESS", false),
        500,
      );
      cleanup.add(async () => clearInterval(asking));
      const color = /^(bleu|blanc|rouge)$/;
      const there = {
        availability: "online",
        "service/status": "ok",
        "now/color": color,
        "next/color": color,
      };
      // Yesterday comes with the history, which the first poll asks last. If it fails, it is asked again after an hour.
      await running.until({ ...there, "yesterday/color": color });
      const before = running.payloadsOf("now/color", "next/color", "availability");
      simulator.faults.set(["down"]);
      // A poll that was under way as it went down is given up in other words: then the next one says this.
      await running.vigie.says(/could not be reached/);
      await running.until({
        "service/status": "degraded",
        "service/problem": "ON",
        "service/problem_code": "service",
      });
      await running.until({ "service/last_error": /./ });
      expect(running.payloadsOf("now/color", "next/color", "availability")).toEqual(before);
      simulator.faults.set([]);
      await running.until({ "service/status": "ok", "service/problem": "OFF" });
      await running.vigie.says(/The forecast service answers again/);
      expectLog("The forecast service is down", running.vigie);
    },
  );

  test.concurrent("what-if: The broker is down · log and health are as written", async () => {
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const { vigie, folder, until } = await startVigieAndBroker(cleanup, {
      service: await serveBleuDays(cleanup),
      broker,
    });
    await until({ availability: "online", "service/status": "ok" });
    // What health tells is a second old, or two.
    const health = async () => Object.values(await runVigie({ folder, args: ["health"] })).join();
    await vi.waitFor(async () => expect(await health()).toMatch(/reached at .*data fresh/), POLLING);
    await broker.end();
    await vigie.says(/is not listening/);
    await vi.waitFor(async () => expect(await health()).toMatch(/not reached at/), POLLING);
    await expectAnswers("The broker is down", [folder]);
    await broker.start();
    await vigie.says(/accepts the connection again/);
    expectLog("The broker is down", vigie);
  });

  test.concurrent("what-if: vigie is stopped or killed · health is as written, and what stays true remains", async () => {
    const running = await startVigieAndBroker(cleanup, { service: await serveBleuDays(cleanup) });
    await running.until({ availability: "online", "season/label": /^\d{4}-\d{4}$/ });
    await running.vigie.end("SIGKILL");
    await expectAnswers("vigie is stopped or killed", [running.folder]);
    expect(running.payloadOf("availability")).toBe("online");
    const again = { ...running.config, mqtt: { url: running.broker.url, grace: "1s" } };
    const vigie = await cleanup.startVigie({ folder: running.folder, config: again });
    await vigie.says(/^Connected/);
    // The first vigie may have been killed before the season was saved.
    await running.until({ availability: "online", "season/label": /^\d{4}-\d{4}$/ });
    await vigie.end("SIGKILL");
    await running.until({ availability: "offline" });
    expect(running.payloadOf("season/label")).toMatch(/^\d{4}-\d{4}$/);
  });

  test.concurrent("what-if: The state file is damaged or lost · the log is as written", async () => {
    const running = await startVigieAndBroker(cleanup, { service: await serveBleuDays(cleanup) });
    await running.until({ availability: "online", "service/status": "ok" });
    // The state saved before this one is there once vigie has saved twice.
    await vi.waitFor(() => access(join(running.folder, "state", "state.previous.json")), POLLING);
    await running.vigie.end("SIGKILL");
    await writeFile(join(running.folder, "state", "state.json"), "{ half");
    const again = await cleanup.startVigie({ folder: running.folder });
    await again.says(/^Connected/);
    expectLog("The state file is damaged or lost", again);
  });

  test.concurrent("what-if: An older vigie finds the state of a newer one · the answer is as written", async () => {
    const folder = await cleanup.createFolder();
    await writeConfig(folder, { ...vigieConfig(`http://${NOBODY}`, `mqtt://${NOBODY}`), state: "." });
    await writeFile(join(folder, "state.json"), '{"version":99}');
    await expectAnswers("An older vigie finds the state of a newer one", [folder]);
  });

  test.concurrent("what-if: Two vigies run · the answers are as written", async () => {
    const service = await serveBleuDays(cleanup);
    const { until, folder, broker } = await startVigieAndBroker(cleanup, { service });
    await until({ availability: "online" });
    const other = await cleanup.createFolder();
    await writeConfig(other, vigieConfig(service, broker.url));
    await expectAnswers("Two vigies run", [folder, other]);
  });

  test.concurrent("what-if: Prices change · the log is as written", async () => {
    const dear = { hp: 0.9, hc: 0.8 };
    const rates = [{ from: "2025-08-01", bleu: dear, blanc: dear, rouge: dear }];
    const { vigie, until } = await startVigieAndBroker(cleanup, {
      service: await serveBleuDays(cleanup),
      config: { tariff: { rates } },
    });
    await vigie.says(/one of the two is out of date/);
    await until({ "prices/source": "service" });
    expectLog("Prices change", vigie);
  });

  test.concurrent("what-if: The configuration is edited, and wrong · the log is as written", async () => {
    const running = await startVigieAndBroker(cleanup, { service: await serveBleuDays(cleanup) });
    await running.until({ availability: "online" });
    await writeConfig(running.folder, {
      ...running.config,
      mqtt: { url: running.broker.url, grace: "soon" },
    });
    await running.vigie.says(/the one before it stays in force/);
    expectLog("The configuration is edited, and wrong", running.vigie);
    await running.vigie.end();
    expect((await runVigie({ folder: running.folder })).code).toBe(2);
  });

  test.concurrent("what-if: The broker's password is changed · the log is as written", async () => {
    const folder = await cleanup.createFolder();
    const passwords = join(folder, "passwords");
    const file = join(folder, "password");
    const set = (word: string) => execFileSync("mosquitto_passwd", ["-b", "-c", passwords, "vigie", word]);
    set("first");
    await writeFile(file, "first\n");
    const broker = await startMosquitto({
      lines: ["allow_anonymous false", `password_file ${passwords}`],
    });
    cleanup.add(broker.remove);
    const config = vigieConfig(await serveBleuDays(cleanup), broker.url, {
      mqtt: { url: broker.url, username: "vigie" },
    });
    const vigie = await cleanup.startVigie({ folder, config, env: { VIGIE_MQTT_PASSWORD_FILE: file } });
    await vigie.says(/^Connected/);
    set("second");
    await broker.end();
    await broker.start();
    await vigie.says(/refuses the login/);
    await writeFile(file, "second\n");
    await vigie.says(/accepts the connection again/);
    expectLog("The broker's password is changed", vigie);
    expect(vigie.output()).not.toMatch(/first|second/);
  });

  test.concurrent("what-if: Somebody else writes vigie's topics · the log is as written", async () => {
    const { until, observer, vigie } = await startVigieAndBroker(cleanup, {
      service: await serveBleuDays(cleanup),
    });
    await until({ availability: "online", "now/color": /^(bleu|blanc|rouge)$/ });
    await observer.publish("vigie/now/color", "green");
    await until({ "now/color": /^(bleu|blanc|rouge)$/ });
    await vigie.says(/^Another program wrote/);
    await observer.publish("vigie/old", "x");
    await vigie.says(/^Within seconds vigie clears retained topics/);
    await observer.publish("vigie/refresh/set", "PRESS");
    await vigie.says(/^Refused and cleared/);
    await observer.publish("vigie/refresh/set", "push", false);
    await vigie.says(/refresh\/set: expected PRESS/);
    expectLog("Somebody else writes vigie's topics", vigie);
  });
});

/** Every line that the page quotes there is one that vigie has said. */
function expectLog(title: string, { lines }: Vigie): void {
  const said = lines.map(({ msg }) => msg);
  const written = blocksOf(sectionOf(PAGE, title)).filter(({ language }) => language === "log");
  const quoted = written.flatMap(({ text }) => text.trim().split("\n"));
  expect(quoted).not.toEqual([]);
  const never = quoted.filter((line) => !said.some((one) => isSame(line, one)));
  expect(never, `said was:\n${said.join("\n")}`).toEqual([]);
}

/** Each answer that the page quotes there is the one that vigie gives, from one folder after the other. */
async function expectAnswers(title: string, folders: string[]): Promise<void> {
  const blocks = blocksOf(sectionOf(PAGE, title)).filter(({ language }) => language === "console");
  expect(blocks).toHaveLength(folders.length);
  for (const [index, { text }] of blocks.entries()) {
    const [command = "", ...rest] = text.trim().split("\n");
    const args = command.replace("$ npx vigie ", "").split(" ");
    const { code, stdout, stderr } = await runVigie({ folder: folders[index] ?? "", args });
    const said = `${args[0] === "run" ? "" : stdout}${stderr}`.trim().split("\n");
    const written = rest.slice(0, -1);
    expect(
      said.map((line, at) => isSame(written[at] ?? "", line)),
      said.join("\n"),
    ).toEqual(written.map(() => true));
    expect(rest.at(-1)).toBe(`exit code ${code}`);
  }
}
