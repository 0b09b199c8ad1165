import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPage } from "../support/guide.ts";
import { type Mosquitto, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { type Observer, observe } from "../support/observer.ts";
import { freePort } from "../support/ports.ts";
import { lacking } from "../support/prepared.ts";
import { createCleanup } from "../support/vigie.ts";
import { readGuide } from "./guide-reader.ts";

const PAGE = readPage("docs/node-red.md");
const FOLDER = process.env["VIGIE_NODE_RED"];
const RED = join(FOLDER ?? "", "node_modules", "node-red", "red.js");
const withoutNodeRed = lacking(
  FOLDER !== undefined && existsSync(RED),
  "needs VIGIE_NODE_RED, a folder into which Node-RED was installed by npm",
);
const missing = withoutMosquitto || withoutNodeRed;
const RULE = "vigie/rules/rouge_peak";
const COMMAND = "shellies/boiler/relay/0/command";

describe.skipIf(missing)(`the flow of docs/node-red.md in a real Node-RED ${missing}`, () => {
  const cleanup = createCleanup();
  let broker: Mosquitto;
  let running: Observer;
  let folder: string;
  beforeAll(async () => {
    broker = await startMosquitto({ persistence: "each change" });
    cleanup.add(broker.remove);
    running = await observe(broker.url, "#", 5, { reconnectPeriod: 100 });
    cleanup.add(running.disconnect);
    folder = await cleanup.createFolder();
    const reader = readGuide(PAGE, folder, { broker: broker.port });
    await writeFile(join(folder, "flows.json"), reader.file("flows.json"));
  });
  afterAll(cleanup.run);

  const told = () => running.received.filter(({ topic }) => topic === COMMAND).map(({ payload }) => payload);
  const becomes = (words: string[]) =>
    running.until(() => told().join() === words.join(), `the boiler was told ${words}, got ${told()}`);
  const say = async (rule: Record<string, string>) => {
    for (const [name, payload] of Object.entries(rule)) await running.publish(`${RULE}/${name}`, payload);
  };
  const start = async () => {
    const settings = join(folder, "settings.cjs");
    const port = await freePort();
    await writeFile(
      settings,
      `module.exports = { uiHost: "127.0.0.1", uiPort: ${port}, httpAdminRoot: false, telemetry: { enabled: false } };`,
    );
    const child = spawn(process.execPath, [RED, "-u", folder, "-s", settings, "flows.json"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    cleanup.add(() => end(child));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
    await running.until(() => output.includes("Connected to broker"), "Node-RED is connected");
    return child;
  };

  test("obeys the rule, says it again after a restart, waits while nothing is known, and goes on without vigie", async () => {
    const ago = (seconds: number) => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;
    await say({
      state: "OFF",
      since: ago(7200),
      next_on: ago(-3600),
      next_off: "None",
      plan: "[]",
      enabled: "ON",
    });
    const first = await start();
    await becomes(["on"]);
    await say({ state: "ON", since: ago(1), next_on: "None", next_off: ago(-3600) });
    await becomes(["on", "off"]);

    await end(first);
    const second = await start();
    await becomes(["on", "off", "off"]);

    await say({ state: "None", since: "None", next_on: "None", next_off: "None" });
    await pause(6_000);
    await broker.end();
    await broker.start();
    await pause(6_000);
    expect(told()).toEqual(["on", "off", "off"]);

    // What vigie had said before it died: it is ON since then, and OFF from a few seconds from now on.
    await say({ state: "ON", since: ago(600), next_off: ago(-8) });
    await pause(6_000);
    // Its state has expired by then.
    await say({ state: "" });
    await becomes(["on", "off", "off", "on"]);
    await end(second);
  });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const limit = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(limit);
}
