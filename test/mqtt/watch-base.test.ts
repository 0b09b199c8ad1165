import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectionLost } from "../../src/mqtt/broker-errors.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { createTopicSender } from "../../src/mqtt/topic-sender.ts";
import { watchBase } from "../../src/mqtt/watch-base.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { identity, topics } from "../support/publisher.ts";

async function watchSlowBroker(echo: () => Promise<void>, version: 4 | 5 = 4) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  const heard: string[] = [];
  const closing = new AbortController();
  const slow = { retainedArrive: (): Promise<void> => Promise.resolve() };
  const connection = {
    version,
    publish: async () => undefined,
    subscribe: async () => undefined,
    waitForEcho: echo,
    waitForRetained: () => slow.retainedArrive(),
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
  return Object.assign(slow, { watch, sender, sent, heard, close: () => closing.abort() });
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

test("a value of vigie's own that comes back twice, as vigie goes to and fro, is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () => {
    if (slow.sent.length > 1) return;
    // rouge is noted, and the echo is on its way. Now vigie publishes rouge and blanc again, and hears the second rouge.
    slow.sender.setTopics(topics({ color: "rouge" }));
    await slow.sender.allAcknowledged();
    slow.sender.setTopics(topics({ color: "blanc" }));
    await slow.sender.allAcknowledged();
    slow.watch.onMessage({ topic: "color", payload: "rouge", retain: false });
    setTimeout(() => slow.watch.onMessage({ topic: "color", payload: "blanc", retain: false }), 1);
  });
  slow.sender.setTopics(topics({ color: "blanc" }));
  await slow.sender.allAcknowledged();
  slow.watch.onMessage({ topic: "color", payload: "rouge", retain: false });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc", "color rouge", "color blanc"]);
});

test("a value of vigie's own that arrives while it reads what the broker holds is not taken for another program's", async () => {
  const slow = await watchSlowBroker(async () =>
    slow.watch.onMessage({ topic: "color", payload: "blanc", retain: false }),
  );
  slow.retainedArrive = async () => {
    slow.sender.setTopics(topics({ color: "blanc" }));
    await slow.sender.allAcknowledged();
    slow.watch.onMessage({ topic: "color", payload: "rouge", retain: true });
  };
  await slow.watch.checkRetained();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(slow.sent).toEqual(["color blanc"]);
});

test("on MQTT 3.1.1, what the broker held at the subscription may arrive after vigie's next value, and is older", async () => {
  const { watch, sender, sent } = await watchSlowBroker(async () => undefined);
  sender.setTopics(topics({ color: "blanc" }));
  await sender.allAcknowledged();
  watch.onMessage({ topic: "color", payload: "blanc", retain: false });
  watch.onMessage({ topic: "color", payload: "rouge", retain: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual(["color blanc"]);
});

test.each([
  ["on MQTT 5 a retained value", 5, true],
  ["on MQTT 3.1.1 a live value", 4, false],
] as const)(
  "%s that follows vigie's own is another program's, also where vigie published it before",
  async (_case, version, retain) => {
    const { watch, sender, sent } = await watchSlowBroker(async () => undefined, version);
    sender.setTopics(topics({ color: "blanc" }));
    await sender.allAcknowledged();
    watch.onMessage({ topic: "color", payload: "blanc", retain });
    watch.onMessage({ topic: "color", payload: "rouge", retain });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual(["color blanc", "color blanc"]);
  },
);

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
