import type { IClientPublishOptions, IConnackPacket, MqttClient } from "mqtt";
import { shorten } from "../core/log/quote-payload.ts";
import { ConnectionLost, PublishRefused } from "./broker-errors.ts";

export interface Message {
  topic: string;
  payload: string;
  retain: boolean;
  /** 1 when undefined. */
  qos?: 0 | 1 | 2;
  /** Seconds after which the broker drops the message; MQTT 5 only. */
  expiry?: number;
  /** It does not wait until others are acknowledged. */
  isUrgent?: true;
}

/** A message, or a function that returns it when it is about to be sent; null: there is nothing to send any more. */
export type MessageSource = Message | (() => Message | null);

interface PublishQueueOptions {
  version: 4 | 5;
  /** What the broker said in CONNACK. */
  limits: NonNullable<IConnackPacket["properties"]>;
  closed: Promise<string>;
  limitAnswer: LimitAnswer;
}

/** Settles as the given promise does. The connection ends if no answer comes. */
export type LimitAnswer = (answer: Promise<void>, qos?: 0 | 1 | 2) => Promise<void>;

/**
 * Returns a function that publishes in order, with as many messages waiting for their acknowledgement as the broker allows.
 * Its promise resolves with the acknowledgement, and rejects with PublishRefused or ConnectionLost.
 */
export function createPublishQueue(
  client: MqttClient,
  { version, limits, closed, limitAnswer }: PublishQueueOptions,
): (source: MessageSource) => Promise<void> {
  const most = Math.min(limits.receiveMaximum ?? MOST_IN_FLIGHT, MOST_IN_FLIGHT);
  // There is room for an urgent message. If it stays unanswered, a few more may follow.
  const runNext = createLimit(Math.max(1, most - 1));
  const largest = limits.maximumPacketSize ?? Number.POSITIVE_INFINITY;
  const inFlight = new Set<InFlight>();
  const pingSoon = createPingSoon(client);
  let lost: ConnectionLost | undefined;
  // MQTT.js does not call the callbacks of a connection that closes when its session is kept.
  void closed.then((why) => {
    lost = new ConnectionLost(`The connection to the broker is gone: ${why}`);
    for (const { reject } of inFlight) reject(lost);
  });
  /**
   * A broker acknowledges messages of QoS 1 in the order in which it got them. mosquitto drops acknowledgements as well when it
   * has more than 1,000 packets to send: that of a later message counts for the earlier ones. A refusal may be lost so.
   */
  const resolveEarlier = (answered: InFlight) => {
    for (const one of inFlight) {
      if (one === answered) return;
      if (one.qos !== 1) continue;
      inFlight.delete(one);
      one.resolve();
      // MQTT.js would wait for its acknowledgement when the connection is closed.
      client.removeOutgoingMessage(one.id);
    }
  };
  const end = (sent: InFlight, error: Error | undefined) => {
    // A failure because the connection closed is reported by `closed`, which knows the reason.
    if (error && !client.connected) return;
    if (!inFlight.has(sent)) return;
    if (sent.qos === 1 && isAnswer(error)) resolveEarlier(sent);
    inFlight.delete(sent);
    if (inFlight.size > 0) pingSoon();
    if (error) sent.reject(publishError(sent.topic, error));
    else sent.resolve();
  };
  const send = ({ topic, payload, ...rest }: Message) =>
    new Promise<void>((resolve, reject) => {
      const sent: InFlight = { topic, id: 0, qos: rest.qos ?? 1, resolve, reject };
      inFlight.add(sent);
      client.publish(topic, payload, publishOptions(rest, version), (error) => end(sent, error));
      sent.id = client.getLastMessageId();
    });
  const sendNext = async (source: MessageSource) => {
    if (lost) throw lost;
    const message = typeof source === "function" ? source() : source;
    if (!message) return;
    if (packetSize(message) > largest) {
      throw new PublishRefused(
        `The message for ${shorten(message.topic)} is larger than the broker accepts (${largest} bytes)`,
      );
    }
    await limitAnswer(send(message), message.qos);
  };
  return (source) =>
    typeof source === "object" && source.isUrgent ? sendNext(source) : runNext(() => sendNext(source));
}

interface InFlight {
  topic: string;
  /** Of the packet. */
  id: number;
  qos: 0 | 1 | 2;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Runs jobs in the order in which they come, at most `most` of them at a time. */
export function createLimit(most: number): <Result>(job: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/**
 * mosquitto sends an acknowledgement only when its previous packet has arrived here. TCP confirms that after 40 ms, or with
 * the next bytes that are sent: a ping has two. At most one for all acknowledgements of a turn of the event loop.
 */
function createPingSoon(client: MqttClient): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      if (client.connected) client.sendPing();
    });
  };
}

/** What MQTT.js says by itself has no code. */
function isAnswer(error: Error | undefined): boolean {
  return !error || "code" in error;
}

type PublishOptions = Pick<Message, "retain" | "qos" | "expiry">;

function publishOptions({ retain, qos, expiry }: PublishOptions, version: 4 | 5): IClientPublishOptions {
  const properties = expiry !== undefined && version === 5 ? { messageExpiryInterval: expiry } : undefined;
  return { qos: qos ?? 1, retain, ...(properties && { properties }) };
}

function publishError(topic: string, error: Error): Error {
  if (!("code" in error))
    return new ConnectionLost(`The connection to the broker is gone: ${error.message}`, { cause: error });
  const reason = error.message.replace("Publish error: ", "").toLowerCase();
  return new PublishRefused(`The broker refuses ${shorten(topic)}: ${reason}`, { cause: error });
}

/** Fixed header, lengths, message id and expiry take 20 bytes at most. */
function packetSize({ topic, payload }: Message): number {
  return Buffer.byteLength(topic) + Buffer.byteLength(payload) + 20;
}

/** Where the broker names no limit. */
const MOST_IN_FLIGHT = 100;
