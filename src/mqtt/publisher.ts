import type { MqttConfig } from "../config/config.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { nameBroker } from "./broker-address.ts";
import { BrokerError } from "./broker-errors.ts";
import type { Version } from "./connection.ts";
import { claimBase, type Identity, type Owner, ownerOf } from "./owner.ts";
import {
  type ConnectionUser,
  type LeaveReason,
  type OwnerConnection,
  openOwnerConnection,
} from "./owner-connection.ts";
import { openShortConnection, type ShortConnection } from "./short-connection.ts";
import { createTopicSender, type TopicSender } from "./topic-sender.ts";
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
  /** Another vigie owns the base topic; this one has closed its connection and ended its session. */
  onOtherOwner: (owner: Owner) => void;
  takeOver: boolean;
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
  /** Connects for the first time: nothing is published before. Each connection is given to these users. */
  connect: (users?: readonly ConnectionUser[]) => void;
  state: () => PublisherState;
  stop: (why?: LeaveReason) => Promise<void>;
}

/** Keeps the broker's retained topics equal to the wanted ones, through outages of the broker and of the network. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { broker, instance, identity, clock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const me = ownerOf(identity, instance);
  const connectionLog = createConnectionLog(options, me);
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
  // Only the first claim of this publisher: a vigie whose base topic another one took over does not take it back.
  let { takeOver } = options;
  let running: Promise<void> | undefined;

  /** Returns the other owner, where there is one. */
  const publishUntilClosed = async (claiming: ShortConnection, users: readonly ConnectionUser[]) => {
    let other: Owner | undefined;
    const opened = await openOwnerConnection(claiming, {
      ...options,
      me,
      sender,
      users,
      signal,
      onForeignOwner: (owner) => {
        other ??= owner;
        void opened.closeAndEndSession();
      },
    });
    connection = opened;
    // The publisher may have been stopped while there was no connection to leave.
    if (signal.aborted) void opened.leave("end");
    void opened.checked.then(() => claiming.close());
    connectionLog.connected(claiming.version);
    const since = clock.steady();
    const why = await opened.closed;
    connection = undefined;
    if (!(other || signal.aborted)) connectionLog.lost(why, clock.steady() - since);
    return other;
  };
  /** From the claim of the base topic to the end of the connection. */
  const connectOnce = async (users: readonly ConnectionUser[]) => {
    // It stays until the lasting connection has subscribed: meanwhile it answers the pings of others.
    const claiming = await openShortConnection({ ...options, signal });
    try {
      const other = await claimBase(claiming, { instance, identity, takeOver, clock, signal });
      if (other) return other;
      takeOver = false;
      return await publishUntilClosed(claiming, users);
    } finally {
      void claiming.close();
    }
  };
  const logFailure = (error: unknown) => {
    if (signal.aborted) return;
    if (!(error instanceof BrokerError)) throw error;
    options.problemLog.starts("broker", error.message);
  };
  /** One connection after the other, until the publisher stops or another vigie owns the base topic. Never gives up. */
  const stayConnected = async (users: readonly ConnectionUser[]) => {
    while (!signal.aborted) {
      const other = await connectOnce(users).catch(logFailure);
      if (other) return options.onOtherOwner(other);
      setConnected(false);
      await sleep(BETWEEN_ATTEMPTS, signal).catch(() => undefined);
    }
  };
  return {
    ...sender,
    connect: (users = []) => {
      running ??= stayConnected(users);
    },
    state: () => state,
    stop: async (why = "end") => {
      stopping.abort();
      await connection?.leave(why);
      await running;
    },
  };
}

function createConnectionLog({ broker, log, problemLog }: PublisherOptions, me: Owner) {
  const name = nameBroker(broker);
  let loggedVersion: Version | undefined;
  /** How many connections in a row were lost soon after they had begun. */
  let quickLosses = 0;
  return {
    connected: (version: Version) => {
      problemLog.isOver("broker", `The broker at ${name} accepts the connection again`);
      if (loggedVersion === version) return;
      loggedVersion = version;
      if (version === 5) log.info(`Connected to the broker at ${name} (MQTT 5)`);
      else {
        log.warn(
          `The broker at ${name} speaks MQTT 3.1.1 only: a restart of vigie shows as offline, and values do not expire`,
        );
      }
    },
    lost: (why: string, duration: number) => {
      quickLosses = duration < QUICK_LOSS ? quickLosses + 1 : 0;
      problemLog.starts(
        "broker",
        quickLosses < MANY_QUICK_LOSSES
          ? `The connection to the broker was lost: ${why}`
          : `The broker at ${name} ends the connection again and again, within seconds (${why}): does another program use the client id ${me.client_id}?`,
      );
      log.debug("The connection to the broker ended", { broker: name, why });
    },
  };
}

const BETWEEN_ATTEMPTS = 1_000;
const QUICK_LOSS = 10_000;
const MANY_QUICK_LOSSES = 3;
