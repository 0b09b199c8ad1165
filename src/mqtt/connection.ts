import type { Socket } from "node:net";
import mqtt, { type IClientOptions, type IConnackPacket, type MqttClient } from "mqtt";
import { type Answered, expectAnswers } from "./answer-limit.ts";
import type { Address } from "./broker-address.ts";
import { ConnectFailed, ConnectionLost, SubscribeRefused } from "./broker-errors.ts";
import { explainFailure } from "./connect-failures.ts";
import { patientTimer } from "./keepalive-timer.ts";
import { type Compose, createOutbox } from "./outbox.ts";

export type Version = 4 | 5;

export interface ConnectOptions {
  address: Address;
  version: Version;
  clientId: string;
  /** Seconds for which the broker keeps what comes meanwhile; null: a clean start, and nothing kept. */
  session: number | null;
  will?: { topic: string; payload: string; delay: number };
  /** Seconds. */
  keepalive: number;
  onMessage: (message: ReceivedMessage) => void;
  signal: AbortSignal;
}

export interface ReceivedMessage {
  topic: string;
  payload: string;
  retain: boolean;
}

/** One connection, from CONNACK to close. It never comes back: the next one is another. */
export interface Connection {
  version: Version;
  /** Composed when the broker has room for it; resolves when acknowledged. */
  publish: (compose: Compose) => Promise<void>;
  /** `kept`: what the broker holds is handed out, too; on 3.1.1 it always is. */
  subscribe: (filter: string, kept?: boolean) => Promise<void>;
  /** Sends what needs no answer: a broker that waits to hear that its last packet arrived goes on at once. */
  nudge: () => void;
  /** Why it ended; resolves, never rejects. */
  closed: Promise<string>;
  /** Sends DISCONNECT; after a while without an end the connection is cut off. */
  close: (options?: CloseOptions) => Promise<void>;
}

export interface CloseOptions {
  /** 4: the will goes out all the same, after its delay. */
  reasonCode?: 4;
  /** The session ends with the connection, and its will with it. */
  endSession?: boolean;
}

export function connect(options: ConnectOptions): Promise<Connection> {
  const client = mqtt.connect(clientOptions(options));
  sendAtOnce(client);
  client.on("message", (topic, payload, { retain }) =>
    options.onMessage({ topic, payload: payload.toString(), retain }),
  );
  return new Promise((resolve, reject) => {
    const abort = () => {
      client.stream.destroy();
      reject(options.signal.reason);
    };
    if (options.signal.aborted) return abort();
    options.signal.addEventListener("abort", abort, { once: true });
    let failure: Error | undefined;
    client.on("error", (error) => {
      failure ??= error;
    });
    const closed = new Promise<string>((gone) => client.once("close", () => gone(describeEnd(failure))));
    client.once("close", () => {
      options.signal.removeEventListener("abort", abort);
      reject(connectFailed(failure, options.address));
    });
    const answered = expectAnswers(() => {
      failure ??= new Error("the broker leaves out an answer that it owes");
      client.stream.destroy();
    });
    client.once("connect", (connack) => {
      options.signal.removeEventListener("abort", abort);
      failure = undefined;
      client.on("disconnect", ({ reasonCode }) => {
        failure ??= new Error(DISCONNECTS[reasonCode ?? 0] ?? `the broker ended it (reason ${reasonCode})`);
      });
      resolve(wrap(client, { connack, version: options.version, closed, answered }));
    });
  });
}

/** A packet does not wait until the one before it is acknowledged: 40 ms each, where the far side takes its time. */
function sendAtOnce({ stream }: MqttClient): void {
  if ("setNoDelay" in stream) (stream as Socket).setNoDelay(true);
}

interface Connected {
  connack: IConnackPacket;
  version: Version;
  closed: Promise<string>;
  answered: Answered;
}

function wrap(client: MqttClient, { connack, version, closed, answered }: Connected): Connection {
  return {
    version,
    publish: createOutbox(client, { version, limits: connack.properties ?? {}, closed, answered }),
    subscribe: (filter, kept = true) => answered(subscribe(client, filter, { version, kept })),
    nudge: () => client.sendPing(),
    closed,
    close: async (options = {}) => {
      const properties =
        options.endSession && version === 5 ? { properties: { sessionExpiryInterval: 0 } } : {};
      const reason =
        options.reasonCode !== undefined && version === 5 ? { reasonCode: options.reasonCode } : {};
      client.end(false, { ...reason, ...properties });
      const cut = setTimeout(() => client.stream.destroy(), GOODBYE_LIMIT);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** Retained as published: what is said to be kept is told from what is only said, live as well. */
async function subscribe(
  client: MqttClient,
  filter: string,
  { version, kept }: { version: Version; kept: boolean },
): Promise<void> {
  try {
    await client.subscribeAsync(filter, version === 5 ? { qos: 1, rap: true, rh: kept ? 0 : 2 } : { qos: 1 });
  } catch (cause) {
    if (!client.connected) throw new ConnectionLost("The connection to the broker is gone", { cause });
    throw new SubscribeRefused(`The broker does not let vigie hear ${filter}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function clientOptions(options: ConnectOptions): IClientOptions {
  const { address, version, clientId, session, will, keepalive } = options;
  const modern = version === 5;
  return {
    ...address,
    protocolVersion: version,
    clientId,
    clean: !modern || session === null,
    keepalive,
    // Or it makes a Buffer for each number up to 65,535 beforehand: 7 MB.
    writeCache: false,
    timerVariant: patientTimer(),
    connectTimeout: CONNECT_LIMIT,
    // One client is one connection: what it had not sent when it broke must never come before newer values.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    ...(modern && { properties: { sessionExpiryInterval: session ?? 0 } }),
    ...(will && {
      will: {
        topic: will.topic,
        payload: Buffer.from(will.payload),
        qos: 1 as const,
        retain: true,
        ...(modern && { properties: { willDelayInterval: will.delay } }),
      },
    }),
  };
}

function connectFailed(failure: Error | undefined, { protocol, host, port }: Address): ConnectFailed {
  const code = failure && codeOf(failure);
  const sentence = explainFailure(code, failure?.message ?? "", `${protocol}://${host}:${port}`);
  return new ConnectFailed(sentence, code, { cause: failure });
}

function codeOf(failure: Error): string | number {
  if (failure.message === "connack timeout") return "TIMEOUT";
  return (failure as { code?: string | number }).code ?? "UNKNOWN";
}

function describeEnd(failure: Error | undefined): string {
  if (!failure) return "the broker closed it";
  return failure.message === "Keepalive timeout" ? "the broker does not answer any more" : failure.message;
}

const DISCONNECTS: Record<number, string> = {
  135: "the broker says that vigie is not authorised",
  139: "the broker shuts down",
  141: "the broker missed vigie's signs of life",
  142: "another program connected with vigie's client id",
  149: "a message was too large for the broker",
  154: "the broker keeps no retained messages, and vigie's topics are such",
  155: "the broker takes no messages of quality of service 1",
  152: "the broker's administrator ended it",
};

const CONNECT_LIMIT = 60_000;
/** The whole of leaving must fit into 5 s. */
const GOODBYE_LIMIT = 1_500;
