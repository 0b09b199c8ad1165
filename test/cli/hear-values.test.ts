import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Aedes } from "aedes";
import { expect, onTestFinished, test, vi } from "vitest";
import { hearValues } from "../../src/cli/hear-values.ts";
import { loadText } from "../config/folder.ts";

/** A broker that holds one value of two, and lets nobody read all that is below the base topic. */
async function openBroker(onRefused: (socket: Socket) => void) {
  const broker = await Aedes.createBroker();
  const asked: string[] = [];
  const sockets = new Map<object, Socket>();
  const server = createServer((socket) => sockets.set(broker.handle(socket), socket));
  broker.authorizeSubscribe = (client, subscription, callback) => {
    asked.push(subscription.topic);
    if (subscription.topic !== "vigie/#") return callback(null, subscription);
    const socket = client && sockets.get(client);
    if (socket) onRefused(socket);
    callback(null, null);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await new Promise<void>((resolve) => broker.close(resolve));
  });
  const payload = Buffer.from("12");
  await new Promise((resolve) =>
    broker.publish({ cmd: "publish", topic: "car", payload, qos: 1, retain: true, dup: false }, resolve),
  );
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { config } = await loadText(
    JSON.stringify({
      mqtt: { url },
      service: { base_url: "simulator", allow_simulator: true },
      rules: ["car", "garden"].map((topic) => ({ id: topic, when: { mqtt: { topic, below: 40 } } })),
    }),
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const hear = async (withPublished: boolean) => {
    const isSent = new Promise<Socket | undefined>((resolve) => {
      broker.authorizeForward = (client, packet) => {
        if (packet.topic === "car") resolve(sockets.get(client));
        return packet;
      };
    });
    const hearing = hearValues({
      config,
      broker: config.mqtt,
      state: undefined,
      signal: new AbortController().signal,
      withPublished,
    });
    await arrival(await isSent);
    // So long it listens for the other value.
    vi.advanceTimersByTime(2_000);
    let isOver = false;
    void hearing.finally(() => {
      isOver = true;
    });
    // MQTT.js looks again and again whether all that it has sent is acknowledged.
    while (!isOver) {
      await turn();
      vi.advanceTimersByTime(1);
    }
    return hearing;
  };
  /** Once each client has left. */
  const left = () => Promise.all([...sockets.values()].map((one) => one.closed || once(one, "close")));
  return { hear, asked, left };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Resolves when what was written to this socket has been read at its other end, in this process. */
async function arrival(socket: Socket | undefined): Promise<void> {
  // It is written in a turn after it was forwarded. The loopback has it by then, and each turn reads what is there.
  for (let turns = 0; turns < 20 || (socket && socket.writableLength > 0); turns += 1) await turn();
}

test.each([
  ["refuses to tell", () => undefined],
  ["hangs up when asked for", (socket: Socket) => void socket.destroy()],
])("what was heard counts though the broker %s what is below the base topic", async (_case, onRefused) => {
  const { hear, asked, left } = await openBroker(onRefused);
  const { values, published } = await hear(true);
  expect([...values].map(([topic, { payload }]) => [topic, payload])).toEqual([["car", "12"]]);
  expect(published.size).toBe(0);
  expect(asked).toContain("vigie/#");
  await left();
});

test("what the running vigie has published is read only for those who want it", async () => {
  const { hear, asked } = await openBroker(() => undefined);
  await hear(false);
  expect(asked).toContain("car");
  expect(asked).not.toContain("vigie/#");
});
