import { readdirSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { LONG } from "../support/long.ts";
import { createCleanup, MAIN, runHere } from "../support/vigie.ts";

const cleanup = createCleanup();
afterAll(cleanup.run);

test("vigie demo prints where its page is, tells a story for people, and ends at a signal without a trace", async () => {
  const folder = await cleanup.createFolder();
  // Programs of tests have their temporary files there.
  const demoFolders = () => readdirSync(join(folder, "tmp")).filter((name) => name.startsWith("vigie-demo-"));
  const vigie = await cleanup.startVigie({ folder, args: ["demo"] });
  await vigie.prints(/Rule rouge_ahead is ON: /);
  expect(demoFolders()).toHaveLength(1);
  const [page = ""] = /http:\S+/.exec(vigie.output()) ?? [];
  expect(/Invented days/.exec(await (await fetch(page)).text())).not.toBeNull();
  const { code, stdout, stderr } = await vigie.end("SIGTERM");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\s*Open in a browser: http/);
  expect(stdout).toContain("Wednesday 21 January comes next: rouge, announced");
  expect(stdout).not.toMatch(/[{}]|Problem/);
  expect(readdirSync(folder)).toEqual(["tmp"]);
  expect(demoFolders()).toEqual([]);
});

if (LONG)
  test("vigie demo shows the rules that a set-up has written into the checkout, and says whose they are", async () => {
    const checkout = await cleanup.createFolder();
    await cp(dirname(MAIN), join(checkout, "dist"), {
      recursive: true,
      filter: (path) => !path.endsWith("/app") && !path.endsWith(".zip"),
    });
    await mkdir(join(checkout, "config"));
    const file = join(checkout, "config", "vigie.yaml");
    const outputs = '[{ id: car, topic: car/set, choose: [{ when: dear, payload: "off" }], else: "on" }]';
    await writeFile(file, `rules: [{ id: dear, when: { day: now, color: blanc } }]\noutputs: ${outputs}\n`);
    const program = [process.execPath, join(checkout, "dist", "main.js")];
    const demo = await cleanup.startVigie({ folder: checkout, program, args: ["demo"] });
    await demo.prints(/Would send "off" to car/);
    expect(demo.output()).toContain(`rules   ${file}`);
    await demo.end("SIGTERM");
  });

if (LONG)
  test("vigie show says of a demo that a payload would be sent, not that it was", async () => {
    const folder = await cleanup.createFolder();
    const args = ["demo", "--from", "2026-01-21T12:00", "--speed", "1"];
    const demo = await cleanup.startVigie({ folder, args });
    await demo.prints(/Would send "off" to Boiler/);
    const [, port] = /-p (\d+)/.exec(demo.output()) ?? [];
    const mqtt = { url: `mqtt://127.0.0.1:${port}` };
    const config = { service: { base_url: "none" }, official: { source: "rte" }, mqtt };
    const show = async () => (await runHere({ folder, config, args: ["show"] })).stdout;
    await expect.poll(show, { interval: 200 }).toMatch(/^output boiler {2}dry .*would send off$/m);
    expect(await show()).not.toMatch(/ sent /);
    await demo.end("SIGTERM");
  });
