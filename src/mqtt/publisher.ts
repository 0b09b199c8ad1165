import type { MqttConfig } from "../config/config.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { nameBroker } from "./broker-address.ts";
import { isBrokerError } from "./broker-errors.ts";
import { type ConnectionUser, type ConnectionUsers, createConnectionUsers } from "./connection-users.ts";
import { claimBase, type Identity, type Owner, ownerOf } from "./owner.ts";
import { type LeaveReason, type OwnerConnection, openOwnerConnection } from "./owner-connection.ts";
import { openShortConnection, type ShortConnection } from "./short-connection.ts";
import type { OnCommand } from "./watch-base.ts";

export interface PublisherOptions {
  broker: MqttConfig;
  instance: string;
  identity: Identity;
  clock: Clock;
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
  onCommand: OnCommand;
  /** Another vigie owns the base topic; this one has closed its connection for good. */
  onOtherOwner: (owner: Owner) => void;
  takeOver: boolean;
  /** The connection was made or lost. */
  onStateChange?: () => void;
  /** Seconds; 60 when undefined. */
  keepalive?: number;
}

export interface PublisherState {
  /** The broker has had all topics, and `online`, since this connection began. */
  connected: boolean;
  /** The broker as messages name it: without a password. */
  url: string;
}

export interface Publisher {
  /** Nothing is connected, and so nothing published, before this is called; a second call changes nothing. */
  connect: () => void;
  /** What the broker should hold from now on, and nothing else. Returns at once. */
  setTopics: (topics: Topics) => void;
  /** Published once, not retained, after the topics that were set before or in the same synchronous step. */
  publishEvent: (event: object) => void;
  /** Publishes every topic once more, though nothing changed. */
  republishAll: () => void;
  /**
   * From now on no topic is cleared, until the returned function is called. A second call takes over: the function that
   * the first one returned does nothing any more.
   */
  pauseClearing: () => () => void;
  /** Gives this user the connection, for topics outside of the base topic. Returns how to remove it. */
  addConnectionUser: (user: ConnectionUser) => () => void;
  state: () => PublisherState;
  /** Resolves when the broker has acknowledged every topic that was set, and `online`. */
  allAcknowledged: () => Promise<void>;
  /** `to start again`: the next publisher of this process connects at once, so `offline` is not published. */
  stop: (why?: LeaveReason) => Promise<void>;
}

/** Keeps the broker's retained topics equal to the wanted ones, through outages of the broker and of the network. */
export function createPublisher(options: PublisherOptions): Publisher {
  const stopping = new AbortController();
  const waiting: (() => void)[] = [];
  const state: PublisherState = { connected: false, url: nameBroker(options.broker) };
  const shared: Shared = {
    topics: undefined,
    events: [],
    clearingPausedBy: undefined,
    connection: undefined,
    users: createConnectionUsers(),
    takeOver: options.takeOver,
    quickLosses: 0,
    loggedVersion: undefined,
  };
  let isAcknowledged = false;
  let running: Promise<void> | undefined;
  const setConnected = (connected: boolean) => {
    if (state.connected === connected) return;
    state.connected = connected;
    options.onStateChange?.();
  };
  const loopOptions: LoopOptions = {
    ...options,
    signal: stopping.signal,
    onAllAcknowledged: () => {
      isAcknowledged = true;
      for (const resolve of waiting.splice(0)) resolve();
      setConnected(true);
    },
    onDisconnected: () => {
      isAcknowledged = false;
      setConnected(false);
    },
  };
  return {
    connect: () => {
      running ??= stayConnected(shared, loopOptions);
    },
    setTopics: (topics) => {
      shared.topics = topics;
      isAcknowledged = false;
      shared.connection?.setTopics(topics);
    },
    publishEvent: (event) => {
      shared.events.push(JSON.stringify(event));
      if (shared.events.length > MOST_EVENTS) shared.events.shift();
      // The topics that the event is about are set in the same synchronous step, and are published before it.
      queueMicrotask(() => shared.connection?.wake());
    },
    republishAll: () => shared.connection?.republishAll(),
    pauseClearing: () => pauseClearing(shared),
    addConnectionUser: shared.users.add,
    state: () => state,
    allAcknowledged: () =>
      isAcknowledged ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    stop: async (why = "for good") => {
      stopping.abort();
      await shared.connection?.leave(why);
      await running;
    },
  };
}

