import type { Machine } from "./machine.ts";
import type { EventOf, LoginRefusal, Retained, Seen } from "./trace.ts";

/** A message as the broker takes it. */
interface BrokerMessage {
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
  /** vigie connects. `answered` is called once, or never if the process ends first. */
  connect: (
    client: Client,
    signal: AbortSignal,
    answered: (answer: Connected | NotConnected) => void,
  ) => void;
  /** Another program publishes, with QoS 1 if nothing else is said. */
  publish: (by: Other, message: Omit<BrokerMessage, "qos"> & Partial<BrokerMessage>) => void;
  /** Other programs hear each message. */
  onMessage: (listener: (message: BrokerMessage) => void) => void;
  /** What it holds now. */
  retained: () => ReadonlyMap<string, string>;
  /** Milliseconds from vigie to the broker, and back. */
  setLatency: (milliseconds: number) => void;
  /** It ends, with its wills if it ends in order; nobody can connect. */
  goDown: (how: "stopped" | "killed") => void;
  comeUp: (retained: Retained) => void;
  /** Writes what it holds to its disk. */
  save: () => void;
  /** What is sent to vigie with QoS 1 arrives twice. */
  setDuplicating: (isDuplicating: boolean) => void;
  /** Nobody else can connect. null: everybody can. `cuts`: nobody else stays connected, either. */
  setLogin: (login: Login | null, cuts?: boolean) => void;
  /** It answers nobody any more, until it is up again. */
  freeze: () => void;
  isUp: () => boolean;
  /** vigie's connections break: what is on its way is lost. */
  breakConnections: () => void;
  /** It refuses messages and subscriptions of these topics; null: none. `ends`: it ends the connection at such a message. */
  refuse: (isRefused: ((topic: string) => boolean) | null, ends?: boolean) => void;
}

/** A program that connects. */
interface Client {
  version: 4 | 5;
  clientId: string;
  password: string | undefined;
  /** Seconds for which the broker keeps the session after the connection (MQTT 5 only); null: a clean start. */
  session: number | null;
  /** It is retained. `delay`: in seconds, MQTT 5 only. */
  will?: { topic: string; payload: string; delay: number } | undefined;
  receive: (message: Heard) => void;
  /** The connection has ended, for this reason. */
  ended: (why: string) => void;
}

/** `qos`: only if it is 0. */
interface Heard extends Pick<BrokerMessage, "topic" | "payload" | "retain"> {
  qos?: 0;
}

/** `code`: the broker's (a number, in CONNACK), the system's, or ABORTED if vigie has ended the attempt. */
interface Login {
  password: string;
  code: LoginRefusal;
}

interface NotConnected {
  code: string | number;
}

/** A connection, from the side of the program. When it has ended, no answer comes. */
export interface Connected {
  isOpen: () => boolean;
  /** Returns the number of the message. `acknowledged`: not if the broker does not say that it refuses. */
  publish: (message: BrokerMessage, acknowledged: (answer: Answer) => void) => number;
  subscribe: (filter: string, how: SubscribeOptions, answered: (answer: Answer) => void) => void;
  unsubscribe: (filter: string, answered: () => void) => void;
  /** DISCONNECT. The broker closes the connection; the program waits for that so many milliseconds. */
  disconnect: (how: { sendsWill: boolean; endsSession: boolean; within: number }) => void;
  /** The program closes the connection without a word, for this reason. */
  cutOff: (why: string) => void;
}

type Answer = "granted" | "refused";

interface SubscribeOptions {
  qos: 0 | 1;
  /** Retained messages are marked so when they arrive live, too. */
  asPublished: boolean;
  /** Also what the broker holds. */
  withRetained: boolean;
}

interface BrokerOptions {
  machine: Machine;
  tell: (seen: Seen) => void;
  /** MQTT 3.1.1 only: it refuses 5. */
  isOld: boolean;
  /** Below it vigie publishes its own topics: that it hears them again is not told. */
  base: string;
}

interface Subscription extends SubscribeOptions {
  matches: (topic: string) => boolean;
}

interface Session {
  clientId: string;
  subscriptions: Map<string, Subscription>;
  /** What came while it was not connected. */
  queue: { message: Heard; until: number }[];
  /** What arrived last, as far as it may come once more. */
  unsure: { message: Heard; until: number }[];
  /** Milliseconds after the connection. */
  keptFor: number;
  will: Client["will"];
  link: Link | null;
  /** How many connections it has had: a delayed will or end is for the last one only. */
  connections: number;
}

/** One connection, from the broker's side. */
interface Link {
  client: Client;
  session: Session;
  isOpen: boolean;
  toBroker: (run: () => void) => void;
  toClient: (run: () => void) => void;
  /** Why it ended, as vigie learns it. */
  end: (why: string) => void;
}

