import { nameBroker } from "./broker-address.ts";
import { type Owner, ownerOf } from "./owner.ts";
import type { ConnectionUser, LeaveReason, OwnerConnection } from "./owner-connection.ts";
import { type ReconnectOptions, stayConnected } from "./reconnect.ts";
import { createTopicSender, type TopicSender } from "./topic-sender.ts";

export interface PublisherOptions
  extends Omit<ReconnectOptions, "me" | "sender" | "users" | "signal" | "onConnected" | "onDisconnected"> {
  /** Another vigie owns the base topic; this one has closed its connection and ended its session. */
  onOtherOwner: (owner: Owner) => void;
  /** The connection was made or lost. */
  onStateChange?: () => void;
}

export interface PublisherState {
  /** The broker has had all topics, and `online`, since this connection began. */
  connected: boolean;
  /** The broker as messages name it: without a password. */
  url: string;
}

export interface Publisher
  extends Pick<
    TopicSender,
    "setTopics" | "publishEvent" | "republishAll" | "pauseClearing" | "allAcknowledged"
  > {
  /** Connects for the first time: nothing is published before. Topics are set by then. Each connection is given to these users. */
  connect: (users?: readonly ConnectionUser[]) => void;
  state: () => PublisherState;
  stop: (why?: LeaveReason) => Promise<void>;
}

/** Keeps the broker's retained topics equal to the wanted ones, through outages of the broker and of the network. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { broker, instance, identity } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const me = ownerOf(identity, instance);
  const state: PublisherState = { connected: false, url: nameBroker(broker) };
  const setConnected = (connected: boolean) => {
    if (state.connected === connected) return;
    state.connected = connected;
    options.onStateChange?.();
  };
  const sender = createTopicSender({
    ...options,
    owner: JSON.stringify(me),
    onAllAcknowledged: () => setConnected(true),
  });
  let connection: OwnerConnection | undefined;
  let running: Promise<void> | undefined;

  const run = async (users: readonly ConnectionUser[]) => {
    const other = await stayConnected({
      ...options,
      me,
      sender,
      users,
      signal,
      onConnected: (newest) => {
        connection = newest;
        // The publisher may have been stopped while there was no connection to leave.
        if (signal.aborted) void newest.leave("end");
      },
      onDisconnected: () => {
        connection = undefined;
        setConnected(false);
      },
    });
    if (other) options.onOtherOwner(other);
  };
  return {
    ...sender,
    connect: (users = []) => {
      running ??= run(users);
    },
    state: () => state,
    stop: async (why = "end") => {
      stopping.abort();
      await connection?.leave(why);
      await running;
    },
  };
}
