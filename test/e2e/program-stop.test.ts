import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { settleable } from "../../src/runtime/wait.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { LONG } from "../support/long.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { onBusyMachine, PATIENCE } from "../support/patience.ts";
import { startPlainService } from "../support/plain-service.ts";
import { NOBODY } from "../support/ports.ts";
import { startProxy } from "../support/proxy.ts";
import { serveBleuDays, vigieConfig } from "../support/running-vigie.ts";
import { type Cleanup, createCleanup, MAIN, type Vigie } from "../support/vigie.ts";

const ROOT = join(import.meta.dirname, "..", "..");

interface Surroundings {
  service: string;
  broker: string;
  /** Resolves when vigie has met them. */
  isMet: (vigie: Vigie) => Promise<unknown>;
}

const TROUBLES = {
  "all well": async (cleanup) => ({
    service: await serveBleuDays(cleanup),
    broker: (await serve(cleanup)).url,
    isMet: (vigie: Vigie) => vigie.says(/^Connected to the broker/),
  }),
  "the broker down": async (cleanup) => ({
    service: await serveBleuDays(cleanup),
    broker: `mqtt://${NOBODY}`,
    isMet: (vigie: Vigie) => vigie.says(/^The broker .* is not listening/),
  }),
  "the broker frozen": async (cleanup) => {
    const broker = await serve(cleanup);
    const asked = settleable();
    const proxy = await startProxy(broker.port, undefined, () => () => asked.settle());
    cleanup.add(proxy.stop);
    broker.freeze();
    return {
      service: await serveBleuDays(cleanup),
      broker: proxy.url,
      isMet: () => asked.promise,
    };
  },
  "the broker frozen in the middle of its first answers": async (cleanup) => {
    const { port } = await serve(cleanup);
    const { url, isFrozen } = await freezing(cleanup, port);
    return { service: await serveBleuDays(cleanup), broker: url, isMet: () => isFrozen };
  },
  "the service silent": async (cleanup) => {
    const asked = settleable();
    const silent = await startPlainService(() => {
      asked.settle();
      return null;
    });
    cleanup.add(silent.stop);
    return { service: silent.url, broker: (await serve(cleanup)).url, isMet: () => asked.promise };
  },
  "the service and the broker down": async () => ({
    service: `http://${NOBODY}`,
    broker: `mqtt://${NOBODY}`,
    isMet: (vigie: Vigie) =>
      Promise.all([
        vigie.says(/^The forecast service .* could not be reached/),
        vigie.says(/^The broker .* is not listening/),
      ]),
  }),
} satisfies Record<string, (cleanup: Cleanup) => Promise<Surroundings>>;
/** With the broker down vigie does nothing that it does not also do with both down. */
const TRIED = Object.entries(TROUBLES).filter(([name]) => LONG || name !== "the broker down");
/** Milliseconds after vigie's first word: one random moment in each of these times, besides that at which it has met the trouble. */
const RANDOM_MOMENTS = LONG ? [0, 100, 200, 300, 400, 500, 600] : [];

describe("SIGTERM to npm start", { concurrent: true }, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("ends vigie", async () => {
    const folder = await cleanup.createFolder();
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    // The built program is there already: a build in the middle of the tests would replace it while they use it.
    const manifest = { type: "module", scripts: { build: "true", start: scripts.start } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await symlink(join(ROOT, "dist"), join(folder, "dist"));
    const config = { service: { base_url: "simulator" }, mqtt: { url: "embedded" } };
    const env = { npm_config_update_notifier: "false" };
    const program = ["npm", "start", "--silent"];
    const vigie = await cleanup.startVigie({ folder, config, env, program });
    await vigie.prints(/npx vigie show --watch/);
    // It ends when nothing holds its output any more: npm, the shell and vigie.
    await vigie.end();
    expect(vigie.lines.at(-1)?.msg).toBe("vigie has stopped");
  });
});

