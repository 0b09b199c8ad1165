import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDaemon } from "../../src/app/daemon.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Log } from "../../src/runtime/log.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { emptyState } from "../../src/state/state.ts";
import { loadText } from "../config/folder.ts";
import { logTo, SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { NOBODY } from "../support/ports.ts";

/** It ends with the test. */
function openDaemon(log: Log, onPolled: () => void) {
  const nothing = () => undefined;
  const daemon = createDaemon({
    store: createMemoryStore(emptyState("test")),
    log,
    problemLog: createProblemLog(log, systemClock),
    clock: systemClock,
    random: Math.random,
    longestSleep: 15_000,
    identity: {
      installation: "test",
      incarnation: "one",
      previousIncarnation: null,
      host: "test",
      version: "0",
      since: 0,
    },
    embeddedPort: 0,
    takeOver: false,
    onOtherOwner: nothing,
    beforePublishing: async () => undefined,
    onPolled,
    onWake: nothing,
    onViewChange: nothing,
  });
  onTestFinished(() => daemon.stop());
  return daemon;
}

test("the polls of each source are counted since the start, also across a reload", async () => {
  const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: true });
  const folder = await mkdtemp(join(tmpdir(), "vigie-daemon-"));
  let polled: () => void = () => undefined;
  onTestFinished(async () => {
    await simulator.stop();
    await rm(folder, { recursive: true });
  });
  // Stopped before the simulator: what is registered last ends first.
  const daemon = openDaemon(SILENT_LOG, () => polled());
  const settings = {
    service: { base_url: simulator.url },
    official: { source: simulator.url },

    mqtt: { url: `mqtt://${NOBODY}` },
  };
  const file = join(folder, "vigie.yaml");
  await writeFile(file, JSON.stringify(settings));
  const { config } = await loadConfig({ file, env: {}, cwd: folder, inContainer: false });
  const startAndPoll = async () => {
    const once = new Promise<void>((resolve) => {
      polled = resolve;
    });
    await daemon.start(config);
    await once;
    return daemon.view()?.pollCounts;
  };
  const none = { answered: 0, partly: 0, failed: 0, not_sent: 0 };
  expect(await startAndPoll()).toEqual({
    service: { ...none, answered: 1 },
    official: { ...none, answered: 1 },
  });
  const after = await startAndPoll();
  expect(after?.service.answered).toBe(2);
});

test("the missing value of a rule is no problem any more when a reload removes the rule", async () => {
  const lines: string[] = [];
  const daemon = openDaemon(logTo(lines), () => undefined);
  const rule = { id: "low", when: { mqtt: { topic: "car", below: 40 } }, when_unknown: "off" };
  const configWith = async (rules: object[]) =>
    (await loadText(JSON.stringify({ mqtt: { url: "embedded" }, service: { base_url: "simulator" }, rules })))
      .config;
  const values = () => lines.filter((line) => line.startsWith("Rule low") && line.includes("value"));
  await daemon.start(await configWith([rule]));
  const said = expect.stringMatching(/^Rule low counts as OFF \(when_unknown\)/);
  await vi.waitFor(() => expect(values()).toEqual([said]), 60_000);
  await daemon.start(await configWith([rule]));
  await daemon.published();
  expect(values()).toEqual([said]);
  await daemon.start(await configWith([]));
  expect(values()).toEqual([
    said,
    expect.stringMatching(/^Rule low is removed and needs no value any more, after /),
  ]);
});
