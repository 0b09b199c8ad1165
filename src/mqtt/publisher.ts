import type { MqttConfig } from "../config/config.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { nameBroker } from "./broker-address.ts";
import { type ConnectionUser, createConnectionUsers } from "./connection-users.ts";
import type { Identity, Owner } from "./owner.ts";
import { type Life, liveOnBroker } from "./stay-connected.ts";
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
  /** Seconds; 60 unless told. */
  keepalive?: number;
}

export interface PublisherState {
  /** All that is wanted is on the broker, `online` too. */
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
  stop: (why?: "for good" | "to start again") => Promise<void>;
}

/** Keeps the broker's retained topics equal to what is wanted, whatever becomes of the broker meanwhile. */
export function createPublisher(options: PublisherOptions): Publisher {
  const ending = new AbortController();
  const waiting: (() => void)[] = [];
  const state: PublisherState = { connected: false, url: nameBroker(options.broker) };
  let settled = false;
  const users = createConnectionUsers();
  const life: Life = { topics: undefined, events: [], holder: undefined, session: undefined };
  const lifeOptions = {
    ...options,
    users,
    signal: ending.signal,
    keepalive: options.keepalive ?? KEEPALIVE,
    onWhole: () => {
      settled = true;
      const isNew = !state.connected;
      state.connected = true;
      for (const goOn of waiting.splice(0)) goOn();
      if (isNew) options.onStateChange?.();
    },
    onLoss: () => {
      settled = false;
      const isNew = state.connected;
      state.connected = false;
      if (isNew) options.onStateChange?.();
    },
  };
  let living: Promise<void> | undefined;
  return {
    connect: () => {
      living ??= liveOnBroker(life, lifeOptions);
    },
    setTopics: (topics) => {
      life.topics = topics;
      settled = false;
      life.session?.want(topics);
    },
    publishEvent: (event) => {
      life.events.push(JSON.stringify(event));
      if (life.events.length > MOST_EVENTS) life.events.shift();
      // What it is about is wanted in the same breath, and goes first.
      queueMicrotask(() => life.session?.wake());
    },
    republishAll: () => life.session?.sendAgain(),
    pauseClearing: () => pauseClearing(life),
    addConnectionUser: users.add,
    state: () => state,
    allAcknowledged: () => (settled ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    stop: async (why = "for good") => {
      ending.abort();
      await life.session?.leave(why);
      await living;
    },
  };
}

function pauseClearing(life: Life): () => void {
  const holder = {};
  life.holder = holder;
  return () => {
    if (life.holder !== holder) return;
    life.holder = undefined;
    life.session?.wake();
  };
}

const KEEPALIVE = 60;
/** What is older is no news any more. */
const MOST_EVENTS = 20;
