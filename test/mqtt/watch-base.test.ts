import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { createTopicSender } from "../../src/mqtt/topic-sender.ts";
import { watchBase } from "../../src/mqtt/watch-base.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { identity, topics } from "../support/publisher.ts";

async function watchSlowBroker(echo: () => Promise<void>) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const heard: string[] = [];
  const closing = new AbortController();
  const connection = {
    publish: async () => undefined,
    subscribe: async () => undefined,
    waitForEcho: echo,
    waitForRetained: async () => undefined,
    closed: new Promise<string>((resolve) => closing.signal.addEventListener("abort", () => resolve("cut"))),
  };
  const sender = createTopicSender({
    owner: "{}",
    clock: { now: () => 0 },
    problemLog: { starts: String, isOver: String },
    onAllAcknowledged: () => undefined,
  });
  sender.setTopics(topics({ color: "rouge" }));
  sender.start({
    publish: async (source) => {
      const message = typeof source === "function" ? source() : source;
      if (message) sent.push(`${message.topic} ${message.payload}`);
    },
    subscribeToCommands: async () => undefined,
    // It stays open, as the next connection does when the watched one has ended.
    closed: new Promise(() => undefined),
  });
  await sender.allAcknowledged();
  sent.length = 0;
  const watch = watchBase({
    connection,
    sender,
    me: ownerOf(identity("a"), "vigie"),
    clock: { ...systemClock, steady: () => 0 },
    log: SILENT_LOG,
    signal: new AbortController().signal,
    onCommand: () => undefined,
    onForeignOwner: () => undefined,
    onFailure: (error) => heard.push((error as Error).message),
    onSuccess: () => heard.push("checked"),
  });
  return { watch, sender, sent, heard, close: () => closing.abort() };
}

test("a value that another program wrote is corrected, though the first echoes do not come back", async () => {
  let echoes = 0;
  const { watch, sent, heard } = await watchSlowBroker(async () => {
    echoes += 1;
    if (echoes <= 2) throw new ConnectionLost("no echo");
  });
  watch.onMessage({ topic: "color", payload: "bleu", retain: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(["no echo", "no echo", "checked"]);
  expect(sent).toEqual(["color rouge"]);
});

test("a value of vigie's own that arrives late, when it publishes the next one already, is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () => {
    if (slow.sent.length > 1) return;
    // The value before last is noted, and the echo is on its way. Now the last one arrives after the newest was acknowledged.
    slow.sender.setTopics(topics({ color: "bleu" }));
    await slow.sender.allAcknowledged();
    slow.watch.onMessage({ topic: "color", payload: "blanc", retain: true });
    setTimeout(() => slow.watch.onMessage({ topic: "color", payload: "bleu", retain: true }), 1);
  });
  slow.sender.setTopics(topics({ color: "blanc" }));
  await slow.sender.allAcknowledged();
  slow.watch.onMessage({ topic: "color", payload: "rouge", retain: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc", "color bleu"]);
});

test("a connection that ends is no longer watched", async () => {
  let echoes = 0;
  const { watch, close } = await watchSlowBroker(async () => {
    echoes += 1;
    close();
    throw new ConnectionLost("gone");
  });
  watch.onMessage({ topic: "color", payload: "bleu", retain: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(echoes).toBe(1);
});
