import { expect, onTestFinished, test, vi } from "vitest";
import { openBaseConnection } from "../../src/mqtt/base-connection.ts";
import type { Connection, ConnectOptions, ReceivedMessage } from "../../src/mqtt/connection.ts";

/** A broker that returns pings of QoS 0, and each other ping while the test says so. It sends a message of QoS 0 each second. */
async function openAtBroker(more: { isReadable?: boolean } = {}) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting: (() => void)[] = [];
  const sent: string[] = [];
  const unacknowledged: (() => void)[] = [];
  const broker = {
    returnsPings: true,
    returnsRest: () => waiting.splice(0).map((send) => send()),
    sent,
    /** Of the next message. */
    losesAcknowledgement: false,
    /** Until it acknowledges a message of QoS 1. */
    delay: 0,
  };
  let post: (message: ReceivedMessage) => void = () => undefined;
  let cutOff: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => {
    cutOff = resolve;
  });
  const others = setInterval(
    () => post({ topic: "house/battery", payload: "80", retain: false, qos: 0 }),
    1_000,
  );
  onTestFinished(() => clearInterval(others));
  const connect = async (options: ConnectOptions): Promise<Connection> => {
    ({ post } = options);
    return {
      version: 4,
      publish: async (source) => {
        const message = typeof source === "function" ? source() : source;
        if (!message) return;
        const { topic, payload, retain, qos } = message;
        const send = () => post({ topic, payload, retain, ...(qos === 0 && { qos }) });
        if (qos === 0) await new Promise((resolve) => setTimeout(resolve, 100));
        else if (broker.delay > 0) await new Promise((resolve) => setTimeout(resolve, broker.delay));
        if (broker.returnsPings || qos === 0) send();
        else waiting.push(send);
        sent.push(topic);
        // As a connection does: one that comes counts for those before.
        if (broker.losesAcknowledgement) {
          broker.losesAcknowledgement = false;
          await new Promise<void>((resolve) => unacknowledged.push(resolve));
        } else if (qos !== 0) for (const acknowledge of unacknowledged.splice(0)) acknowledge();
      },
      subscribe: async () => undefined,
      unsubscribe: async () => undefined,
      ping: () => undefined,
      closed,
      cutOff,
      close: async () => undefined,
    };
  };
  const connection = await openBaseConnection({
    connect,
    address: { host: "x" } as unknown as ConnectOptions["address"],
    version: 4,
    clientId: "x",
    session: null,
    base: "vigie",
    random: Math.random,
    signal: new AbortController().signal,
    post: () => undefined,
    ...more,
  });
  let ended: string | null = null;
  void closed.then((why) => {
    ended = why;
  });
  return { broker, connection, ended: () => ended };
}

test("a broker that sends no message of QoS 1 any more loses the connection: the next one gets them again", async () => {
  const { broker, connection, ended } = await openAtBroker();
  await connection.waitForEcho();
  broker.returnsPings = false;
  const echo = expect(connection.waitForEcho()).rejects.toThrow("sends none back");
  await vi.advanceTimersByTimeAsync(15_000);
  await echo;
  expect(ended()).toBe("the broker sends vigie no message of QoS 1 any more");
});

test("a broker that is only slow keeps the connection: its messages of QoS 1 come before the last pings of QoS 0", async () => {
  const { broker, connection, ended } = await openAtBroker();
  await connection.waitForEcho();
  broker.returnsPings = false;
  const echo = expect(connection.waitForEcho()).rejects.toThrow("sends none back");
  await vi.advanceTimersByTimeAsync(8_300);
  broker.returnsRest();
  await vi.advanceTimersByTimeAsync(10_000);
  await echo;
  expect(ended()).toBe(null);
});

test("a connection over which vigie could never read is kept: what it publishes is right all the same", async () => {
  const { broker, connection, ended } = await openAtBroker();
  broker.returnsPings = false;
  const echo = expect(connection.waitForEcho()).rejects.toThrow("Check that this user may also read");
  await vi.advanceTimersByTimeAsync(15_000);
  await echo;
  expect(ended()).toBe(null);
});

test("a new connection that gets no message of QoS 1 ends, if this user is known to be allowed to read", async () => {
  const { broker, connection, ended } = await openAtBroker({ isReadable: true });
  broker.returnsPings = false;
  const echo = expect(connection.waitForEcho()).rejects.toThrow("sends none back");
  await vi.advanceTimersByTimeAsync(15_000);
  await echo;
  expect(ended()).toBe("the broker sends vigie no message of QoS 1 any more");
});

test("an acknowledgement that is lost is asked for after some seconds, and no longer than it is missing", async () => {
  const { broker, connection } = await openAtBroker();
  broker.losesAcknowledgement = true;
  let isAcknowledged = false;
  const color = connection.publish({ topic: "color", payload: "rouge", retain: true }).then(() => {
    isAcknowledged = true;
  });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(isAcknowledged).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await color;
  expect(broker.sent).toEqual(["vigie/color", "vigie/owner/ping"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(broker.sent).toHaveLength(2);
});

test("a broker that takes 20 s for each answer is asked a few times, and no more when all is answered", async () => {
  const { broker, connection } = await openAtBroker();
  broker.delay = 20_000;
  void connection.publish({ topic: "color", payload: "rouge", retain: true });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(broker.sent.length).toBeLessThan(5);
});

test("messages of QoS 0 are no answers: a lost acknowledgement is asked for among many of them, too", async () => {
  const { broker, connection } = await openAtBroker();
  broker.losesAcknowledgement = true;
  const color = connection.publish({ topic: "color", payload: "rouge", retain: true });
  for (let second = 0; second < 6; second += 1) {
    void connection.publish({ topic: "long", payload: "", retain: true, qos: 0 });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await color;
  expect(broker.sent).toContain("vigie/owner/ping");
});

test("a connection that is being closed asks for nothing any more", async () => {
  const { broker, connection } = await openAtBroker();
  broker.losesAcknowledgement = true;
  void connection.publish({ topic: "color", payload: "rouge", retain: true });
  await vi.advanceTimersByTimeAsync(4_000);
  void connection.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(broker.sent).toEqual(["vigie/color"]);
});
