import mqtt from "mqtt";
import { PATIENCE } from "./patience.ts";
import { passTurns } from "./turns.ts";

export interface ReceivedMessage {
  topic: string;
  payload: string;
  qos: number;
  retain: boolean;
  /** Seconds that the broker still keeps it; MQTT 5 only. */
  expiry?: number;
  /** When it arrived, by the real clock. */
  at: number;
}

/** Another client of the same broker: it receives all messages, and may publish. */
export interface Observer {
  /** All messages in the order of their arrival. */
  received: ReceivedMessage[];
  /** The retained payloads, by topic. */
  retained: Map<string, string>;
  publish: (topic: string, payload: string, retain?: boolean) => Promise<void>;
  /** Resolves when the condition is true; rejects when that takes too long. */
  until: (condition: (observer: Observer) => boolean, what: string, patience?: number) => Promise<void>;
  disconnect: () => Promise<void>;
}

export async function observe(
  url: string,
  filter: string | string[] = "#",
  version: 4 | 5 = 5,
  { reconnectPeriod = 0, qos = 1 }: { reconnectPeriod?: number; qos?: 1 | 2 } = {},
): Promise<Observer> {
  const client = await mqtt.connectAsync(url, {
    protocolVersion: version,
    reconnectPeriod,
    connectTimeout: PATIENCE,
  });
  const checks = new Set<() => void>();
  const observer: Observer = {
    received: [],
    retained: new Map(),
    publish: async (topic, payload, retain = true) => {
      await client.publishAsync(topic, payload, { qos: 1, retain });
    },
    until: (condition, what, patience = PATIENCE) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!condition(observer)) return;
          checks.delete(check);
          clearInterval(again);
          clearTimeout(limit);
          resolve();
        };
        // The condition may depend on another program, and become true without a message.
        const again = setInterval(check, 20);
        const limit = setTimeout(() => {
          clearInterval(again);
          reject(new Error(`Waited in vain until ${what}`));
        }, patience);
        checks.add(check);
        check();
      }),
    disconnect: () => client.endAsync(),
  };
  client.on("error", () => undefined);
  client.on("message", (topic, payload, packet) => {
    const { retain } = packet;
    const expiry = packet.properties?.messageExpiryInterval;
    observer.received.push({
      topic,
      payload: payload.toString(),
      qos: packet.qos,
      retain,
      ...(expiry !== undefined && { expiry }),
      at: Date.now(),
    });
    if (payload.length === 0) observer.retained.delete(topic);
    else if (retain || version === 4) observer.retained.set(topic, payload.toString());
    for (const check of checks) check();
  });
  await client.subscribeAsync(filter, version === 5 ? { qos, rap: true } : { qos });
  return observer;
}

/** What was published before has come to the other clients of this process, too. */
export async function untilHandled({ publish }: Observer): Promise<void> {
  await publish("handled", "", false);
  // By its acknowledgement the broker has sent all that came before: it is read in the next turns.
  await passTurns(3);
}

/** Reads retained messages, as a client that connects now. Of more than 1,000, mosquitto sends only some unless it is told so. */
export async function readRetained(
  url: string,
  filters: readonly string[] = ["#"],
): Promise<Map<string, string>> {
  const mark = `mark/${Math.random()}`;
  const observer = await observe(url, [...filters, mark]);
  const client = await mqtt.connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 });
  await client.publishAsync(mark, "x", { qos: 1 });
  await observer.until(({ received }) => received.some(({ topic }) => topic === mark), "the mark came");
  await client.endAsync();
  await observer.disconnect();
  return observer.retained;
}
