import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";
import { randomFrom } from "../../src/simulator/random.ts";
import { startFaultyService } from "../support/faulty-server.ts";
import { houseConfig } from "../support/house.ts";
import { freePort, startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { openYard, type Yard } from "../support/vigie.ts";

const MOMENTS = process.env["VIGIE_TEST_LONG"] === "1" ? 20 : 4;

interface Surroundings {
  service: string;
  broker: string;
}

const TROUBLES: [string, (yard: Yard) => Promise<Surroundings>][] = [
  ["all well", async (yard) => ({ service: await simulate(yard), broker: (await serve(yard)).url })],
  ["the broker down", async (yard) => ({ service: await simulate(yard), broker: await nobody("mqtt") })],
  [
    "the broker frozen",
    async (yard) => {
      const broker = await serve(yard);
      broker.freeze();
      return { service: await simulate(yard), broker: broker.url };
    },
  ],
  [
    "the broker frozen in the middle of its first answers",
    async (yard) => ({
      service: await simulate(yard),
      broker: await freezing(yard, (await serve(yard)).port),
    }),
  ],
  [
    "the service slow",
    async (yard) => ({ service: await simulate(yard, "slow"), broker: (await serve(yard)).url }),
  ],
  [
    "the service and the broker down",
    async () => ({ service: await nobody("http"), broker: await nobody("mqtt") }),
  ],
];

describe.skipIf(withoutMosquitto)(`SIGTERM at any moment ${withoutMosquitto}`, () => {
  const yard = openYard();
  afterAll(yard.clear);

  test.concurrent.each(TROUBLES)(
    `ends with 0 within 5 s, with %s (${MOMENTS} moments)`,
    async (name, arrange) => {
      const random = randomFrom(name);
      const { service, broker } = await arrange(yard);
      const folder = await yard.folder();
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const vigie = await yard.start({ folder, config: houseConfig(service, broker) });
        // Node itself takes a moment before a program of it can hear of a signal.
        await vigie.prints(/vigie .* starts/);
        await pause(random() * 700);
        await endsInTime(vigie);
      }
    },
    60_000,
  );

  test("ends with 0 within 5 s when the broker froze while vigie was on it", async () => {
    const broker = await serve(yard);
    const folder = await yard.folder();
    const vigie = await yard.start({ folder, config: houseConfig(await simulate(yard), broker.url) });
    await vigie.says(/^Connected to the broker/);
    broker.freeze();
    await endsInTime(vigie);
  });

  test("ends with 0 also before the first word, as soon as Node hears of signals", async () => {
    const folder = await yard.folder();
    const config = houseConfig(await nobody("http"), await nobody("mqtt"));
    const begun = systemClock.steady();
    const measured = await yard.start({ folder, config });
    await measured.prints(/vigie .* starts/);
    const start = systemClock.steady() - begun;
    await measured.end();
    for (const share of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
      const vigie = await yard.start({ folder, config });
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
  expect(systemClock.steady() - start).toBeLessThan(5_000);
}

async function serve(yard: Yard) {
  const broker = await startMosquitto();
  yard.later(broker.remove);
  return broker;
}

async function simulate(yard: Yard, ...faults: ["slow"?]): Promise<string> {
  const simulator = await startFaultyService({
    port: 0,
    seed: 1,
    clock: systemClock,
    sendDate: true,
    faults: faults.flatMap((fault) => fault ?? []),
  });
  yard.later(simulator.stop);
  return simulator.url;
}

/** The way to a broker that stands still after its first bytes. */
async function freezing(yard: Yard, port: number): Promise<string> {
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = createConnection(port, "127.0.0.1");
    let passed = 0;
    for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined));
    near.on("data", (bytes) => passed <= FIRST_BYTES && far.write(bytes));
    far.on("data", (bytes) => {
      passed += bytes.length;
      if (passed <= FIRST_BYTES) near.write(bytes);
    });
  });
  await once(way.listen(0, "127.0.0.1"), "listening");
  yard.later(async () => {
    for (const socket of sockets) socket.destroy();
    way.close();
  });
  return `mqtt://127.0.0.1:${(way.address() as AddressInfo).port}`;
}

const FIRST_BYTES = 100;

async function nobody(scheme: string): Promise<string> {
  return `${scheme}://127.0.0.1:${await freePort()}`;
}
