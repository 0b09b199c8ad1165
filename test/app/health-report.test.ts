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
  const systemd = { interval: 60_000, report: () => undefined, stopping: async () => undefined };
  const report = reportHealth({ RUNTIME_DIRECTORY: folder }, { problemLog, systemd });
  const state = { connected: false, last_success: null as number | null };
  const daemon = {
    status: () => ({
      config: { instance: "vigie" },
      snapshot: { facts: { dated: { forecast: { days: [] } } }, known: { polls: { kind: "real" } } },
      lastSuccess: { service: state.last_success, official: null },
      broker: { connected: state.connected, url: "mqtt://b" },
      embeddedPort: null,
    }),
  } as unknown as Daemon;
  const update = async (seconds: number, news: Partial<typeof state> = {}) => {
    Object.assign(state, news);
    report.update(NOW + seconds * SECOND, daemon);
    await report.written();
    const { at, broker, data } = JSON.parse(readFileSync(join(folder, "health.json"), "utf8"));
    return [(at - NOW) / SECOND, broker.connected, data.last_success];
  };
  expect(await update(0)).toEqual([0, false, null]);
  expect(await update(1)).toEqual([0, false, null]);
  expect(await update(2, { connected: true })).toEqual([2, true, null]);
  expect(await update(3, { last_success: NOW })).toEqual([3, true, NOW]);
  expect(await update(4)).toEqual([3, true, NOW]);
  expect(await update(32)).toEqual([3, true, NOW]);
  expect(await update(33)).toEqual([33, true, NOW]);
});
