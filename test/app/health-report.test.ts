import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { Daemon } from "../../src/app/daemon.ts";
import { writeHealth } from "../../src/app/health-file.ts";
import { judgeDaemon, reportHealth } from "../../src/app/health-report.ts";
import type { View } from "../../src/core/loop/view.ts";
import { folderWith } from "../config/folder.ts";
import { logTo } from "../support/logs.ts";
import { openTestLoop } from "../support/test-loop.ts";
import { withLastAnswers } from "../support/views.ts";

const NOW = 1_767_600_000_000;
const SECOND = 1000;

test("health is written every 30 s, and at once when there is news of the broker or of the data", async () => {
  const path = join(await folderWith(), "health.json");
  const { report } = open(path);
  const state = { connected: false, last_success: null as number | null };
  const daemon = {
    status: () => statusWith(state.last_success, { connected: state.connected, url: "mqtt://b" }),
  } as Daemon;
  const update = async (seconds: number, news: Partial<typeof state> = {}) => {
    Object.assign(state, news);
    report.update(NOW + seconds * SECOND, daemon);
    await report.written();
    const { at, broker, data } = JSON.parse(readFileSync(path, "utf8"));
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

test.each([
  { what: "today and tomorrow", light: true, words: /data old: the official source last answered 5 h ago/ },
  { what: "only the season", light: false, words: /data fresh: the official source answered 5 h ago/ },
])("an official source that fails for $what, five hours after its last answer", ({ light, words }) => {
  const { loop } = openTestLoop({ clock: { at: NOW }, askOfficial: () => Promise.reject(new Error("down")) });
  const answered = NOW - 5 * 3_600 * SECOND;
  const view = withLastAnswers(loop.view(), { service: answered - SECOND, official: answered });
  const { official } = view.factsInput;
  if (!official) throw new Error("Expected an official source");
  const failing = light ? { since: answered, sentence: "down" } : null;
  const failures = { season: { at: answered, count: 1, sentence: "down" } };
  const record = { ...official, failing, failures };
  const facts = { ...view.facts, official: { ...view.facts.official, status: "degraded" } };
  const status = () => ({
    view: {
      ...view,
      facts,
      factsInput: { ...view.factsInput, official: record },
      sinceStart: { ...view.sinceStart, unpolled: [] },
    },
    embeddedPort: null,
  });
  expect(judgeDaemon(NOW, { status } as unknown as Daemon)?.words).toMatch(words);
});

const DAEMON = {
  status: () => statusWith(NOW, { connected: true, url: "mqtt://b" }),
} as Daemon;

/** That of a loop which knows nothing, but for this. */
function statusWith(service: number | null, broker: View["broker"]): ReturnType<Daemon["status"]> {
  const { loop } = openTestLoop({ clock: { at: NOW } });
  const view = withLastAnswers({ ...loop.view(), broker }, { service });
  return { view, embeddedPort: null } as ReturnType<Daemon["status"]>;
}

function open(path: string) {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOW, steady: () => 0 });
  const systemd = { interval: 60_000, report: () => undefined, stopping: async () => undefined };
  return { report: reportHealth(path, { problemLog, systemd }), lines };
}

describe("a health file", () => {
  const other = (pid: number) => ({
    at: NOW,
    pid,
    broker: { connected: true, url: "mqtt://other", port: 1883 },
    data: { last_success: NOW, official_success: null, newest: null, service: "real" as const },
  });

  test("of another vigie that lives is left alone, and overwritten once that has ended", async () => {
    const path = join(await folderWith(), "health.json");
    const sleeper = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    onTestFinished(() => void sleeper.kill("SIGKILL"));
    await writeHealth(path, other(sleeper.pid ?? 0));
    const { report, lines } = open(path);
    report.update(NOW, DAEMON);
    await report.written();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(other(sleeper.pid ?? 0));
    expect(lines).toEqual([`The health file ${path} is in use by another vigie, process ${sleeper.pid}`]);
    sleeper.kill("SIGKILL");
    await once(sleeper, "close");
    report.update(NOW + 30 * SECOND, DAEMON);
    await report.written();
    expect(JSON.parse(readFileSync(path, "utf8")).pid).toBe(process.pid);
  });

  test("that is broken is replaced, and a folder in its place is logged once", async () => {
    const folder = await folderWith({ "health.json": "{", "taken/file": "" });
    const replaced = open(join(folder, "health.json"));
    replaced.report.update(NOW, DAEMON);
    await replaced.report.written();
    expect(JSON.parse(readFileSync(join(folder, "health.json"), "utf8")).pid).toBe(process.pid);
    const { report, lines } = open(join(folder, "taken"));
    for (const seconds of [0, 30]) report.update(NOW + seconds * SECOND, DAEMON);
    await report.written();
    expect(lines).toEqual([expect.stringMatching(/^The health file .*taken cannot be written: /)]);
  });
});
