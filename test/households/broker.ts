import type { IClientPublishOptions, MqttClient } from "mqtt";
import { ConnectFailed, ConnectionLost, SubscribeRefused } from "../../src/mqtt/broker-errors.ts";
import type {
  CloseOptions,
  Connect,
  Connection,
  ConnectOptions,
  ReceivedMessage,
  SubscribeHow,
} from "../../src/mqtt/connection.ts";
import { createPublishQueue } from "../../src/mqtt/publish-queue.ts";
import type { Machine } from "./machine.ts";
import type { EventOf, Seen } from "./trace.ts";

/** A message as the broker takes it. */
export interface BrokerMessage {
  topic: string;
  payload: string;
  retain: boolean;
  qos: 0 | 1 | 2;
  /** Seconds. */
  expiry?: number | undefined;
}

type Other = EventOf<"message">["by"];

/** A broker without sockets, in virtual time. */
export interface Broker {
  /** For vigie. */
  connect: Connect;
  /** Another program publishes. */
  publish: (by: Other, message: Omit<BrokerMessage, "qos">) => void;
  /** Other programs hear each message. */
  onMessage: (listener: (message: BrokerMessage) => void) => void;
  /** What it holds now. */
  retained: () => ReadonlyMap<string, string>;
  /** Milliseconds from vigie to the broker, and back. */
  setLatency: (milliseconds: number) => void;
  /** It ends, with its wills if it ends in order; nobody can connect. */
  goDown: (how: "stopped" | "killed") => void;
  comeUp: (retained: "kept" | "lost") => void;
  /** It answers nobody any more, until it is up again. */
  freeze: () => void;
  isUp: () => boolean;
  /** vigie's connections break: what is on its way is lost. */
  breakConnections: () => void;
  /** It refuses messages and subscriptions of these topics; null: none. `ends`: it ends the connection at such a message. */
  refuse: (isRefused: ((topic: string) => boolean) | null, ends?: boolean) => void;
}

interface BrokerOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
  /** MQTT 3.1.1 only: it refuses 5. */
  isOld: boolean;
}

interface Subscription {
  matches: (topic: string) => boolean;
  qos: 0 | 1;
  /** Retained messages are marked so when they arrive live, too. */
  asPublished: boolean;
}

interface Session {
  clientId: string;
  subscriptions: Map<string, Subscription>;
  /** What came while it was not connected. */
  queue: { message: ReceivedMessage; until: number }[];
  /** Milliseconds after the connection. */
  keptFor: number;
  will: ConnectOptions["will"];
  link: Link | null;
  /** Of its connections: a delayed will or end is for the last one only. */
  connections: number;
}

/** One connection, from the broker's side. */
interface Link {
  version: 4 | 5;
  session: Session;
  isOpen: boolean;
  options: ConnectOptions;
  toBroker: (run: () => void) => void;
  toClient: (run: () => void) => void;
  /** Why it ended, as vigie learns it. */
  end: (why: string) => void;
}

