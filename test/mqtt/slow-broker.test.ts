import { createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../src/mqtt/connection.ts";
import { PUBACK, splitFrames } from "../support/omitting-proxy.ts";

/** Kinds of packets, as the first four bits tell. */
const CONNECT = 1;
const PUBLISH = 3;
const PINGREQ = 12;

/** A broker of MQTT 3.1.1 that acknowledges a message when the test says so. It answers all else at once. */
async function startSlowBroker() {
  const waiting: (() => void)[] = [];
  const pings = { answered: () => undefined as unknown };
  const server = createServer((socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const { frames, left } = splitFrames(Buffer.concat([rest, bytes]));
      rest = left;
      for (const frame of frames) {
        const kind = (frame[0] ?? 0) >> 4;
        if (kind === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]));
        else if (kind === PINGREQ) socket.write(Buffer.from([0xd0, 0]), () => pings.answered());
        else if (kind === PUBLISH) {
          // The number of a short message without a payload is at its end.
          const id = frame.subarray(-2);
          waiting.push(() => socket.write(Buffer.concat([Buffer.from([PUBACK, 2]), id])));
        }
      }
    });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  return { port, waiting, pings, stop: () => server.close() };
}

/** vigie's connection to that broker. Time passes when the test says so. */
async function openAtSlowBroker() {
  const { port, waiting, pings, stop } = await startSlowBroker();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const connection = await connect({
    address: { protocol: "mqtt", host: "127.0.0.1", port },
    version: 4,
    clientId: "x",
    session: null,
    post: () => undefined,
    signal: new AbortController().signal,
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    connection.cutOff("the test is over");
    await connection.closed;
    stop();
  });
  let end: string | null = null;
  void connection.closed.then((why) => {
    end = why;
  });
  let acknowledged = 0;
  return {
    publish: (topic: string) => {
      connection.publish({ topic, payload: "", retain: false }).then(
        () => {
          acknowledged += 1;
        },
        () => undefined,
      );
    },
    acknowledged: () => acknowledged,
    end: () => end,
    acknowledgeOne: async () => {
      const before = acknowledged;
      await vi.waitFor(() => expect(waiting).not.toEqual([]), 10_000);
      waiting.shift()?.();
      await vi.waitFor(() => expect(acknowledged).toBe(before + 1), 10_000);
    },
    /** What the broker sends meanwhile arrives: it is there when the answer to a ping is. */
    pass: async (seconds: number) => {
      for (let passed = 0; passed < seconds && end === null; passed += 10) {
        await vi.advanceTimersByTimeAsync(10_000);
        const answered = new Promise((resolve) => {
          pings.answered = () => resolve(null);
        });
        connection.ping();
        await Promise.race([answered, connection.closed]);
        for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
      }
    },
  };
}

test("a broker that answers one message after the other keeps the connection, however long the last one waits", async () => {
  const { publish, acknowledged, end, acknowledgeOne, pass } = await openAtSlowBroker();
  for (const topic of ["a", "b", "c", "d"]) publish(topic);
  for (let answered = 1; answered <= 4; answered += 1) {
    await pass(90);
    await acknowledgeOne();
  }
  expect([acknowledged(), end()]).toEqual([4, null]);
});

test("a broker that answers nothing for two minutes loses the connection", async () => {
  const { publish, acknowledged, end, acknowledgeOne, pass } = await openAtSlowBroker();
  publish("a");
  publish("b");
  await pass(60);
  await acknowledgeOne();
  await pass(100);
  expect(end()).toBe(null);
  await pass(100);
  expect([acknowledged(), end()]).toEqual([1, "the broker has not answered a message for 2 minutes"]);
});
