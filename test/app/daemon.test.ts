import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDaemon } from "../../src/app/daemon.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { startSimulator } from "../../src/simulator/server.ts";
import { emptyState } from "../../src/state/state.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { NOBODY } from "../support/ports.ts";

test("the polls of each source are counted since the start, also across a reload", async () => {
  const simulator = await startSimulator({ port: 0, seed: 1, clock: systemClock, sendDate: true });
  const folder = await mkdtemp(join(tmpdir(), "vigie-daemon-"));
  let polled: () => void = () => undefined;
  const nothing = () => undefined;
  const daemon = createDaemon({
    store: createMemoryStore(emptyState("test")),
    log: SILENT_LOG,
    problemLog: createProblemLog(SILENT_LOG, systemClock),
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
    onPolled: () => polled(),
    onWake: nothing,
    onViewChange: nothing,
  });
  onTestFinished(async () => {
    await daemon.stop();
    await simulator.stop();
    await rm(folder, { recursive: true });
  });
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
