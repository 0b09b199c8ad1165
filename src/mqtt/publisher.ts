import type { MqttConfig } from "../config/config.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Trouble } from "../runtime/trouble.ts";
import { nameBroker } from "./broker-address.ts";
import { createGuests, type Guest } from "./guests.ts";
import type { Identity, Owner } from "./owner.ts";
import { type Life, liveOnBroker } from "./stay-connected.ts";
import type { OnCommand } from "./watch-base.ts";

export interface PublisherOptions {
  broker: MqttConfig;
  instance: string;
  identity: Identity;
  clock: Clock;
  log: Log;
  trouble: Trouble;
  random: () => number;
  onCommand: OnCommand;
  /** Another vigie owns the base topic; this one has left it. */
  onYield: (owner: Owner) => void;
  takeOver: boolean;
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
  /** The latest wins; returns at once. */
  want: (topics: Topics) => void;
  announce: (event: object) => void;
  /** Sends everything once more, though nothing changed. */
  sendAgain: () => void;
  /** From now on nothing is cleared, until what is returned is called. Whoever holds next takes that over. */
  hold: () => () => void;
  /** Takes a guest on board for topics outside of the base; returns how it leaves. */
  attach: (guest: Guest) => () => void;
  state: () => PublisherState;
  /** When all that is wanted is acknowledged. */
  settled: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Keeps the broker's retained topics equal to what is wanted, whatever becomes of the broker meanwhile. */
export function startPublisher(options: PublisherOptions): Publisher {
  const ending = new AbortController();
  const waiting: (() => void)[] = [];
  const state: PublisherState = { connected: false, url: nameBroker(options.broker) };
  let settled = false;
  const guests = createGuests();
  const life: Life = { topics: undefined, events: [], holder: undefined, session: undefined };
  const lifeOptions = {
    ...options,
    guests,
    signal: ending.signal,
    keepalive: options.keepalive ?? KEEPALIVE,
    onWhole: () => {
      settled = true;
      state.connected = true;
      for (const goOn of waiting.splice(0)) goOn();
    },
    onLoss: () => {
      settled = false;
      state.connected = false;
    },
  };
  let living: Promise<void> | undefined;
  return {
    connect: () => {
      living ??= liveOnBroker(life, lifeOptions);
    },
    want: (topics) => {
      life.topics = topics;
      settled = false;
      life.session?.want(topics);
    },
    announce: (event) => {
      life.events.push(JSON.stringify(event));
      if (life.events.length > MOST_EVENTS) life.events.shift();
      // What it is about is wanted in the same breath, and goes first.
      queueMicrotask(() => life.session?.wake());
    },
    sendAgain: () => life.session?.sendAgain(),
    hold: () => holdClearing(life),
    attach: guests.attach,
    state: () => state,
    settled: () => (settled ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    stop: async () => {
      ending.abort();
      await life.session?.leave();
      await living;
    },
  };
}

function holdClearing(life: Life): () => void {
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
