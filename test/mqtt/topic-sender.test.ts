import { expect, test } from "vitest";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import type { MessageSource } from "../../src/mqtt/publish-queue.ts";
import { createTopicSender } from "../../src/mqtt/topic-sender.ts";
import { topics } from "../support/publisher.ts";

const create = () =>
  createTopicSender({
    owner: "{}",
    clock: { now: () => 0 },
    problemLog: { starts: String, isOver: String },
    post: () => undefined,
  });
const messageOf = (source: MessageSource) => (typeof source === "function" ? source() : source);
const closed = new Promise(() => undefined);

test("commands are subscribed to before `online`, which is published when all else is there", async () => {
  const order: string[] = [];
  const note = async (word: string) => void order.push(word);
  const sender = create();
  sender.publishEvent({});
  sender.setTopics(topics({ a: "1", b: "2" }));
  sender.start({
    publish: (source) => note(messageOf(source)?.topic ?? "nothing"),
    subscribeToCommands: () => note("subscribes"),
    closed,
  });
  await sender.allAcknowledged();
  expect(order).toEqual(["a", "b", "subscribes", "availability", "event"]);
});

test("what is wanted anew while it is sent begins from its start, so that its last topic is seen last", async () => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const sender = create();
  sender.setTopics(topics({ color: "None", service: "down" }));
  sender.start({
    // One at a time, each when the test lets it.
    publish: async (source) => {
      await new Promise<void>((goOn) => waiting.push(goOn));
      const message = messageOf(source);
      if (message) order.push(`${message.topic} ${message.payload}`);
    },
    subscribeToCommands: async () => undefined,
    closed,
  });
  const letOne = async () => {
    waiting.shift()?.();
    await new Promise(setImmediate);
  };
  await letOne();
  sender.setTopics(topics({ color: "rouge", service: "ok" }));
  while (waiting.length > 0) await letOne();
  expect(order).toEqual(["color None", "color rouge", "service ok", "availability online"]);
});

test("a connection that closes leaves nothing acknowledged: the next one is sent everything", async () => {
  const sent: string[][] = [];
  const connect = () => {
    const order: string[] = [];
    sent.push(order);
    let close: (why: string) => void = () => undefined;
    const connection = {
      publish: async (source: MessageSource) => void order.push(messageOf(source)?.topic ?? "nothing"),
      subscribeToCommands: async () => undefined,
      closed: new Promise<string>((resolve) => {
        close = resolve;
      }),
    };
    return { connection, close: () => close("cut") };
  };
  const sender = create();
  sender.setTopics(topics({ a: "1" }));
  const first = connect();
  sender.start(first.connection);
  await sender.allAcknowledged();
  first.close();
  await new Promise(setImmediate);
  let isAcknowledged = false;
  const again = sender.allAcknowledged().then(() => {
    isAcknowledged = true;
  });
  await new Promise(setImmediate);
  expect(isAcknowledged).toBe(false);
  sender.start(connect().connection);
  await again;
  expect(sent).toEqual([
    ["a", "availability"],
    ["a", "availability"],
  ]);
});

test("an event that the connection took with it is published over the next one", async () => {
  const sent: string[] = [];
  const sender = create();
  sender.setTopics(topics({}));
  sender.publishEvent({ type: "announced" });
  const subscribeToCommands = async () => undefined;
  let lose: (why: string) => void = () => undefined;
  sender.start({
    publish: async (source) => {
      if (messageOf(source)?.topic !== "event") return;
      lose("cut");
      throw new ConnectionLost("cut");
    },
    subscribeToCommands,
    closed: new Promise((resolve) => {
      lose = resolve;
    }),
  });
  await new Promise(setImmediate);
  sender.start({
    publish: async (source) => void sent.push(messageOf(source)?.payload ?? "nothing"),
    subscribeToCommands,
    closed,
  });
  await sender.allAcknowledged();
  expect(sent).toEqual(["online", '{"type":"announced"}']);
});
