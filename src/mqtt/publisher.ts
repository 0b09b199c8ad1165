import type { BrokerEvent, CommandsEvent } from "../core/loop/event.ts";
import type { BrokerState } from "../core/loop/known.ts";
import { nameBroker } from "./broker-address.ts";
import { collectCommands } from "./collect-commands.ts";
import { ownerOf } from "./owner.ts";
import type { ConnectionUser, LeaveReason, OwnerConnection } from "./owner-connection.ts";
import { type ReconnectOptions, stayConnected } from "./reconnect.ts";
import { createTopicSender, type TopicSender } from "./topic-sender.ts";

export interface PublisherOptions
  extends Omit<ReconnectOptions, "me" | "sender" | "users" | "signal" | "post"> {
  post: (event: BrokerEvent | CommandsEvent) => void;
}

export interface Publisher
  extends Pick<
    TopicSender,
    "setTopics" | "publishEvent" | "republishAll" | "pauseClearing" | "allAcknowledged"
  > {
  /** Connects for the first time: nothing is published before. Topics are set by then. Each connection is given to these users. */
  connect: (users?: readonly ConnectionUser[]) => void;
  state: () => BrokerState;
  /** Resolves when what the broker has handed over is posted. */
  stop: (why?: LeaveReason) => Promise<void>;
}

/** Keeps the broker's retained topics equal to the wanted ones, through outages of the broker and of the network. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { broker, instance, identity, clock, post } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const me = ownerOf(identity, instance);
  const commands = collectCommands(clock, post);
  const state: BrokerState = { connected: false, url: nameBroker(broker) };
  const postState = () => post({ kind: "broker", state: { ...state } });
  let stopWaiting: () => void = () => undefined;
  const awaitBroker = () => {
    const away_since = clock.now();
    stopWaiting = clock.after(AWAY_AFTER, () => {
      state.away_since = away_since;
      postState();
    });
  };
  const setConnected = (connected: boolean) => {
    if (state.connected === connected) return;
    state.connected = connected;
    stopWaiting();
    delete state.away_since;
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

  const run = async (users: readonly ConnectionUser[]) => {
    awaitBroker();
    const other = await stayConnected({
      ...options,
      me,
      sender,
      users,
      signal,
      post: (event) => {
        switch (event.kind) {
          case "connected":
            ({ connection } = event);
            // The publisher may have been stopped while there was no connection to leave.
            if (signal.aborted) void connection.leave("end");
            return;
          case "disconnected":
            connection = undefined;
            return setConnected(false);
          case "command":
            return commands.add(event.topic, event.command);
        }
      },
    });
    if (!other) return;
    state.other_owner = other;
    postState();
  };
  return {
    ...sender,
    connect: (users = []) => {
      running ??= run(users);
    },
    state: () => ({ ...state }),
    stop: async (why = "end") => {
      stopping.abort();
      stopWaiting();
      await connection?.leave(why);
      await running;
      commands.flush();
    },
  };
}

/** vigie tries to connect each second; a broker that is restarted is back before this. */
const AWAY_AFTER = 30_000;
