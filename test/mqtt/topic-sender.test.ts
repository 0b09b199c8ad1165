import { expect, test } from "vitest";
import type { MessageSource } from "../../src/mqtt/publish-queue.ts";
import { createTopicSender } from "../../src/mqtt/topic-sender.ts";
import { topics } from "../support/publisher.ts";

const OPTIONS = {
  owner: "{}",
  events: [],
  isClearingPaused: () => false,
  subscribeToCommands: async () => undefined,
  onAllAcknowledged: () => undefined,
  clock: { now: () => 0 },
  problemLog: { starts: String, isOver: String },
};
const messageOf = (source: MessageSource) => (typeof source === "function" ? source() : source);

test("commands are subscribed to before `online`, which is published when all else is there", async () => {
  const order: string[] = [];
  const note = async (word: string) => void order.push(word);
  const sender = createTopicSender({
    ...OPTIONS,
    publish: (source) => note(messageOf(source)?.topic ?? "nothing"),
    events: ["{}"],
    subscribeToCommands: () => note("subscribes"),
  });
  sender.wake();
  sender.setTopics(topics({ a: "1", b: "2" }));
  sender.wake();
  await sender.whenIdle();
  expect(order).toEqual(["a", "b", "subscribes", "availability", "event"]);
});

test("what is wanted anew while it is sent begins from its start, so that its last topic is seen last", async () => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const sender = createTopicSender({
    ...OPTIONS,
    // One at a time, each when the test lets it.
    publish: async (source) => {
      await new Promise<void>((goOn) => waiting.push(goOn));
      const message = messageOf(source);
      if (message) order.push(`${message.topic} ${message.payload}`);
    },
  });
  const letOne = async () => {
    waiting.shift()?.();
    await new Promise(setImmediate);
  };
  sender.setTopics(topics({ color: "None", service: "down" }));
  sender.wake();
  await letOne();
  sender.setTopics(topics({ color: "rouge", service: "ok" }));
  sender.wake();
  while (waiting.length > 0) await letOne();
  expect(order).toEqual(["color None", "color rouge", "service ok", "availability online"]);
});
