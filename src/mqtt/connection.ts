import type { Socket } from "node:net";
import mqtt, { type IClientOptions, type IConnackPacket, type MqttClient } from "mqtt";
import { runAfterTimeout } from "../runtime/wait.ts";
import { type BrokerAddress, nameAddress } from "./broker-address.ts";
import { ConnectFailed, ConnectionLost, SubscribeRefused } from "./broker-errors.ts";
import { explainFailure } from "./explain-connect-failure.ts";
import { createPublishQueue, type MessageSource } from "./publish-queue.ts";

export type Version = 4 | 5;

export interface ConnectOptions {
  address: BrokerAddress;
  version: Version;
  clientId: string;
  /** Seconds for which the broker keeps the session and its messages after the connection; null: a clean start. */
  session: number | null;
  will?: { topic: string; payload: string; delay: number };
  onMessage: (message: ReceivedMessage) => void;
  signal: AbortSignal;
}

export interface ReceivedMessage {
  topic: string;
  payload: string;
  retain: boolean;
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

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { version, onMessage, signal } = options;
  const client = mqtt.connect(clientOptions(options));
  sendWithoutDelay(client);
  client.on("message", (topic, payload, { retain }) =>
    onMessage({ topic, payload: payload.toString(), retain }),
  );
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
  // If the broker has not answered a message for 2 minutes, it will not. Close the connection; the next one gets an answer.
  const limitAnswer = <T>(answer: Promise<T>) =>
    answer.finally(
      runAfterTimeout(ANSWER_LIMIT, () => {
        noteFailure(new Error("the broker has not answered a message for 2 minutes"));
        client.stream.destroy();
      }),
    );
  return {
    version,
    publish: createPublishQueue(client, { version, limits: connack.properties ?? {}, closed, limitAnswer }),
    subscribe: (filter, how = "with retained") => limitAnswer(subscribe(client, filter, version, how)),
    unsubscribe: (filter) => limitAnswer(unsubscribe(client, filter)),
    ping: () => client.sendPing(),
    closed,
    close: (how = {}) => close(client, how, { version, closed }),
  };
}

export function clientId(instance: string, name: string): string {
  return `vigie-${instance}-${name}`;
}

/** Without Nagle's algorithm, which holds a packet back until the one before it is confirmed: up to 40 ms each. */
function sendWithoutDelay({ stream }: MqttClient): void {
  if ("setNoDelay" in stream) (stream as Socket).setNoDelay(true);
}

/** `rap`, retained as published: messages that were sent retained are marked so when they arrive live, too. */
async function subscribe(
  client: MqttClient,
  filter: string,
  version: Version,
  how: SubscribeHow,
): Promise<void> {
  const qos = how === "newest only" ? 0 : 1;
  try {
    await client.subscribeAsync(
      filter,
      version === 5 ? { qos, rap: qos === 1, rh: how === "without retained" ? 2 : 0 } : { qos },
    );
  } catch (cause) {
    if (!client.connected) throw new ConnectionLost("The connection to the broker is gone", { cause });
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
    clean: !isMqtt5 || session === null,
    keepalive: KEEPALIVE,
    // With the cache MQTT.js makes a Buffer for each number up to 65,535 (2^16) beforehand: 7 MB.
    writeCache: false,
    timerVariant: keepaliveTimer(),
    connectTimeout: CONNECT_LIMIT,
    // One client is one connection: what it had not sent when it broke must never arrive after newer values.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    ...(isMqtt5 && { properties: { sessionExpiryInterval: session ?? 0 } }),
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
  return failure.message === "Keepalive timeout" ? "the broker does not answer any more" : failure.message;
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
/** The whole process must end within 5 s. */
const CLOSE_LIMIT = 1_500;
/** MQTT.js takes 0 for no timer. */
const ONLY_TIMER = 1;
