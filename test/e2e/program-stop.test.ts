import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { onBusyMachine } from "../support/patience.ts";
import { NOBODY } from "../support/ports.ts";
import { startProxy } from "../support/proxy.ts";
import { vigieConfig } from "../support/running-vigie.ts";
import { type Cleanup, createCleanup } from "../support/vigie.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const MOMENTS = process.env["VIGIE_TEST_LONG"] === "1" ? 20 : 4;

interface Surroundings {
  service: string;
  broker: string;
}

const TROUBLES: [string, (cleanup: Cleanup) => Promise<Surroundings>][] = [
  ["all well", async (cleanup) => ({ service: await simulate(cleanup), broker: (await serve(cleanup)).url })],
  ["the broker down", async (cleanup) => ({ service: await simulate(cleanup), broker: `mqtt://${NOBODY}` })],
  [
    "the broker frozen",
    async (cleanup) => {
      const broker = await serve(cleanup);
      broker.freeze();
      return { service: await simulate(cleanup), broker: broker.url };
    },
  ],
  [
    "the broker frozen in the middle of its first answers",
    async (cleanup) => ({
      service: await simulate(cleanup),
      broker: await freezing(cleanup, (await serve(cleanup)).port),
    }),
  ],
  [
    "the service slow",
    async (cleanup) => ({ service: await simulate(cleanup, "slow"), broker: (await serve(cleanup)).url }),
  ],
  [
    "the service and the broker down",
    async () => ({ service: `http://${NOBODY}`, broker: `mqtt://${NOBODY}` }),
  ],
];

describe("SIGTERM to npm start", () => {
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

describe.skipIf(withoutMosquitto)(`SIGTERM at any moment ${withoutMosquitto}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test.concurrent.each(TROUBLES)(
    `ends with 0 within 5 s, with %s (${MOMENTS} moments)`,
    async (name, arrange) => {
      const random = randomFrom(name);
      const { service, broker } = await arrange(cleanup);
      const folder = await cleanup.createFolder();
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const vigie = await cleanup.startVigie({ folder, config: vigieConfig(service, broker) });
        // Node itself takes a moment before a program of it can hear of a signal.
        await vigie.prints(/vigie .* starts/);
        await pause(random() * 700);
        await endsInTime(vigie);
      }
    },
  );

  test("ends with 0 within 5 s when the broker froze while vigie was on it", async () => {
    const broker = await serve(cleanup);
    const folder = await cleanup.createFolder();
    const vigie = await cleanup.startVigie({
      folder,
      config: vigieConfig(await simulate(cleanup), broker.url),
    });
    await vigie.says(/^Connected to the broker/);
    broker.freeze();
    await endsInTime(vigie);
  });

  test("ends with 0 also before the first word, as soon as Node hears of signals", async () => {
    const folder = await cleanup.createFolder();
    const config = vigieConfig(`http://${NOBODY}`, `mqtt://${NOBODY}`);
    const begun = systemClock.steady();
    const measured = await cleanup.startVigie({ folder, config });
    await measured.prints(/vigie .* starts/);
    const start = systemClock.steady() - begun;
    await measured.end();
    for (const share of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
      const vigie = await cleanup.startVigie({ folder, config });
      await pause(share * start);
      const { code } = await vigie.end();
      // null: Node had not come to the program, which had said nothing yet, and the system ended it.
      if (code !== null || vigie.output() !== "") expect({ share, code }).toEqual({ share, code: 0 });
    }
  });
});

async function endsInTime(vigie: {
  end: () => Promise<{ code: number | null; stdout: string; stderr: string }>;
}) {
  const start = systemClock.steady();
  const ending = await vigie.end();
  expect({ ...ending, took: systemClock.steady() - start }).toMatchObject({ code: 0, stderr: "" });
  expect(systemClock.steady() - start).toBeLessThan(onBusyMachine(5_000));
}

async function serve(cleanup: Cleanup) {
  const broker = await startMosquitto();
  cleanup.add(broker.remove);
  return broker;
}

async function simulate(cleanup: Cleanup, ...faults: ["slow"?]): Promise<string> {
  const simulator = await startFaultyService({
    port: 0,
    seed: 1,
    clock: systemClock,
    sendDate: true,
    faults: faults.flatMap((fault) => fault ?? []),
  });
  cleanup.add(simulator.stop);
  return simulator.url;
}

/** The way to a broker that stands still after its first bytes. */
async function freezing(cleanup: Cleanup, port: number): Promise<string> {
  const proxy = await startProxy(port, () => {
    let left = FIRST_BYTES;
    return (bytes) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      return passed;
    };
  });
  cleanup.add(proxy.stop);
  return proxy.url;
}

const FIRST_BYTES = 100;