export function createBroker({ machine, tell, isOld }: BrokerOptions): Broker {
  const { later, arrive, steady } = machine;
  let retained = new Map<string, { payload: string; until: number; isOwn: boolean }>();
  const sessions = new Map<string, Session>();
  const links = new Set<Link>();
  const listeners: ((message: BrokerMessage) => void)[] = [];
  let state: "up" | "down" | "frozen" = "up";
  let latency = 1;
  let isRefused: ((topic: string) => boolean) | null = null;
  let endsConnection = false;
  let ids = 0;

  const held = (topic: string) => {
    const found = retained.get(topic);
    return found && found.until > steady() ? found : undefined;
  };
  /** Gives a message to all who want it. `from`: vigie's own are not told as heard. */
  const route = (message: BrokerMessage, isOwn: boolean) => {
    const { topic, payload, retain, expiry } = message;
    const until = expiry === undefined ? Number.POSITIVE_INFINITY : steady() + expiry * 1000;
    if (retain && payload === "") retained.delete(topic);
    else if (retain) retained.set(topic, { payload, until, isOwn });
    for (const session of sessions.values()) deliver(session, message, until, isOwn);
    for (const listener of listeners) later(latency, () => listener(message));
  };
  const deliver = (session: Session, message: BrokerMessage, until: number, isOwn: boolean) => {
    const { topic, payload, retain, qos } = message;
    const wanting = [...session.subscriptions.values()].filter(({ matches }) => matches(topic));
    if (wanting.length === 0) return;
    const marked = retain && wanting.some(({ asPublished }) => asPublished);
    const received = { topic, payload, retain: marked };
    const { link } = session;
    if (link) link.toClient(() => hand(link, received, isOwn));
    else if (qos > 0 && wanting.some((one) => one.qos > 0)) session.queue.push({ message: received, until });
  };
  const hand = ({ options }: Link, message: ReceivedMessage, isOwn: boolean) => {
    if (options.will && !isOwn) tell({ kind: "heard", ...message });
    options.post(message);
  };
  const sendWill = (session: Session) => {
    const { will } = session;
    session.will = undefined;
    if (!will) return;
    const message = { topic: will.topic, payload: will.payload, retain: true };
    tell({ kind: "message", by: "will", ...message });
    route({ ...message, qos: 1 }, false);
  };
  const endSession = (session: Session) => {
    if (sessions.get(session.clientId) === session) sessions.delete(session.clientId);
  };
  /** From here on the broker knows that the connection has ended. */
  const drop = (link: Link, isWillWanted: boolean) => {
    if (!links.delete(link)) return;
    link.isOpen = false;
    const { session } = link;
    if (session.link !== link) return;
    session.link = null;
    if (link.options.will) tell({ kind: "disconnected" });
    if (!isWillWanted) session.will = undefined;
    const delay = link.version === 5 ? (session.will?.delay ?? 0) * 1000 : 0;
    const { connections } = session;
    const ifStillGone = (run: () => void) => () => {
      if (session.connections === connections) run();
    };
    later(
      Math.min(delay, session.keptFor),
      ifStillGone(() => sendWill(session)),
    );
    later(
      session.keptFor,
      ifStillGone(() => endSession(session)),
    );
  };
  const accept = (options: ConnectOptions, version: 4 | 5): Session => {
    const { clientId, session: seconds, will } = options;
    const before = sessions.get(clientId);
    if (before?.link) {
      const { link } = before;
      drop(link, true);
      arrive(latency, () => link.end("another program connected with vigie's client id"));
    }
    const isClean = version === 4 || seconds === null;
    if (before && isClean) {
      before.connections += 1;
      sendWill(before);
      endSession(before);
    }
    const session: Session =
      before && !isClean
        ? before
        : { clientId, subscriptions: new Map(), queue: [], keptFor: 0, will, link: null, connections: 0 };
    session.connections += 1;
    session.will = will;
    session.keptFor = version === 5 ? (seconds ?? 0) * 1000 : 0;
    sessions.set(clientId, session);
    return session;
  };
  const open = (options: ConnectOptions, version: 4 | 5): { connection: Connection; link: Link } => {
    const session = accept(options, version);
    let ended: (why: string) => void = () => undefined;
    const closed = new Promise<string>((resolve) => {
      ended = resolve;
    });
    let lastArrival = 0;
    let lastAnswer = 0;
    const link: Link = {
      version,
      session,
      isOpen: true,
      options,
      toBroker: (run) => {
        // In the order of sending, also when the latency changes.
        lastArrival = Math.max(lastArrival, steady() + latency);
        later(lastArrival - steady(), () => link.isOpen && state === "up" && run());
      },
      toClient: (run) => {
        lastAnswer = Math.max(lastAnswer, steady() + latency);
        arrive(lastAnswer - steady(), () => link.isOpen && run());
      },
      end: (why) => {
        link.isOpen = false;
        client.connected = false;
        ended(why);
      },
    };
    session.link = link;
    links.add(link);
    let unanswered = 0;
    const client = {
      connected: true,
      sendPing: () => undefined,
      getLastMessageId: () => ids,
      removeOutgoingMessage: () => undefined,
      publish: (
        topic: string,
        payload: string,
        { qos = 0, retain = false, properties }: IClientPublishOptions,
        done: (error?: Error) => void,
      ) => {
        ids += 1;
        const id = ids;
        unanswered += 1;
        const answer = (error?: Error) => {
          unanswered -= 1;
          if (!error) tell({ kind: "acknowledged", id });
          done(error);
        };
        link.toBroker(() => {
          if (isRefused?.(topic)) {
            const isSaid = (version === 5 && qos > 0) || endsConnection;
            tell({ kind: "refused", id, topic, payload, isSaid });
            if (endsConnection) return endLink(link, "the broker closed it", true);
            const refusal = Object.assign(new Error("Publish error: Not authorized"), { code: 135 });
            if (qos > 0) link.toClient(() => answer(version === 5 ? refusal : undefined));
            return;
          }
          const message = { topic, payload, retain, qos, expiry: properties?.messageExpiryInterval };
          tell({ kind: "published", id, ...message });
          route(message, true);
          if (qos > 0) link.toClient(() => answer());
        });
        // MQTT.js counts a message with QoS 0 as done when it is written.
        if (qos === 0) arrive(0, () => answer());
      },
    };
    const lost = () => new ConnectionLost("The connection to the broker is gone");
    /** Rejects when the connection ends first. */
    const ask = <T>(question: (answer: (run: () => T) => void) => void) =>
      new Promise<T>((resolve, reject) => {
        if (!link.isOpen) return reject(lost());
        void closed.then(() => reject(lost()));
        link.toBroker(() =>
          question((run) =>
            link.toClient(() => {
              try {
                resolve(run());
              } catch (error) {
                reject(error);
              }
            }),
          ),
        );
      });
    const connection: Connection = {
      version,
      publish: createPublishQueue(client as unknown as MqttClient, {
        version,
        limits: {},
        closed,
        limitAnswer: (answer) => answer,
      }),
      subscribe: (filter, how = "with retained") =>
        ask((answer) => {
          if (isRefused?.(filter) && !endsConnection) {
            return answer(() => {
              throw new SubscribeRefused(`The broker refuses the subscription to ${filter}`);
            });
          }
          answer(() => undefined);
          subscribe(link, filter, how);
        }),
      unsubscribe: (filter) =>
        ask((answer) => {
          session.subscriptions.delete(filter);
          answer(() => undefined);
        }),
      ping: () => undefined,
      cutOff: (why) => link.end(why),
      closed,
      close: async (how = {}) => {
        if (link.isOpen) close(link, how, () => unanswered);
        await closed;
      },
    };
    return { connection, link };
  };
  const subscribe = (link: Link, filter: string, how: SubscribeHow) => {
    const qos = how === "newest only" ? 0 : 1;
    const matches = matcher(filter);
    const isMqtt5 = link.version === 5;
    link.session.subscriptions.set(filter, { matches, qos, asPublished: isMqtt5 && qos === 1 });
    if (isMqtt5 && how === "without retained") return;
    for (const topic of retained.keys()) {
      const found = matches(topic) ? held(topic) : undefined;
      if (!found) continue;
      const { payload, isOwn } = found;
      link.toClient(() => hand(link, { topic, payload, retain: true }, isOwn));
    }
  };
  /** As MQTT.js: DISCONNECT goes out when all is acknowledged; after a while the connection is cut off. */
  const close = (link: Link, { reasonCode, endSession: isEnd }: CloseOptions, unanswered: () => number) => {
    const isMqtt5 = link.version === 5;
    const begun = steady();
    const tryToEnd = () => {
      if (!link.isOpen) return;
      if (steady() - begun >= CLOSE_LIMIT) {
        link.end("the broker closed it");
        later(latency, () => drop(link, true));
        return;
      }
      if (unanswered() > 0) return arrive(CLOSE_LOOK, tryToEnd);
      link.toBroker(() => {
        if (isMqtt5 && isEnd) link.session.keptFor = 0;
        drop(link, isMqtt5 && reasonCode === 4);
      });
      // The answer is not waited for any longer, either.
      const rest = begun + CLOSE_LIMIT - steady();
      arrive(Math.min(2 * latency, rest), () => link.end("the broker closed it"));
    };
    tryToEnd();
  };
  const endLink = (link: Link, why: string, isWillWanted: boolean) => {
    drop(link, isWillWanted);
    arrive(latency, () => link.end(why));
  };
  const endAll = (why: string, isWillWanted: boolean) => {
    for (const link of [...links]) endLink(link, why, isWillWanted);
  };
  return {
    connect: (options) =>
      new Promise((resolve, reject) => {
        const { signal, version, address } = options;
        if (signal.aborted) return reject(signal.reason);
        let opened: Link | undefined;
        const process = machine.process();
        if (process === null) return;
        const abort = () => {
          reject(signal.reason);
          if (!opened) return;
          drop(opened, true);
          opened.end("aborted");
        };
        signal.addEventListener("abort", abort, { once: true });
        const fail = (code: string | number, after: number) =>
          arrive(after, () => {
            signal.removeEventListener("abort", abort);
            reject(new ConnectFailed(`The broker at ${address.host} refuses: ${code}`, code));
          });
        later(latency, () => {
          if (signal.aborted || process !== machine.process()) return;
          if (state === "frozen") return fail("TIMEOUT", CONNECT_LIMIT);
          if (state === "down") return fail("ECONNREFUSED", latency);
          if (isOld && version === 5) return fail(132, latency);
          const { connection, link } = open(options, version);
          opened = link;
          link.toClient(() => {
            signal.removeEventListener("abort", abort);
            if (options.will) tell({ kind: "connected", version });
            resolve(connection);
          });
          // What a session has kept comes at once.
          for (const { message, until } of link.session.queue.splice(0))
            if (until > steady()) link.toClient(() => hand(link, message, false));
        });
      }),
    publish: (by, message) => {
      if (state !== "up") return;
      const { topic, payload, retain } = message;
      tell({ kind: "message", by, topic, payload, retain });
      route({ ...message, qos: 1 }, false);
    },
    onMessage: (listener) => void listeners.push(listener),
    retained: () => {
      const found = new Map<string, string>();
      for (const topic of retained.keys()) {
        const payload = held(topic)?.payload;
        if (payload !== undefined) found.set(topic, payload);
      }
      return found;
    },
    setLatency: (milliseconds) => {
      latency = milliseconds;
      tell({ kind: "latency", milliseconds });
    },
    goDown: (how) => {
      if (state === "down") return;
      tell({ kind: "broker down" });
      // A broker that ends in order sends wills at once, whatever their delay.
      if (how === "stopped") for (const { session } of links) sendWill(session);
      endAll("the broker shuts down", false);
      state = "down";
    },
    comeUp: (kept) => {
      if (state === "up") return;
      // Nobody waits for ever for what was sent to a frozen broker.
      endAll("the network is gone", true);
      state = "up";
      tell({ kind: "broker up", retained: kept });
      if (kept === "kept") return;
      retained = new Map();
      sessions.clear();
    },
    freeze: () => {
      if (state !== "up") return;
      tell({ kind: "broker down" });
      state = "frozen";
      later(KEEPALIVE_LIMIT, () => {
        if (state === "frozen") endAll("the broker does not answer any more", true);
      });
    },
    isUp: () => state === "up",
    breakConnections: () => endAll("the network is gone", true),
    refuse: (topics, ends = false) => {
      isRefused = topics;
      endsConnection = ends;
    },
  };
}

function matcher(filter: string): (topic: string) => boolean {
  if (!/[+#]/.test(filter)) return (topic) => topic === filter;
  if (filter.indexOf("#") === filter.length - 1 && !filter.includes("+")) {
    const start = filter.slice(0, -1);
    return (topic) => topic.startsWith(start) || `${topic}/` === start;
  }
  const escaped = filter.replace(/[^\w/+#]/g, "\\$&");
  const pattern = new RegExp(`^${escaped.replaceAll("+", "[^/]*").replace("#", ".*")}$`);
  return (topic) => pattern.test(topic);
}

const CLOSE_LIMIT = 1_500;
const CLOSE_LOOK = 10;
const CONNECT_LIMIT = 60_000;
const KEEPALIVE_LIMIT = 90_000;
