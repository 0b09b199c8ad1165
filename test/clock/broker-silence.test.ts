import { connect, createServer, type Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { startSimulator } from "../../src/simulator/server.ts";
import { SPEED, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { freePort, withoutMosquitto } from "../support/mosquitto.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const PUBACK = 0x40;

describe.skipIf(reason)(`a broker that omits one acknowledgement ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("the connection is closed after two minutes, and the unacknowledged payload is sent again", async () => {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: true });
    cleanup.add(simulator.stop);
    const middleman = await openMiddleman(await freePort());
    cleanup.add(middleman.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
      config: { mqtt: { url: middleman.url } },
      beforeStart: async (broker) => middleman.leadTo(Number(new URL(broker).port)),
    });
    await running.until({ availability: "online", "service/status": "ok" });

    middleman.swallow();
    await running.observer.publish("vigie/simulation/set", "rouge", false);
    await running.vigie.says(
      /connection to the broker was lost: the broker has not answered a message for 2 minutes/,
    );
    await running.observer.publish("vigie/simulation/set", "blanc", false);
    await running.until({ availability: "online", "simulation/color": "blanc" });
    expect(middleman.swallowed()).toBe(1);
  });
});

test.skipIf(reason)("a broker that hangs is detected, and all is right when it goes on", async () => {
  const cleanup = createCleanup();
  try {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: true });
    cleanup.add(simulator.stop);
    const { broker, observer, until, vigie } = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
    });
    await until({ availability: "online", "service/status": "ok" });
    broker.freeze();
    await vigie.says(/connection to the broker was lost: the broker does not answer any more/);
    broker.thaw();
    await observer.publish("vigie/simulation/set", "rouge", false);
    await until({ availability: "online", "simulation/color": "rouge" });
  } finally {
    await cleanup.run();
  }
});

/** Carries everything between vigie and its broker, but for one acknowledgement. */
async function openMiddleman(port: number) {
  let target = 0;
  let isDue = false;
  let swallowed = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(target, "127.0.0.1");
    let rest: Buffer = Buffer.alloc(0);
    client.pipe(broker);
    broker.on("data", (bytes) => {
      const { frames, left } = splitFrames(Buffer.concat([rest, bytes]));
      rest = left;
      for (const frame of frames) {
        if (isDue && frame[0] === PUBACK) {
          isDue = false;
          swallowed += 1;
        } else client.write(frame);
      }
    });
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => [client, broker].map((one) => one.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `mqtt://127.0.0.1:${port}`,
    leadTo: (broker: number) => {
      target = broker;
    },
    swallow: () => {
      isDue = true;
    },
    swallowed: () => swallowed,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** MQTT's packets: a byte, a length of one to four bytes, and as many bytes as it says. */
function splitFrames(bytes: Buffer): { frames: Buffer[]; left: Buffer } {
  const frames: Buffer[] = [];
  let start = 0;
  for (;;) {
    let length = 0;
    let digits = 0;
    for (; ; digits += 1) {
      const digit = bytes[start + 1 + digits];
      if (digit === undefined) return { frames, left: bytes.subarray(start) };
      length += (digit & 127) << (7 * digits);
      if (digit < 128) break;
    }
    const end = start + 2 + digits + length;
    if (end > bytes.length) return { frames, left: bytes.subarray(start) };
    frames.push(bytes.subarray(start, end));
    start = end;
  }
}
