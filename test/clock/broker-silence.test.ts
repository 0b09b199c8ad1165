import { afterAll, describe, expect, test } from "vitest";
import { startSimulator } from "../../src/simulator/server.ts";
import { SPEED, startFakeTime, withoutFakeTime } from "../support/fake-time.ts";
import { startMosquitto, withoutMosquitto } from "../support/mosquitto.ts";
import { startProxy } from "../support/proxy.ts";
import { startVigieAndBroker } from "../support/running-vigie.ts";
import { createCleanup } from "../support/vigie.ts";

const reason = withoutMosquitto || withoutFakeTime;
const PUBACK = 0x40;

describe.skipIf(reason)(`a broker that omits one acknowledgement ${reason}`, () => {
  const cleanup = createCleanup();
  afterAll(cleanup.run);

  test("the connection is closed after two minutes, and the unacknowledged payload is sent again", async () => {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: false });
    cleanup.add(simulator.stop);
    const broker = await startMosquitto();
    cleanup.add(broker.remove);
    const proxy = await startDroppingProxy(broker.port);
    cleanup.add(proxy.stop);
    const running = await startVigieAndBroker(cleanup, {
      service: simulator.url,
      time,
      broker,
      config: { mqtt: { url: proxy.url } },
    });
    await running.until({ availability: "online", "service/status": "ok" });

    proxy.dropNextAcknowledgement();
    await running.observer.publish("vigie/simulation/set", "rouge", false);
    await running.vigie.says(
      /connection to the broker was lost: the broker has not answered a message for 2 minutes/,
    );
    await running.observer.publish("vigie/simulation/set", "blanc", false);
    await running.until({ availability: "online", "simulation/color": "blanc" });
    expect(proxy.dropped()).toBe(1);
  });
});

test.skipIf(reason)("a broker that hangs is detected, and all is right when it goes on", async () => {
  const cleanup = createCleanup();
  try {
    const time = startFakeTime("2026-01-05T12:00:00Z", SPEED);
    const simulator = await startSimulator({ port: 0, seed: 1, clock: time.clock, sendDate: false });
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

/** A proxy before the broker that can leave out one acknowledgement. */
async function startDroppingProxy(brokerPort: number) {
  let isDue = false;
  let dropped = 0;
  const isPassedOn = (frame: Buffer) => {
    if (!isDue || frame[0] !== PUBACK) return true;
    isDue = false;
    dropped += 1;
    return false;
  };
  const proxy = await startProxy(brokerPort, () => {
    let rest: Buffer = Buffer.alloc(0);
    return (bytes) => {
      const { frames, left } = splitFrames(Buffer.concat([rest, bytes]));
      rest = left;
      return Buffer.concat(frames.filter(isPassedOn));
    };
  });
  const dropNextAcknowledgement = () => {
    isDue = true;
  };
  return { ...proxy, dropNextAcknowledgement, dropped: () => dropped };
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
