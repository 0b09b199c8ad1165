import { expect, test } from "vitest";
import { createProblemLog } from "../../src/app/create-problem-log.ts";
import type { DueSend } from "../../src/core/outputs/due-send.ts";
import type { OutputsEvent } from "../../src/core/outputs/take-outputs.ts";
import type { BrokerLink } from "../../src/mqtt/base-connection.ts";
import { SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import { createDeviceSink } from "../../src/mqtt/device-sink.ts";
import type { Message } from "../../src/mqtt/publish-queue.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { logTo } from "../support/logs.ts";
import { BOILER, confirmBy, outputsOf } from "../support/outputs.ts";
import { passTurns } from "../support/turns.ts";

function createSink() {
  const posted: OutputsEvent[] = [];
  const lines: string[] = [];
  const sink = createDeviceSink({
    outputs: outputsOf([{ ...BOILER, confirm: confirmBy("boiler") }]),
    problemLog: createProblemLog(logTo(lines), systemClock),
    post: (event) => posted.push(event),
  });
  return { sink, posted, lines };
}

/** It acknowledges when the test says so. */
function fakeBroker(more: Partial<BrokerLink> = {}) {
  const published: string[] = [];
  const waiting: (() => void)[] = [];
  const link: BrokerLink = {
    version: 5,
    publish: ({ topic, payload }: Message) => {
      published.push(`${topic} ${payload}`);
      return new Promise((resolve) => waiting.push(resolve));
    },
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
    waitForRetained: async () => undefined,
    readRetained: async () => new Map(),
    closed: new Promise(() => undefined),
    ...more,
  };
  return { link, published, acknowledge: () => waiting.splice(0).forEach((goOn) => void goOn()) };
}

function dueOf(number: number, connection = 1): DueSend {
  const by = { kind: "mqtt", connection, topic: `plug${number}/set`, qos: 1, retain: false } as const;
  return { number, output: `plug${number}`, payload: "off", by };
}

test("each payload that is due is published once, in the order of the view, and an end waits for the acknowledgements", async () => {
  const { sink, posted } = createSink();
  const { link, published, acknowledge } = fakeBroker();
  sink.connected(link);
  const [first, second, third] = [dueOf(1), dueOf(2), dueOf(3)];
  sink.show([second, first]);
  sink.show([third, second, first]);
  sink.show([first]);
  expect(published).toEqual(["plug2/set off", "plug1/set off", "plug3/set off"]);
  let isOver = false;
  const ended = sink.allAnswered().then(() => {
    isOver = true;
  });
  await passTurns(1);
  expect(isOver).toBe(false);
  acknowledge();
  await ended;
  const acknowledged = posted.filter(({ kind }) => kind === "acknowledged");
  expect(acknowledged).toEqual([2, 1, 3].map((number) => ({ kind: "acknowledged", number })));
});

test("a connection that closes is lost, and what is due for it is never published over the next one", async () => {
  const { sink, posted } = createSink();
  const [first, second] = [fakeBroker({ closed: Promise.resolve("cut") }), fakeBroker()];
  sink.connected(first.link);
  sink.connected(second.link);
  sink.show([dueOf(1, 1), dueOf(2, 2)]);
  expect([first.published, second.published]).toEqual([[], ["plug2/set off"]]);
  await passTurns(1);
  const lost = posted.filter(({ kind }) => kind === "connection lost");
  expect(lost).toEqual([{ kind: "connection lost", connection: 1 }]);
});

test.each([
  ["the topic of a device", "subscribe", ["The broker does not let vigie subscribe to it"]],
  // The owner of the base topic logs that.
  ["vigie's base topic", "readRetained", []],
] as const)(
  "a broker that refuses a subscription to %s is no end of the rest",
  async (_what, refused, said) => {
    const { sink, posted, lines } = createSink();
    const refuse = async () => {
      throw new SubscribeRefused("The broker does not let vigie subscribe to it");
    };
    sink.connected(fakeBroker({ [refused]: refuse }).link);
    await passTurns(1);
    const report = { topic: "boiler", payload: "off", retain: false };
    sink.take(report);
    sink.take({ ...report, topic: "another" });
    expect(posted.at(-1)).toEqual({ kind: "report", ...report });
    expect(lines).toEqual(said);
  },
);
