import type { Socket } from "node:net";
import mqtt, { type IClientOptions, type IConnackPacket, type MqttClient } from "mqtt";
import { runAfterTimeout } from "../runtime/wait.ts";
import { type BrokerAddress, nameAddress } from "./broker-address.ts";
import { ConnectFailed, ConnectionLost, SubscribeRefused } from "./broker-errors.ts";
import { explainEnd, explainFailure } from "./explain-connect-failure.ts";
import { createPublishQueue, type LimitAnswer, type MessageSource } from "./publish-queue.ts";
import { watchSilence } from "./silence.ts";

export type Version = 4 | 5;

export interface ConnectOptions {
  address: BrokerAddress;
  version: Version;
  clientId: string;
  /** Seconds for which the broker keeps the session and its messages after the connection; null: a clean start. */
  session: number | null;
  will?: { topic: string; payload: string; delay: number };
  /** How many bytes of a payload are posted; undefined: all. */
  mostBytes?: (topic: string) => number;
  post: (message: ReceivedMessage) => void;
  signal: AbortSignal;
}

export interface ReceivedMessage {
  topic: string;
  payload: string;
  retain: boolean;
  /** Only if it is 0, on a connection to which others are sent with QoS 1. */
  qos?: 0;
  /** Seconds until the broker drops it; undefined: it keeps it, or speaks MQTT 3.1.1. */
  expiry?: number;
}

/** One connection, from CONNACK to its close. It never reconnects: the next connection is another object. */
export interface Connection {
  version: Version;
  /** Resolves when acknowledged; rejects with PublishRefused or ConnectionLost. */
  publish: (source: MessageSource) => Promise<void>;
  /** Rejects with SubscribeRefused or ConnectionLost. */
  subscribe: (filter: string, how?: SubscribeHow) => Promise<void>;
  /** Ends a subscription, also one of the session's connections before. Rejects with ConnectionLost. */
  unsubscribe: (filter: string) => Promise<void>;
  ping: () => void;
  /** Why it ended; resolves, never rejects. */
  closed: Promise<string>;
  /** Ends it at once, for this reason. */
  cutOff: (why: string) => void;
  /** Sends DISCONNECT. Cuts the connection off where the broker does not close it. */
  close: (options?: CloseOptions) => Promise<void>;
}

/**
 * `without retained`: without what the broker holds (MQTT 5 only).
 * `newest only`: with QoS 0, so that messages do not wait in the queue of a kept session; `retain` then tells what the
 * broker held at the subscription from what is published now.
 */
export type SubscribeHow = "with retained" | "without retained" | "newest only";

export interface CloseOptions {
  /** 4: the broker sends the will all the same, after its delay. */
  reasonCode?: 4;
  /** The session ends with the connection, and its will is never sent. */
  endSession?: boolean;
}

/** Opens a connection; rejects with ConnectFailed. Tests put a broker in memory in its place. */
export type Connect = (options: ConnectOptions) => Promise<Connection>;

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { version, mostBytes, post, signal } = options;
  const qosOfMost = isSessionKept(options) ? 1 : 0;
  const client = openClient(options);
  sendWithoutDelay(client);
  client.on("message", (topic, payload, { retain, qos, properties }) => {
    const expiry = properties?.messageExpiryInterval;
    const text = payload.toString("utf8", 0, mostBytes?.(topic));
    post({
      topic,
      payload: text,
      retain,
      ...(qos === 0 && qosOfMost === 1 && { qos }),
      ...(expiry !== undefined && { expiry }),
    });
  });
  let failure: Error | undefined;
  const noteFailure = (error: Error) => {
    failure ??= error;
  };
  client.on("error", noteFailure);
  client.on("disconnect", ({ reasonCode }) =>
    noteFailure(new Error(DISCONNECTS[reasonCode ?? 0] ?? `the broker ended it (reason ${reasonCode})`)),
  );
  const closed = new Promise<string>((resolve) => client.once("close", () => resolve(describeEnd(failure))));
  const connack = await new Promise<IConnackPacket>((resolve, reject) => {
    const abort = () => {
      client.stream.destroy();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    const fail = () => {
      signal.removeEventListener("abort", abort);
      reject(connectFailed(failure, options.address));
    };
    client.once("close", fail);
    client.once("connect", (packet) => {
      signal.removeEventListener("abort", abort);
      // The end of a connection that was made is no failure to explain.
      client.off("close", fail);
      failure = undefined;
      resolve(packet);
    });
  });
  const cutOff = (why: string) => {
    noteFailure(new Error(why));
    client.stream.destroy();
  };
  // A broker that is silent for so long will not answer any more. The next connection gets an answer.
  const giveUp = () => cutOff("the broker has not answered a message for 2 minutes");
  const silence = watchSilence(ANSWER_LIMIT, async () => giveUp());
  void closed.then(silence.end);
  const limitAnswer: LimitAnswer = (answer, qos = 1) =>
    // QoS 0 has no answer, and no other answer counts for one of QoS 2 that was dropped.
    qos === 1 ? silence.awaitAnswer(answer) : answer.finally(runAfterTimeout(ANSWER_LIMIT, giveUp));
  return {
    version,
    publish: createPublishQueue(client, { version, limits: connack.properties ?? {}, closed, limitAnswer }),
    subscribe: (filter, how = "with retained") =>
      limitAnswer(askAgain(client, () => subscribe(client, filter, { version, how, qosOfMost }))),
    unsubscribe: (filter) => limitAnswer(askAgain(client, () => unsubscribe(client, filter))),
    ping: () => client.sendPing(),
    closed,
    cutOff,
    close: (how = {}) => close(client, how, { version, closed }),
  };
}

