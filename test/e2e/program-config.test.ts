import { execFileSync } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedBroker } from "../../src/mqtt/embedded-broker.ts";
import { startFastTime } from "../support/fake-time.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { observe } from "../support/observer.ts";
import { NOBODY } from "../support/ports.ts";
import { keepPublishing, topics } from "../support/publisher.ts";
import { serveBleuDays, startVigieAndBroker, vigieConfig } from "../support/running-vigie.ts";
import { createCleanup, runHere, runVigie, writeConfig } from "../support/vigie.ts";

const ROW = { bleu: { hp: 0.1, hc: 0.2 }, blanc: { hp: 0.3, hc: 0.4 }, rouge: { hp: 0.5, hc: 0.6 } };
/** The owner's prices, so that what is in force shows at once. */
const prices = (rouge: number) => ({
  tariff: { rates_first: "owner", rates: [{ from: "2020-01-01", ...ROW, rouge: { hp: rouge, hc: 0.6 } }] },
});

describe("a wrong configuration", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("is refused whole, with every problem at its place, and exit code 2", async () => {
    const folder = await cleanup.createFolder();
    const lines = [
      "servce: {}",
      "mqtt: { url: ftp://broker, grace: soon }",
      "tariff: { time_zone: Mars/Olympus }",
    ];
    await writeFile(join(folder, "vigie.yaml"), `${lines.join("\n")}\n`);
    const env = { VIGIE_LOG_LEVEL: "loud" };
    const { code, stderr, stdout } = await runVigie({ folder, env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const problem of [
      /vigie\.yaml:1:1 .*servce.*service/,
      /vigie\.yaml:2:14 mqtt\.url: expected .*, got .*ftp/i,
      /vigie\.yaml:2:\d+ mqtt\.grace: expected .*, got .*soon/i,
      /vigie\.yaml:3:\d+ tariff\.time_zone: expected .*, got .*Mars/i,
      /VIGIE_LOG_LEVEL: expected .*, got .*loud/i,
    ])
      expect(stderr).toMatch(problem);
  });

  test("is one that says nothing: without a file no days are invented", async () => {
    const { code, stderr } = await runVigie({
      folder: await cleanup.createFolder(),
      env: { VIGIE_CONFIG: "" },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/VIGIE_SERVICE_BASE_URL/);
    expect(stderr).toMatch(/VIGIE_MQTT_URL/);
  });
});

describe("a configuration in a pipe", () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("is read, as a shell gives it with <(…) and /dev/stdin", async () => {
    const folder = await cleanup.createFolder();
    const through = ["bash", "-c", 'echo "instance: piped" | "$@"', "-"];
    const args = ["check", "--config", "/dev/stdin"];
    expect((await runVigie({ folder, through, args })).stdout).toMatch(/topics +piped\/…/);
    const substitution = ["bash", "-c", '"$@" --config <(echo "instance: piped")', "-"];
    const { stdout } = await runVigie({ folder, through: substitution, args: ["check"] });
    expect(stdout).toMatch(/topics +piped\/…/);
  });

  test("that does not end keeps nobody from stopping vigie", async () => {
    const folder = await cleanup.createFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const vigie = await cleanup.startVigie({ folder, args: ["check", "--config", pipe] });
    // Opens when vigie has opened the other end.
    const writer = await open(pipe, "w");
    const { code, stderr } = await vigie.end("SIGTERM");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("waited for the end of it"),
    });
    await writer.close();
  });
});

