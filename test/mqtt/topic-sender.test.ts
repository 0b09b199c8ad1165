import { expect, test } from "vitest";
import { createLedger } from "../../src/mqtt/ledger.ts";
import { createSender } from "../../src/mqtt/topic-sender.ts";
import { topics } from "../support/publisher.ts";

test("whoever sees `online` is heard: vigie listens first, once all else is there", async () => {
  const order: string[] = [];
  const note = async (word: string) => void order.push(word);
  const ledger = createLedger("{}", () => false);
  const sender = createSender({
    tree: { publish: (compose) => note(compose()?.topic ?? "nothing") },
    ledger,
    clock: { now: () => 0 },
    problemLog: { starts: String, isOver: String },
    events: ["{}"],
    listen: () => note("listens"),
    onWhole: () => undefined,
  });
  sender.wake();
  ledger.want(topics({ a: "1", b: "2" }));
  sender.wake();
  await sender.idle();
  expect(order).toEqual(["a", "b", "listens", "availability", "event"]);
});

test("what is wanted anew while it is sent begins from its start, so that its last topic is seen last", async () => {
  const order: string[] = [];
  const ledger = createLedger("{}", () => false);
  const waiting: (() => void)[] = [];
  const sender = createSender({
    tree: {
      // One at a time, each when the test lets it.
      publish: async (compose) => {
        await new Promise<void>((goOn) => waiting.push(goOn));
        const message = compose();
        if (message) order.push(`${message.topic} ${message.payload}`);
      },
    },
    ledger,
    clock: { now: () => 0 },
    problemLog: { starts: String, isOver: String },
    events: [],
    listen: async () => undefined,
    onWhole: () => undefined,
  });
  const letOne = async () => {
    waiting.shift()?.();
    await new Promise(setImmediate);
  };
  ledger.want(topics({ color: "None", service: "down" }));
  sender.wake();
  await letOne();
  ledger.want(topics({ color: "rouge", service: "ok" }));
  sender.wake();
  while (waiting.length > 0) await letOne();
  expect(order).toEqual(["color None", "color rouge", "service ok", "availability online"]);
});