/** What the publisher and its connections share, and what outlives a connection. */
interface Shared {
  topics: Topics | undefined;
  /** As JSON. */
  events: string[];
  clearingPausedBy: object | undefined;
  /** The current one. */
  connection: OwnerConnection | undefined;
  users: ConnectionUsers;
  /** For the first claim only: a vigie whose base topic another one took over does not take it back. */
  takeOver: boolean;
  /** How many connections in a row were lost soon after they had begun. */
  quickLosses: number;
  /** The version of MQTT that was logged last. */
  loggedVersion: number | undefined;
}

interface LoopOptions extends PublisherOptions {
  signal: AbortSignal;
  onAllAcknowledged: () => void;
  onDisconnected: () => void;
}

function pauseClearing(shared: Shared): () => void {
  const pause = {};
  shared.clearingPausedBy = pause;
  return () => {
    if (shared.clearingPausedBy !== pause) return;
    shared.clearingPausedBy = undefined;
    shared.connection?.wake();
  };
}

/** One connection after the other, until the publisher stops or another vigie owns the base topic. Never gives up. */
async function stayConnected(shared: Shared, options: LoopOptions): Promise<void> {
  const { signal, problemLog, onDisconnected, onOtherOwner } = options;
  while (!signal.aborted) {
    try {
      const other = await connectOnce(shared, options);
      if (other) return onOtherOwner(other);
    } catch (error) {
      if (signal.aborted) return;
      if (!isBrokerError(error)) throw error;
      problemLog.starts("broker", error.message);
    }
    onDisconnected();
    await sleep(BETWEEN_ATTEMPTS, signal).catch(() => undefined);
  }
}

/** From the claim of the base topic to the end of the connection; returns the other owner, where there is one. */
async function connectOnce(shared: Shared, options: LoopOptions): Promise<Owner | undefined> {
  // It stays until the lasting connection has subscribed: meanwhile it answers the pings of others.
  const claiming = await openShortConnection(options);
  try {
    const other = await claimBase(claiming, { ...options, takeOver: shared.takeOver });
    if (other) return other;
    shared.takeOver = false;
    return await publishUntilClosed(claiming, shared, options);
  } finally {
    void claiming.close();
  }
}

async function publishUntilClosed(
  claiming: ShortConnection,
  shared: Shared,
  options: LoopOptions,
): Promise<Owner | undefined> {
  const { broker, instance, identity, clock, signal, log, problemLog } = options;
  let other: Owner | undefined;
  const connection = await openOwnerConnection(claiming, {
    ...options,
    me: ownerOf(identity, instance),
    keepalive: options.keepalive ?? KEEPALIVE,
    events: shared.events,
    users: shared.users,
    isClearingPaused: () => shared.clearingPausedBy !== undefined,
    onForeignOwner: (owner) => {
      other ??= owner;
      void connection.giveUp();
    },
  });
  shared.connection = connection;
  // The publisher may have been stopped while there was no connection to leave.
  if (signal.aborted) void connection.leave("for good");
  if (shared.topics) connection.setTopics(shared.topics);
  void connection.checked.then(() => claiming.close());
  logConnected(claiming.version, shared, options);
  const since = clock.steady();
  const why = await connection.closed;
  shared.connection = undefined;
  if (other || signal.aborted) return other;
  shared.quickLosses = clock.steady() - since < QUICK_LOSS ? shared.quickLosses + 1 : 0;
  problemLog.starts("broker", describeLoss(why, shared, options));
  log.debug("The connection to the broker ended", { broker: nameBroker(broker), why });
  return undefined;
}

function logConnected(version: number, shared: Shared, { broker, problemLog, log }: LoopOptions): void {
  const name = nameBroker(broker);
  problemLog.isOver("broker", `The broker at ${name} accepts the connection again`);
  if (shared.loggedVersion === version) return;
  shared.loggedVersion = version;
  if (version === 5) log.info(`Connected to the broker at ${name} (MQTT 5)`);
  else {
    log.warn(
      `The broker at ${name} speaks MQTT 3.1.1 only: a restart of vigie shows as offline, and values do not expire`,
    );
  }
}

function describeLoss(why: string, shared: Shared, { broker, identity, instance }: LoopOptions): string {
  if (shared.quickLosses < MANY_QUICK_LOSSES) return `The connection to the broker was lost: ${why}`;
  const id = ownerOf(identity, instance).client_id;
  return `The broker at ${nameBroker(broker)} ends the connection again and again, within seconds (${why}): does another program use the client id ${id}?`;
}

const KEEPALIVE = 60;
const BETWEEN_ATTEMPTS = 1_000;
const QUICK_LOSS = 10_000;
const MANY_QUICK_LOSSES = 3;
/** Older events are no news any more. */
const MOST_EVENTS = 20;