describe.skipIf(withoutMosquitto)(`a configuration that changes ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  let service: string;
  beforeAll(async () => {
    service = await serveBleuDays(cleanup);
  });
  afterAll(cleanup.run);

  test.concurrent("what-if: The configuration is edited, and wrong · is in force without a gap, a wrong one is logged and changes nothing, SIGHUP reads it again", async () => {
    const running = await startVigieAndBroker(cleanup, { service, config: prices(0.5), here: true });
    const { folder, vigie, broker } = running;
    const config = (more: object) => vigieConfig(service, broker.url, { ...more });
    await running.until({ availability: "online", "prices/rouge_hp": "0.5", "service/status": "ok" });

    await writeConfig(folder, config(prices(0.6)));
    await running.until({ "prices/rouge_hp": "0.6" });
    await vigie.says(/new configuration is in force/);

    const before = vigie.lines.length;
    await writeFile(join(folder, "vigie.yaml"), 'mqtt: { grace: soon }\ninstance: "Über"\n');
    await vigie.says(/the one before it stays in force/, before);
    await vigie.says(/vigie\.yaml:1:\d+ mqtt\.grace: expected/i, before);
    await vigie.says(/vigie\.yaml:2:\d+ instance: expected/i, before);

    // An empty file, or the beginning of one, as a full disk leaves it: this is no wish for invented days.
    await writeFile(join(folder, "vigie.yaml"), "");
    await vigie.says(/expected service\.base_url and mqtt\.url, got an empty file/, before);
    await writeFile(join(folder, "vigie.yaml"), "instance: vigie\n");
    await vigie.says(/mqtt\.url: expected a broker as before, got embedded/, before);
    const invented = {
      service: { base_url: "none", allow_simulator: true },
      official: { source: "simulator" },
    };
    await writeConfig(folder, config(invented));
    await vigie.says(/official\.source: expected off as before, or another real one, got simulator/, before);

    // Another grace needs another connection: still nobody sees vigie go.
    await writeConfig(folder, config({ ...prices(0.7), mqtt: { url: broker.url, grace: "20m" } }));
    vigie.hangUp();
    await running.until({ "prices/rouge_hp": "0.7" });
    await vigie.says(/new configuration is in force/, before);
    await writeConfig(folder, config({ ...prices(0.8), mqtt: { url: broker.url, grace: "20m" } }));
    await running.until({ "prices/rouge_hp": "0.8", availability: "online" });
    expect(running.observer.received.filter(({ payload }) => payload === "offline")).toEqual([]);
    expect((await vigie.end()).code).toBe(0);
  });

  test.concurrent("moves everything to another base topic, and leaves nothing at the old one", async () => {
    // What Home Assistant holds of it waits for up to ten seconds: two of them here.
    const time = startFastTime(5);
    const url = await serveBleuDays(cleanup, time.clock);
    const running = await startVigieAndBroker(cleanup, { service: url, time });
    const { broker, folder, observer } = running;
    const devices = await observe(broker.url, "homeassistant/device/+/config");
    cleanup.add(devices.disconnect);
    await running.until({ availability: "online", "service/status": "ok" });
    await devices.until(({ retained }) => retained.size > 0, "the device is announced");
    await writeConfig(folder, vigieConfig(url, broker.url, { instance: "cabin" }));
    await observer.until(({ retained }) => retained.size === 0, "nothing is left below vigie/");
    const names = () => [...devices.retained.keys()].join(" ");
    const moved = "homeassistant/device/cabin/config";
    await devices.until(() => names() === moved, "only the new device is announced");
    const shown = await runHere({ folder, args: ["show", "--json"] });
    expect(JSON.parse(shown.stdout)).toMatchObject({ availability: "online", "service/status": "ok" });
  });

  test.concurrent.each([
    ["MQTT 5", startMosquitto, "online"],
    // Without a grace, offline is said before the next connection: that one may fail.
    ["MQTT 3.1.1", startOldBroker, "online offline online"],
  ])(
    "that names a broker where nobody listens leaves the old one offline (%s)",
    async (_, startBroker, expected) => {
      const broker = await startBroker();
      cleanup.add(broker.remove);
      const observer = await observe(broker.url, "vigie/availability", 4);
      cleanup.add(observer.disconnect);
      const folder = await cleanup.createFolder();
      const config = vigieConfig(service, broker.url);
      const vigie = await cleanup.startVigie({ folder, config, here: true });
      const last = () => observer.received.at(-1)?.payload;
      await observer.until(() => last() === "online", "online");

      const start = vigie.lines.length;
      const mqtt = { url: broker.url, grace: "2s" };
      await writeConfig(folder, vigieConfig(service, broker.url, { mqtt }));
      await vigie.says(/^The new configuration is in force/);
      await vigie.says(/^Connected to the broker|only MQTT 3\.1\.1/, start);
      const values = () => withoutRepeats(observer.received.map(({ payload }) => payload)).join(" ");
      await observer.until(() => values() === expected, expected);

      await writeConfig(folder, vigieConfig(service, `mqtt://${NOBODY}`));
      await observer.until(() => last() === "offline", "the old broker says offline");
    },
  );

  const instances = [
    ["and leaves the discovery messages of an instance that the other one has", "vigie", true],
    // It waits for up to ten seconds until it clears them.
    ["and clears its own discovery messages", "house", false],
  ] as const;
  test.concurrent.each(LONG ? instances : instances.slice(0, 1))(
    "leaves a former base topic to another owner, %s",
    async (_, instance, isLeft) => {
      const running = await startVigieAndBroker(cleanup, { service, here: true });
      const observer = await observe(running.broker.url, "homeassistant/device/vigie/config");
      cleanup.add(observer.disconnect);
      await observer.until(({ retained }) => retained.size > 0, "the device is announced");
      await running.vigie.end();
      const other = keepPublishing(running.broker.url, { instance, name: "b", takeOver: true });
      cleanup.add(other.publisher.stop);
      other.publisher.setTopics(topics({ "now/color": "bleu" }));
      await other.publisher.allAcknowledged();

      const moved = { mqtt: { url: running.broker.url }, instance: "cabin" };
      const successor = await cleanup.startVigie({
        folder: running.folder,
        config: vigieConfig(service, running.broker.url, moved),
        here: true,
      });
      await successor.says(/^The topics below vigie, .* are left to their owner: vigie 1\.0\.0 on host-b/);
      expect(observer.retained.size > 0).toBe(isLeft);
      expect(running.payloadOf("now/color")).toBe("bleu");
    },
  );
});

function withoutRepeats(words: string[]): string[] {
  return words.filter((word, index) => word !== words[index - 1]);
}

/** A broker that supports only MQTT 3.1.1. */
async function startOldBroker() {
  const { url, stop } = await startEmbeddedBroker({ port: 0, log: SILENT_LOG });
  return { url, remove: stop };
}