describe.skipIf(withoutMosquitto)(`SIGTERM at any moment ${withoutMosquitto}`, { concurrent: true }, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.each(TRIED)(
    "ends with 0 within 5 s, with %s",
    { timeout: PATIENCE + RANDOM_MOMENTS.length * 15_000 },
    async (name, arrange) => {
      const random = randomFrom(name);
      const { service, broker, isMet } = await arrange(cleanup);
      const folder = await cleanup.createFolder();
      const config = vigieConfig(service, broker);
      // One of them shows in npm test that the process ends, too.
      const vigie = await cleanup.startVigie({ folder, config, here: name !== "all well" });
      await isMet(vigie);
      await endsInTime(vigie);
      for (const moment of RANDOM_MOMENTS) {
        const another = await cleanup.startVigie({ folder, config });
        // Node itself takes a moment before a program of it can hear of a signal.
        await another.prints(/vigie .* starts/);
        await pause(moment + random() * 100);
        await endsInTime(another);
      }
    },
  );

  test("ends with 0 within 5 s when the broker froze while vigie was on it", async () => {
    const broker = await serve(cleanup);
    const folder = await cleanup.createFolder();
    const vigie = await cleanup.startVigie({
      folder,
      config: vigieConfig(await serveBleuDays(cleanup), broker.url),
      here: true,
    });
    await vigie.says(/^Connected to the broker/);
    broker.freeze();
    await endsInTime(vigie);
  });

  test("ends with 0 also before the first word, as soon as vigie hears of signals", async () => {
    const folder = await cleanup.createFolder();
    const config = vigieConfig(`http://${NOBODY}`, `mqtt://${NOBODY}`);
    const program = [process.execPath, "--import", join(import.meta.dirname, "tell-of-signals.mjs"), MAIN];
    const start = (env = {}) => cleanup.startVigie({ folder, config, program, env });
    const early = await start({ STOP_AT_ONCE: "1" });
    expect(await early.ended).toMatchObject({ code: 0, stderr: "" });
    const soon = await start();
    await soon.prints(/hears of signals/);
    expect(await soon.end()).toMatchObject({ code: 0, stderr: "" });
    if (!LONG) return;
    const measured = await start();
    await measured.prints(/hears of signals/);
    const heard = systemClock.steady();
    await measured.prints(/vigie .* starts/);
    const untilFirstWord = systemClock.steady() - heard;
    await measured.end();
    for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
      const vigie = await start();
      await vigie.prints(/hears of signals/);
      await pause(share * untilFirstWord);
      expect({ share, ...(await vigie.end()) }).toMatchObject({ share, code: 0, stderr: "" });
    }
  });

  test("hears of signals before it reads its configuration", async () => {
    const folder = await cleanup.createFolder();
    // Of a pipe into which nobody writes vigie waits for the end. Until it hears of signals, SIGTERM ends it without a code.
    await promisify(execFile)("mkfifo", [join(folder, "vigie.yaml")]);
    const vigie = await cleanup.startVigie({ folder });
    const pipe = await openForReader(join(folder, "vigie.yaml"));
    const ending = await vigie.end();
    await pipe.close();
    expect(ending).toEqual({ code: expect.any(Number), stdout: "", stderr: "" });
  });
});

/** Opens a pipe when somebody reads it: until then that fails with ENXIO. */
async function openForReader(path: string): Promise<FileHandle> {
  const end = systemClock.steady() + PATIENCE;
  for (;;) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO" || systemClock.steady() > end) throw error;
    }
    await pause(5);
  }
}

async function endsInTime(vigie: Vigie) {
  const start = systemClock.steady();
  const ending = await vigie.end();
  const took = systemClock.steady() - start;
  expect({ ...ending, took }).toMatchObject({ code: 0, stderr: "" });
  expect(vigie.lines.at(-1)?.msg).toBe("vigie has stopped");
  expect(took).toBeLessThan(onBusyMachine(5_000));
}

async function serve(cleanup: Cleanup) {
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  return broker;
}

/** The way to a broker that stands still after its first bytes. */
async function freezing(cleanup: Cleanup, port: number) {
  const frozen = settleable();
  const proxy = await startProxy(port, () => {
    let left = FIRST_BYTES;
    return (bytes) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      if (left === 0) frozen.settle();
      return passed;
    };
  });
  cleanup.add(proxy.stop);
  return { url: proxy.url, isFrozen: frozen.promise };
}

const FIRST_BYTES = 100;
