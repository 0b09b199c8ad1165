import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createCleanup, runVigie } from "../support/vigie.ts";

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

test("vigie show says of a demo that a payload would be sent, not that it was", async () => {
  const folder = await cleanup.createFolder();
  const args = ["demo", "--from", "2026-01-21T12:00", "--speed", "1"];
  const demo = await cleanup.startVigie({ folder, args });
  await demo.prints(/Would send "off" to Boiler/);
  const [, port] = /-p (\d+)/.exec(demo.output()) ?? [];
  const mqtt = { url: `mqtt://127.0.0.1:${port}` };
  const config = { service: { base_url: "none" }, official: { source: "rte" }, mqtt };
  const show = async () => (await runVigie({ folder, config, args: ["show"] })).stdout;
  await expect.poll(show).toMatch(/^output boiler {2}dry .*would send off$/m);
  expect(await show()).not.toMatch(/ sent /);
  await demo.end("SIGTERM");
});