export function createBroker({ machine, tell, isOld, base }: BrokerOptions): Broker {
  const { later, arrive, steady } = machine;
  let retained = new Map<string, { payload: string; qos: 0 | 1 | 2; until: number; isOwn: boolean }>();
  const sessions = new Map<string, Session>();
  const links = new Set<Link>();
  const listeners: ((message: BrokerMessage) => void)[] = [];
  let state: "up" | "down" | "frozen" = "up";
  let latency = 1;
  let isRefused: ((topic: string) => boolean) | null = null;
  let endsConnection = false;
  let ids = 0;
  let isDuplicating = false;
  let login: Login | null = null;
  /** What it wrote to its disk last. */
  let saved = { retained: new Map(retained), sessions: [] as Session[] };

  const held = (topic: string) => {
    const found = retained.get(topic);
    return found && found.until > steady() ? found : undefined;
  };
  /** Gives a message to all who want it. */
  const route = (message: BrokerMessage, isOwn: boolean) => {
    const { topic, payload, retain, qos, expiry } = message;
    const until = expiry === undefined ? Number.POSITIVE_INFINITY : steady() + expiry * 1000;
    if (retain && payload === "") retained.delete(topic);
    else if (retain) retained.set(topic, { payload, qos, until, isOwn });
    for (const session of sessions.values()) deliver(session, message, until, isOwn);
    for (const listener of listeners) later(latency, () => listener(message));
  };
  const deliver = (session: Session, message: BrokerMessage, until: number, isOwn: boolean) => {
    const { topic, payload, retain, qos } = message;
    const wanting = [...session.subscriptions.values()].filter(({ matches }) => matches(topic));
    if (wanting.length === 0) return;
    const marked = retain && wanting.some(({ asPublished }) => asPublished);
    const isSure = qos > 0 && wanting.some((one) => one.qos > 0);
    const received: Heard = { topic, payload, retain: marked, ...(!isSure && { qos: 0 }) };
    const { link } = session;
    if (link) link.toClient(() => hand(link, received, isOwn));
    if (link && isSure && isDuplicating && session.keptFor > 0) {
      link.toClient(() => hand(link, received, isOwn));
      session.unsure = [...session.unsure.slice(1 - MOST_UNSURE), { message: received, until }];
    }
    if (link) return;
    if (isSure && session.queue.length < MOST_QUEUED) session.queue.push({ message: received, until });
  };
  const hand = ({ client }: Link, message: Heard, isOwn: boolean) => {
    const { topic, payload, retain } = message;
    const isEcho = isOwn && `${topic}/`.startsWith(`${base}/`);
    if (client.will && !isEcho) tell({ kind: "heard", topic, payload, retain });
    client.receive(message);
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
    session.queue.push(...session.unsure.splice(0));
    if (link.client.will) tell({ kind: "disconnected" });
    if (!isWillWanted) session.will = undefined;
    const delay = link.client.version === 5 ? (session.will?.delay ?? 0) * 1000 : 0;
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
  const accept = ({ version, clientId, session: seconds, will }: Client): Session => {
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
        : {
            clientId,
            subscriptions: new Map(),
            queue: [],
            unsure: [],
            keptFor: 0,
            will,
            link: null,
            connections: 0,
          };
    session.connections += 1;
    session.will = will;
    session.keptFor = version === 5 ? (seconds ?? 0) * 1000 : 0;
    sessions.set(clientId, session);
    return session;
  };
  const open = (client: Client): Link => {
    const session = accept(client);
    let lastArrival = 0;
    let lastAnswer = 0;
    const link: Link = {
      client,
      session,
      isOpen: true,
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
        client.ended(why);
      },
    };
    session.link = link;
    links.add(link);
    return link;
  };
  const publish = (link: Link, message: BrokerMessage, acknowledged: (answer: Answer) => void): number => {
    ids += 1;
    const id = ids;
    const { topic, payload, retain, qos, expiry } = message;
    const { version } = link.client;
    const answer = (how: Answer = "granted") => {
      if (how === "granted") tell({ kind: "acknowledged", id });
      acknowledged(how);
    };
    link.toBroker(() => {
      if (isRefused?.(topic)) {
        const isSaid = (version === 5 && qos > 0) || endsConnection;
        tell({ kind: "refused", id, topic, payload, isSaid });
        if (endsConnection) return endLink(link, "the broker closed it", true);
        if (qos > 0) link.toClient(() => answer(version === 5 ? "refused" : "granted"));
        return;
      }
      tell({ kind: "published", id, topic, payload, retain, qos, expiry });
      route(message, true);
      if (qos > 0) link.toClient(() => answer());
    });
    // A message with QoS 0 has no answer: it counts as done when it is written.
    if (qos === 0) arrive(0, () => answer());
    return id;
  };
  const subscribe = (link: Link, filter: string, options: SubscribeOptions) => {
    const matches = matcher(filter);
    link.session.subscriptions.set(filter, { ...options, matches });
    if (!options.withRetained) return;
    for (const topic of retained.keys()) {
      const found = matches(topic) ? held(topic) : undefined;
      if (!found) continue;
      const { payload, qos, isOwn } = found;
      const isSure = qos > 0 && options.qos > 0;
      const received: Heard = { topic, payload, retain: true, ...(!isSure && { qos: 0 }) };
      link.toClient(() => hand(link, received, isOwn));
    }
  };
  /** It waits for its program, as after a connection. */
  const restore = (session: Session) => {
    sessions.set(session.clientId, session);
    later(session.keptFor, () => session.connections === 0 && endSession(session));
  };
  const connectionOver = (link: Link): Connected => ({
    isOpen: () => link.isOpen,
    publish: (message, acknowledged) => publish(link, message, acknowledged),
    subscribe: (filter, options, answered) =>
      link.toBroker(() => {
        const answer = isRefused?.(filter) && !endsConnection ? "refused" : "granted";
        link.toClient(() => answered(answer));
        if (answer === "granted") subscribe(link, filter, options);
      }),
    unsubscribe: (filter, answered) =>
      link.toBroker(() => {
        link.session.subscriptions.delete(filter);
        link.toClient(answered);
      }),
    disconnect: ({ sendsWill, endsSession, within }) => {
      link.toBroker(() => {
        if (endsSession) link.session.keptFor = 0;
        drop(link, sendsWill);
      });
      arrive(Math.min(2 * latency, within), () => link.end("the broker closed it"));
    },
    cutOff: (why) => {
      link.end(why);
      later(latency, () => drop(link, true));
    },
  });
  const endLink = (link: Link, why: string, isWillWanted: boolean) => {
    drop(link, isWillWanted);
    arrive(latency, () => link.end(why));
  };
  const endAll = (why: string, isWillWanted: boolean) => {
    for (const link of [...links]) endLink(link, why, isWillWanted);
  };
  return {
    connect: (client, signal, answered) => {
      const aborted = { code: "ABORTED" };
      if (signal.aborted) return answered(aborted);
      let opened: Link | undefined;
      const process = machine.process();
      if (process === null) return;
      const abort = () => {
        answered(aborted);
        if (!opened) return;
        drop(opened, true);
        opened.end("aborted");
      };
      signal.addEventListener("abort", abort, { once: true });
      const answer = (connection: Connected | NotConnected) => {
        signal.removeEventListener("abort", abort);
        answered(connection);
      };
      const fail = (code: string | number, after: number) => arrive(after, () => answer({ code }));
      later(latency, () => {
        if (signal.aborted || process !== machine.process()) return;
        if (state === "frozen") return fail("TIMEOUT", CONNECT_LIMIT);
        if (state === "down") return fail("ECONNREFUSED", latency);
        if (isOld && client.version === 5) return fail(132, latency);
        if (login && client.password !== login.password) {
          tell({ kind: "login refused", code: login.code });
          return fail(LOGIN_CODES[login.code][client.version], latency);
        }
        const link = open(client);
        opened = link;
        link.toClient(() => {
          if (client.will) tell({ kind: "connected", version: client.version });
          answer(connectionOver(link));
        });
        // What a session has kept comes at once.
        for (const { message, until } of link.session.queue.splice(0))
          if (until > steady()) link.toClient(() => hand(link, message, false));
      });
    },
    publish: (by, message) => {
      if (state !== "up") return;
      const { topic, payload, retain } = message;
      tell({ kind: "message", by, topic, payload, retain });
      route({ qos: 1, ...message }, false);
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
      retained = new Map(kept === "saved" ? saved.retained : []);
      sessions.clear();
      if (kept === "saved") for (const session of saved.sessions) restore(copyOf(session));
    },
    save: () => {
      if (state !== "up") return;
      tell({ kind: "broker saves" });
      saved = { retained: new Map(retained), sessions: [...sessions.values()].map(copyOf) };
    },
    setDuplicating: (next) => {
      isDuplicating = next;
      if (!next) for (const session of sessions.values()) session.unsure = [];
    },
    setLogin: (next, cuts = false) => {
      login = next;
      if (cuts) endAll("the broker closed it", true);
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
    breakConnections: () => {
      if (links.size > 0) tell({ kind: "connections broken" });
      endAll("the network is gone", true);
    },
    refuse: (topics, ends = false) => {
      isRefused = topics;
      endsConnection = ends;
    },
  };
}

function copyOf(session: Session): Session {
  const { subscriptions, queue } = session;
  const copies = { subscriptions: new Map(subscriptions), queue: [...queue] };
  return { ...session, ...copies, unsure: [], will: undefined, link: null, connections: 0 };
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

/** CONNACK. */
const LOGIN_CODES = {
  "bad password": { 4: 4, 5: 134 },
  "not authorised": { 4: 5, 5: 135 },
} as const;
const MOST_UNSURE = 3;
/** As mosquitto, unless it is told another number. */
const MOST_QUEUED = 1_000;
const CONNECT_LIMIT = 60_000;
const KEEPALIVE_LIMIT = 90_000;
