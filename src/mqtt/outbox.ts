import type { IClientPublishOptions, IConnackPacket, MqttClient } from "mqtt";
import type { Answered } from "./answer-limit.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";
import { createWindow } from "./window.ts";

export interface Message {
  topic: string;
  payload: string;
  retain: boolean;
  /** 1 unless told. */
  qos?: 0 | 1 | 2;
  /** Seconds after which the broker drops it; MQTT 5 only. */
  expiry?: number;
}

/** What to send, said when there is room for it; by then it may be nothing. */
export type Compose = () => Message | null;

interface OutboxOptions {
  version: 4 | 5;
  limits: NonNullable<IConnackPacket["properties"]>;
  closed: Promise<string>;
  answered: Answered;
}

/** Sends, with QoS 1 unless told, as many at once as the broker takes; each promise ends with the acknowledgement or the connection. */
export function createOutbox(
  client: MqttClient,
  { version, limits, closed, answered }: OutboxOptions,
): (compose: Compose) => Promise<void> {
  const window = createWindow(Math.min(limits.receiveMaximum ?? MOST_AT_ONCE, MOST_AT_ONCE));
  const largest = limits.maximumPacketSize ?? Number.POSITIVE_INFINITY;
  const pending = new Set<(error: Error) => void>();
  const hasten = createNudge(client);
  let lost: ConnectionLost | undefined;
  // MQTT.js forgets the callbacks of a kept session's connection that closes.
  void closed.then((why) => {
    lost = new ConnectionLost(`The connection to the broker is gone: ${why}`);
    for (const reject of pending) reject(lost);
  });
  return (compose) =>
    window(async () => {
      if (lost) throw lost;
      const message = compose();
      if (!message) return;
      if (packetSize(message) > largest) {
        throw new PublishRefused(
          `The broker takes no message as large as ${message.topic} (more than ${largest} bytes)`,
        );
      }
      const acknowledged = new Promise<void>((resolve, reject) => {
        const settle = (error: Error | undefined) => {
          pending.delete(reject);
          if (pending.size > 0) hasten();
          if (error) reject(publishFailed(message.topic, error));
          else resolve();
        };
        pending.add(reject);
        client.publish(message.topic, message.payload, publishOptions(message, version), (error) => {
          // What fails with its connection is settled by the close, which knows why.
          if (!error || client.connected) settle(error);
        });
      });
      await answered(acknowledged);
    });
}

/**
 * mosquitto holds acknowledgements back until the one before has arrived, which TCP tells 40 ms later unless something
 * is sent. Two bytes once a turn of the loop are something.
 */
function createNudge(client: MqttClient): () => void {
  let nudged = false;
  return () => {
    if (nudged) return;
    nudged = true;
    setImmediate(() => {
      nudged = false;
      if (client.connected) client.sendPing();
    });
  };
}

function publishOptions({ retain, qos, expiry }: Message, version: 4 | 5): IClientPublishOptions {
  const properties = expiry !== undefined && version === 5 ? { messageExpiryInterval: expiry } : undefined;
  return { qos: qos ?? 1, retain, ...(properties && { properties }) };
}

function publishFailed(topic: string, error: Error): Error {
  if (!("code" in error)) return new ConnectionLost(error.message, { cause: error });
  const reason = error.message.replace("Publish error: ", "").toLowerCase();
  return new PublishRefused(`The broker refuses ${topic}: ${reason}`, { cause: error });
}

/** Fixed header, lengths, message id and expiry take 20 bytes at most. */
function packetSize({ topic, payload }: Message): number {
  return Buffer.byteLength(topic) + Buffer.byteLength(payload) + 20;
}

/** Where the broker names no limit of its own. */
const MOST_AT_ONCE = 100;
