import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Daemon } from "../../src/app/daemon.ts";
import { reportHealth } from "../../src/app/health-report.ts";
import { folderWith } from "../config/folder.ts";

const NOW = 1_767_600_000_000;
const SECOND = 1000;

test("health is written every 30 s, and at once when there is news of the broker or of the data", async () => {
  const folder = await folderWith();
  const problemLog = { starts: () => undefined, isOver: () => undefined };
  const systemd = { report: () => undefined, stopping: async () => undefined };
  const report = reportHealth({ RUNTIME_DIRECTORY: folder }, { problemLog, systemd });
  const state = { connected: false, last_success: null as number | null };
  const daemon = {
    config: () => ({ instance: "vigie" }),
    parts: { publisher: { it: { state: () => ({ connected: state.connected, url: "mqtt://b" }) } } },
    lookout: () => ({
      facts: () => ({ service: { status: "ok" }, dated: { forecast: { days: [] } } }),
      lastSuccess: () => state.last_success,
    }),
  } as unknown as Daemon;
  const beat = async (seconds: number, news: Partial<typeof state> = {}) => {
    Object.assign(state, news);
    report.beat(NOW + seconds * SECOND, daemon);
    await report.written();
    const { at, broker, data } = JSON.parse(readFileSync(join(folder, "health.json"), "utf8"));
    return [(at - NOW) / SECOND, broker.connected, data.last_success];
  };
  expect(await beat(0)).toEqual([0, false, null]);
  expect(await beat(1)).toEqual([0, false, null]);
  expect(await beat(2, { connected: true })).toEqual([2, true, null]);
  expect(await beat(3, { last_success: NOW })).toEqual([3, true, NOW]);
  expect(await beat(4)).toEqual([3, true, NOW]);
  expect(await beat(32)).toEqual([3, true, NOW]);
  expect(await beat(33)).toEqual([33, true, NOW]);
});
