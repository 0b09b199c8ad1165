import type { MqttClient } from "mqtt";
import { expect, test } from "vitest";
import { createLimit, createPublishQueue } from "../../src/mqtt/publish-queue.ts";

test("a limit runs so many jobs at a time, in order, and goes on after one that fails", async () => {
  const limit = createLimit(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const job = (n: number) => async () => {
    running += 1;
    most = Math.max(most, running);
    order.push(n);
    await Promise.resolve();
    running -= 1;
    if (n === 1) throw new Error("no");
    return n;
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => limit(job(n))));
  expect(results.map(({ status }) => status === "rejected")).toEqual([false, true, false, false, false]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});

/** Messages to a client that answers them as the test says. */
function queueOf() {
  const acknowledge = new Map<string, (error?: Error) => void>();
  const removed: number[] = [];
  const limited: unknown[] = [];
  const client = {
    connected: true,
    sendPing: () => undefined,
    publish: (topic: string, _payload: string, _options: object, done: (error?: Error) => void) =>
      acknowledge.set(topic, done),
    getLastMessageId: () => acknowledge.size,
    removeOutgoingMessage: (id: number) => removed.push(id),
  } as unknown as MqttClient;
  const publish = createPublishQueue(client, {
    version: 5,
    limits: {},
    closed: new Promise(() => undefined),
    limitAnswer: (answer, qos) => {
      limited.push(qos);
      return answer;
    },
  });
  const settled: string[] = [];
  const send = (topic: string, qos: 0 | 1 | 2 = 1, isUrgent = false) =>
    publish({ topic, payload: "", retain: false, qos, ...(isUrgent && { isUrgent }) }).then(
      () => settled.push(topic),
      () => settled.push(`${topic} refused`),
    );
  return {
    send,
    settled,
    removed,
    limited,
    answer: (topic: string, error?: Error) => acknowledge.get(topic)?.(error),
  };
}

test("an acknowledgement counts for the messages of QoS 1 that were sent before, and for no others", async () => {
  const { send, settled, removed, answer } = queueOf();
  void send("a");
  void send("twice", 2);
  void send("b");
  void send("c");
  await Promise.resolve();
  answer("b");
  await new Promise(setImmediate);
  expect(settled).toEqual(["a", "b"]);
  // The client does not wait for it when it is closed.
  expect(removed).toEqual([1]);
  answer("a");
  answer("twice");
  await new Promise(setImmediate);
  expect(settled).toEqual(["a", "b", "twice"]);
});

test("the answer to a message of QoS 2 has a limit of its own: no later one counts for it", async () => {
  const { send, limited } = queueOf();
  void send("a");
  void send("twice", 2);
  await Promise.resolve();
  expect(limited).toEqual([1, 2]);
});

test("a refusal refuses its own message only", async () => {
  const { send, settled, answer } = queueOf();
  void send("a");
  void send("b");
  await Promise.resolve();
  answer("b", Object.assign(new Error("Publish error: Not authorized"), { code: 135 }));
  await new Promise(setImmediate);
  expect(settled).toEqual(["a", "b refused"]);
});

test("what the client says by itself is no answer of the broker", async () => {
  const { send, settled, answer } = queueOf();
  void send("a");
  void send("b");
  await Promise.resolve();
  answer("b", new Error("client disconnecting"));
  await new Promise(setImmediate);
  expect(settled).toEqual(["b refused"]);
});

test("an urgent message is sent though as many others as the broker takes are not acknowledged", async () => {
  const { send, settled, answer } = queueOf();
  for (let number = 0; number < 150; number += 1) void send(`many/${number}`);
  void send("question", 1, true);
  await Promise.resolve();
  answer("question");
  await new Promise(setImmediate);
  expect(settled).toContain("question");
  expect(settled).toHaveLength(100);
});
