import type { Instant } from "../core/calendar/tariff.ts";
import type { BrokerEvent, CommandsEvent } from "../core/loop/event.ts";
import type { BrokerState } from "../core/loop/known.ts";
import type { Owner } from "../core/topics/topic.ts";
import { settleable } from "../runtime/wait.ts";
import { nameBroker } from "./broker-address.ts";
import { collectCommands } from "./collect-commands.ts";
import { ownerOf, type SilentOwner } from "./owner.ts";
import type { ConnectionUser, LeaveReason, OwnerConnection } from "./owner-connection.ts";
import { type ReconnectOptions, stayConnected } from "./reconnect.ts";
import { createTopicSender, type TopicSender } from "./topic-sender.ts";

export interface PublisherOptions
  extends Omit<ReconnectOptions, "me" | "sender" | "begun" | "signal" | "post"> {
  post: (event: BrokerEvent | CommandsEvent) => void;
  /** That of the configuration before a reload: a broker that was away stays away, since the same instant. */
  before?: Publisher | undefined;
}

export interface Publisher
  extends Pick<
    TopicSender,
    "setTopics" | "publishEvent" | "republishAll" | "pauseClearing" | "allAcknowledged"
  > {
  /**
   * Connects, and asks who owns the base topic; writes nothing. Resolves with the other vigie that owns it, or with null if this
   * one may claim it; never while the broker is away.
   */
  ask: () => Promise<Owner | null>;
  /** Resolves when an attempt to connect has failed, or a connection has ended. */
  failed: () => Promise<void>;
  /** Claims the base topic, and publishes from now on. Topics are set by then. Each connection is given to these users. */
  connect: (users?: readonly ConnectionUser[]) => void;
  /** The vigie that this one yielded to, while it does not answer and has to be silent for longer; null: nobody. */
  silentOwner: () => SilentOwner | null;
  state: () => BrokerState;
  /** Since when there is no connection, also if that is only for seconds; null: there is one. */
  awaySince: () => Instant | null;
  /** Resolves when what the broker has handed over is posted. */
  stop: (why?: LeaveReason) => Promise<void>;
}

/** Keeps the broker's retained topics equal to the wanted ones, through outages of the broker and of the network. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { broker, instance, identity, clock, post, before } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const me = ownerOf(identity, instance);
  const commands = collectCommands(clock, post);
  const url = nameBroker(broker);
  const state: BrokerState = { connected: false, url };
  const { url: urlBefore, away_since } = before?.state() ?? {};
  const isSame = urlBefore === url;
  if (isSame && away_since !== undefined) state.away_since = away_since;
  let awaySince = isSame ? (before?.awaySince() ?? null) : null;
  const postState = () => post({ kind: "broker", state: { ...state } });
  let stopWaiting: () => void = () => undefined;
  const awaitBroker = () => {
    const since = awaySince ?? clock.now();
    awaySince = since;
    if (state.away_since !== undefined) return;
    stopWaiting = clock.after(AWAY_AFTER, () => {
      state.away_since = since;
      postState();
    });
  };
  const setConnected = (connected: boolean) => {
    if (state.connected === connected) return;
    state.connected = connected;
    stopWaiting();
    delete state.away_since;
    awaySince = null;
    if (!connected && !signal.aborted) awaitBroker();
    postState();
  };
  const sender = createTopicSender({
    ...options,
    owner: JSON.stringify(me),
    post: () => setConnected(true),
  });
  let connection: OwnerConnection | undefined;
  let running: Promise<void> | undefined;
  let silentOwner: SilentOwner | null = null;
  const asked = settleable<Owner | null>();
  const failed = settleable();
  const begun = settleable<readonly ConnectionUser[]>();

  const run = async () => {
    awaitBroker();
    const other = await stayConnected({
      ...options,
      me,
      sender,
      begun: begun.promise,
      signal,
      post: (event) => {
        switch (event.kind) {
          case "connected":
            ({ connection } = event);
            // The publisher may have been stopped while there was no connection to leave.
            if (signal.aborted) void connection.leave("end");
            return;
          case "may claim":
            silentOwner = null;
            return asked.settle(null);
          case "waiting":
            silentOwner = event.owner;
            return;
          case "disconnected":
            failed.settle();
            connection = undefined;
            return setConnected(false);
          case "command":
            return commands.add(event.topic, event.command);
        }
      },
    });
    if (!other) return;
    asked.settle(other);
    state.other_owner = other;
    postState();
  };
  return {
    ...sender,
    ask: () => {
      running ??= run();
      return asked.promise;
    },
    failed: () => failed.promise,
    connect: (users = []) => {
      begun.settle(users);
      running ??= run();
    },
    silentOwner: () => silentOwner,
    state: () => ({ ...state }),
    awaySince: () => awaySince,
    stop: async (why = "end") => {
      stopping.abort();
      begun.settle([]);
      stopWaiting();
      await connection?.leave(why);
      await running;
      commands.flush();
    },
  };
}

/** vigie tries to connect each second; a broker that is restarted is back before this. */
const AWAY_AFTER = 30_000;