/**
 * mosquitto drops answers as well when it has more than 1,000 packets to send. The pauses grow: to each subscription a slow broker
 * sends all that it holds.
 */
async function askAgain(client: MqttClient, ask: () => Promise<void>): Promise<void> {
  let pause = FIRST_PAUSE;
  let cancel: () => void = () => undefined;
  const ids: number[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const askOnce = () => {
        cancel = runAfterTimeout(pause, askOnce);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        ask().then(resolve, reject);
        ids.push(client.getLastMessageId());
      };
      askOnce();
    });
  } finally {
    cancel();
    // MQTT.js would wait for these answers when the connection is closed.
    for (const id of ids) client.removeOutgoingMessage(id);
  }
}

/** MQTT.js throws at once if certificate and key cannot be used: a renewal may have written one of them and not yet the other. */
function openClient(options: ConnectOptions): MqttClient {
  try {
    return mqtt.connect(clientOptions(options));
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string };
    const sentence = `The files of mqtt.tls cannot be used (${message}): check that cert_file and key_file are PEM files and belong together`;
    throw new ConnectFailed(sentence, code ?? "TLS_FILES", { cause });
  }
}

export function clientId(instance: string, name: string): string {
  return `vigie-${instance}-${name}`;
}

/** Without Nagle's algorithm, which holds a packet back until the one before it is confirmed: up to 40 ms each. */
function sendWithoutDelay({ stream }: MqttClient): void {
  if ("setNoDelay" in stream) (stream as Socket).setNoDelay(true);
}

/**
 * If the broker keeps no session beyond the connection, QoS 1 brings nothing: it sends no message again. And mosquitto, which
 * drops what it would send if 1,000 packets wait, awaits the acknowledgements of dropped messages of QoS 1 for ever: then it sends
 * no other message of QoS 1. On MQTT 3.1.1 each subscription to all retained topics could do that.
 */
export function isSessionKept({ version, session }: Pick<ConnectOptions, "version" | "session">): boolean {
  return version === 5 && session !== null;
}

/** `rap`, retained as published: messages that were sent retained are marked so when they arrive live, too. */
async function subscribe(
  client: MqttClient,
  filter: string,
  { version, how, qosOfMost }: { version: Version; how: SubscribeHow; qosOfMost: 0 | 1 },
): Promise<void> {
  const isNewestOnly = how === "newest only";
  const qos = isNewestOnly ? 0 : qosOfMost;
  try {
    await client.subscribeAsync(
      filter,
      version === 5 ? { qos, rap: !isNewestOnly, rh: how === "without retained" ? 2 : 0 } : { qos },
    );
  } catch (cause) {
    if (!client.connected || client.disconnecting)
      throw new ConnectionLost("The connection to the broker is gone", { cause });
    const { message } = cause as Error;
    throw new SubscribeRefused(`The broker refuses the subscription to ${filter}: ${message}`, { cause });
  }
}

