import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readPage } from "../support/guide.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { freePort } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import { type RunningVigie, serveBleuDays, startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";
import { type Reader, readGuide } from "./guide-reader.ts";

const PAGE = readPage("docs/shell.md");
const absent = ["mosquitto_sub", "jq"].filter((name) => spawnSync(name, ["--help"]).error);
const withoutTools = lacking(
  absent.length === 0,
  `${absent.join(" and ")}: not installed (apt-get install mosquitto-clients jq)`,
);
const missing = withoutMosquitto || withoutTools;

describe.skipIf(missing)(`docs/shell.md, followed word for word ${missing}`, () => {
  const cleanup = createCleanup();
  let home: string;
  let reader: Reader;
  let running: RunningVigie;
  let path: string;
  let port: number;
  beforeAll(async () => {
    home = await cleanup.createFolder();
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    reader = readGuide(PAGE, home, { broker: broker.port });
    const { rules } = parse(readPage("config/vigie.yaml"));
    // The whole day counts as peak: the test runs at any hour.
    const tariff = { off_peak: [] };
    port = await freePort();
    running = await startVigieAndBroker(cleanup, {
      service: await serveBleuDays(cleanup),
      broker,
      config: { rules, tariff },
      env: { VIGIE_HTTP_LISTEN: `127.0.0.1:${port}` },
    });
    await running.until({ availability: "online", "rules/dear/enabled": "ON", "service/status": "ok" });
    await running.until({ "now/color": "bleu", tomorrow: /"color":"bleu"/ });
    await mkdir(join(home, ".config"));
    await mkdir(join(home, "bin"));
    for (const file of ["~/.config/mosquitto_sub", "~/bin/rouge-check", "~/bin/rouge-watch"]) {
      await writeFile(join(home, file.slice(2)), reader.file(file));
    }
    await writeFile(join(home, "bin", "boiler"), `#!/bin/sh\necho "$1" >>'${home}/told'\n`);
    await chmod(join(home, "bin", "boiler"), 0o755);
    path = `${join(home, "bin")}:${process.env["PATH"] ?? ""}`;
    expect(await reader.run("options")).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(cleanup.run);

  const told = async () =>
    (await readFile(join(home, "told"), "utf8").catch(() => "")).split("\n").filter(Boolean);
  const pretend = async (color: string) => {
    await running.observer.publish("vigie/simulation/set", color, false);
    await running.until({ "simulation/color": color });
  };

  test("a topic, all of them, and a day as JSON are read", async () => {
    expect(await reader.run("color")).toMatchObject({
      code: 0,
      stdout: `${running.payloadOf("now/color")}\n`,
    });
    expect((await reader.run("all")).stdout).toContain(`vigie/now/color ${running.payloadOf("now/color")}\n`);
    const { date, color, confidence, official } = JSON.parse(running.payloadOf("tomorrow") ?? "");
    expect(await reader.run("json")).toMatchObject({
      code: 0,
      stderr: "",
      stdout: `${date} ${color} ${confidence} % official: ${official}\n`,
    });
  });

  test.each(["evcc.yaml", "evcc-http.yaml"])(
    "docs/evcc.md, %s: it cuts the prices into quarters of an hour, and changes nothing else",
    async (name) => {
      const page = readGuide(readPage("docs/evcc.md"), home, { broker: 0 });
      const { forecast } = parse(page.file(name)).tariffs.grid;
      const own = ({ uri = "" }) => uri.replace("192.0.2.20:8427", `127.0.0.1:${port}`);
      const input = forecast.topic
        ? running.payloadOf(forecast.topic.replace("vigie/", ""))
        : await (await fetch(own(forecast))).text();
      const run = spawnSync("jq", ["-r", forecast.jq], { input, encoding: "utf8" });
      const slots: Slot[] = JSON.parse(run.stdout);
      const spans: Slot[] = JSON.parse(running.payloadOf("rates_forecast") ?? "");
      expect(slots.length).toBeGreaterThan(90);
      const at = (instant: string) => Date.parse(instant);
      expect(slots.every(({ start, end }) => at(end) - at(start) === 900_000)).toBe(true);
      expect(slots.slice(1).every(({ start }, index) => start === slots[index]?.end)).toBe(true);
      expect([slots[0]?.start, slots.at(-1)?.end]).toEqual([spans[0]?.start, spans.at(-1)?.end]);
      const price = (when: string) =>
        spans.find(({ start, end }) => at(start) <= at(when) && at(when) < at(end))?.value;
      expect(slots.filter(({ start, value }) => value !== price(start))).toEqual([]);
    },
  );

  test("cron's script does something at a turn, once, and nothing while nothing is known", async () => {
    const check = () => reader.run("check", { PATH: path });
    await pretend("rouge");
    await running.until({ rouge_now: "ON" });
    for (const _ of [1, 2]) expect(await check()).toMatchObject({ code: 0, stderr: "" });
    expect(await told()).toEqual(["off"]);
    await running.vigie.end();
    await running.observer.publish("vigie/rouge_now", "None");
    expect(await check()).toMatchObject({ code: 0 });
    await running.observer.publish("vigie/rouge_now", "");
    expect(await check()).toMatchObject({ code: 0 });
    expect(await told()).toEqual(["off"]);
    const again = await cleanup.startVigie({ folder: running.folder });
    await again.says(/^Connected/);
    await pretend("bleu");
    await running.until({ rouge_now: "OFF" });
    expect(await check()).toMatchObject({ code: 0 });
    expect(await told()).toEqual(["off", "on"]);
  });

  test("commands are carried out, and health answers", async () => {
    await running.observer.publish("vigie/simulation/set", "auto", false);
    expect(await reader.run("commands")).toMatchObject({ code: 0, stderr: "" });
    await running.until({ "rules/dear/enabled": "OFF", "rules/rouge_this_week/threshold": "70" });
    await running.until({ "simulation/color": "auto" });
    // As in the folder of vigie: its state folder is relative to that.
    const env = {
      VIGIE_CONFIG: join(running.folder, "vigie.yaml"),
      VIGIE_STATE: join(running.folder, "state"),
      TMPDIR: join(running.folder, "tmp"),
    };
    // It is told the loop's news a second later.
    await expect
      .poll(async () => (await reader.run("health", env)).stdout, { interval: 500 })
      .toMatch(/^vigie runs; broker reached/);
  });

  test("the service's script hears each turn, also after the broker was away", async () => {
    await pretend("bleu");
    await running.until({ "rules/rouge_peak/state": "OFF" });
    const before = (await told()).length;
    const child = spawn("sh", ["-ec", reader.script("watch")], {
      env: { PATH: path, HOME: home },
      detached: true,
      stdio: "ignore",
    });
    cleanup.add(async () => process.kill(-(child.pid ?? 0), "SIGKILL"));
    const heard = (words: string[]) => {
      let now: string[] = [];
      const look = setInterval(() => void told().then((all) => (now = all.slice(before))), 50);
      return running.observer
        .until(() => words.every((word, at) => now[at] === word), `${words} was told`)
        .finally(() => clearInterval(look));
    };
    await heard(["on"]);
    await pretend("rouge");
    await heard(["on", "off"]);
    await running.broker.end();
    await running.broker.start();
    await heard(["on", "off", "off"]);
  });
});

interface Slot {
  start: string;
  end: string;
  value: number;
}