async function unsubscribe(client: MqttClient, filter: string): Promise<void> {
  try {
    await client.unsubscribeAsync(filter);
  } catch (cause) {
    // A broker that knows of no such subscription says so, and that is as good.
    if (!client.connected) throw new ConnectionLost("The connection to the broker is gone", { cause });
  }
}

async function close(
  client: MqttClient,
  { reasonCode, endSession }: CloseOptions,
  { version, closed }: Pick<Connection, "version" | "closed">,
): Promise<void> {
  const isMqtt5 = version === 5;
  client.end(false, {
    ...(isMqtt5 && reasonCode !== undefined && { reasonCode }),
    ...(isMqtt5 && endSession && { properties: { sessionExpiryInterval: 0 } }),
  });
  const cutOff = setTimeout(() => client.stream.destroy(), CLOSE_LIMIT);
  await closed;
  clearTimeout(cutOff);
}

function clientOptions(options: ConnectOptions): IClientOptions {
  const { address, version, clientId, session, will } = options;
  const isMqtt5 = version === 5;
  return {
    ...address,
    protocolVersion: version,
    clientId,
    clean: !isSessionKept(options),
    keepalive: KEEPALIVE,
    // With the cache MQTT.js makes a Buffer for each number up to 65,535 (2^16) beforehand: 7 MB.
    writeCache: false,
    timerVariant: keepaliveTimer(),
    connectTimeout: CONNECT_LIMIT,
    // One client is one connection: what it had not sent when it broke must never arrive after newer values.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    ...(isMqtt5 && {
      // No maximum packet size: after some twenty larger messages of QoS 1, mosquitto 2.0.11 sends this connection no message of
      // QoS 1 any more, without a word.
      properties: { sessionExpiryInterval: session ?? 0 },
    }),
    ...(will && {
      will: {
        topic: will.topic,
        payload: Buffer.from(will.payload),
        qos: 1 as const,
        retain: true,
        ...(isMqtt5 && { properties: { willDelayInterval: will.delay } }),
      },
    }),
  };
}

/**
 * If this process was blocked, what has arrived meanwhile is read before the timeout counts: it may put the timeout off.
 * MQTT.js uses this timer like setInterval, one at a time for a connection.
 */
function keepaliveTimer(): Exclude<IClientOptions["timerVariant"], string | undefined> {
  let cancel: () => void = () => undefined;
  const set = (act: () => void, every: number) => {
    cancel();
    cancel = runAfterTimeout(every, () => {
      set(act, every);
      act();
    });
    return ONLY_TIMER;
  };
  return { set, clear: () => cancel() };
}

function connectFailed(failure: Error | undefined, address: BrokerAddress): ConnectFailed {
  const code = failure && failureCode(failure);
  const sentence = explainFailure(code, failure?.message ?? "", nameAddress(address));
  return new ConnectFailed(sentence, code, { cause: failure });
}

function failureCode(failure: Error): string | number {
  if (failure.message === "connack timeout") return "TIMEOUT";
  // What the first bytes of an answer in HTTP, or of a TLS alert, are to the reader of packets.
  if (failure.message.startsWith("Invalid header flag bits")) return "NOT_MQTT";
  return (failure as { code?: string | number }).code ?? "UNKNOWN";
}

function describeEnd(failure: Error | undefined): string {
  if (!failure) return "the broker closed it";
  return explainEnd((failure as { code?: unknown }).code, failure.message);
}

/** Reason codes of the broker's DISCONNECT. */
const DISCONNECTS: Record<number, string> = {
  135: "the broker says that vigie is not authorised",
  139: "the broker shuts down",
  141: "the broker received nothing from vigie for too long",
  142: "another program connected with vigie's client id",
  149: "a message was too large for the broker",
  152: "the administrator of the broker ended it",
  154: "the broker supports no retained messages, and vigie needs them",
  155: "the broker does not support quality of service 1, and vigie needs it",
};

/** Seconds. */
const KEEPALIVE = 60;
const CONNECT_LIMIT = 60_000;
const ANSWER_LIMIT = 120_000;
const FIRST_PAUSE = 10_000;
const LONGEST_PAUSE = 60_000;
/** The whole process must end within 5 s. */
const CLOSE_LIMIT = 1_500;
/** MQTT.js takes 0 for no timer. */
const ONLY_TIMER = 1;
