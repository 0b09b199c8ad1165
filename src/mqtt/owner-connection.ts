import type { MqttConfig } from "../config/config.ts";
import { AVAILABILITY } from "../core/topics/topic.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { atMost } from "../runtime/wait.ts";
import { type BaseConnection, type BrokerLink, openBaseConnection } from "./base-connection.ts";
import type { ReceivedMessage } from "./connection.ts";
import type { ShortConnection } from "./short-connection.ts";
import { OFFLINE, type TopicSender } from "./topic-sender.ts";
import { type BaseWatch, type WatchOptions, watchBase } from "./watch-base.ts";

/**
 * A part of vigie that uses the publisher's connection for topics outside of vigie's base topic: discovery messages for
 * Home Assistant, messages to devices.
 */
export interface ConnectionUser {
  /** A new connection is open, and vigie owns its base topic. The connection before it is closed. */
  onConnection: (link: BrokerLink) => void;
  /**
   * A message outside of the base topic arrived. It may come before `onConnection`: the broker of a resumed session sends
   * what it kept at once.
   */
  onMessage: (message: ReceivedMessage) => void;
}

export interface OwnerConnectionOptions extends Omit<WatchOptions, "connection" | "onFailure" | "onSuccess"> {
  broker: MqttConfig;
  users: readonly ConnectionUser[];
  problemLog: ProblemLog;
  random: () => number;
}

/**
 * `reload`: the next publisher of this process connects at once, to the same embedded broker. `end`: the next connection, if
 * one follows, may fail.
 */
export type LeaveReason = "end" | "reload";

/** The lasting connection of the owner of a base topic: with its client id, its will, its session. */
export interface OwnerConnection {
  closed: Promise<string>;
  /** Resolves when all that the broker held is checked, or could not be. */
  checked: Promise<void>;
  /** On MQTT 5 the broker sends the will after the grace, unless this client id is connected again by then. */
  leave: (why: LeaveReason) => Promise<void>;
  /** The broker sends no will, and keeps no session. */
  closeAndEndSession: () => Promise<void>;
}

/** `claimed`: the connection over which this process became the owner of the base topic. */
export async function openOwnerConnection(
  claimed: ShortConnection,
  options: OwnerConnectionOptions,
): Promise<OwnerConnection> {
  const { broker, me, sender, users, problemLog, signal } = options;
  const grace = Math.ceil(broker.grace / 1000);
  // In this order: the broker of a resumed session sends what it kept, maybe before `connection` exists; these messages are
  // handled; topics are sent; commands are subscribed to; all that the broker holds is checked.
  const early: ReceivedMessage[] = [];
  let watch: BaseWatch | undefined;
  let isOpen = true;
  const connection = await openBaseConnection({
    address: claimed.address,
    version: claimed.version,
    base: broker.base_topic,
    clientId: me.client_id,
    session: grace,
    will: { topic: `${broker.base_topic}/${AVAILABILITY}`, payload: OFFLINE, delay: grace },
    random: options.random,
    signal,
    onMessage: (message) => {
      if (!watch) early.push(message);
      else if (isOpen) watch.onMessage(message);
    },
    onOutsideMessage: (message) => {
      for (const user of users) user.onMessage(message);
    },
  });
  void connection.closed.then(() => {
    isOpen = false;
  });
  const onFailure = (error: unknown) => {
    if (!isOpen || signal.aborted) return;
    problemLog.starts(
      "watch",
      `vigie cannot check what the broker holds below the base topic: ${(error as Error).message}`,
    );
  };
  const onSuccess = () =>
    problemLog.isOver("watch", "vigie can check what the broker holds below the base topic again");
  watch = watchBase({ ...options, connection, onFailure, onSuccess });
  for (const message of early) watch.onMessage(message);
  sender.start({
    ...connection,
    // What the broker holds is read when all topics are sent. A refusal is logged then, too.
    subscribeToCommands: () => connection.subscribe("#", "without retained").catch(() => undefined),
  });
  const checking = watch.checkRetained();
  const link = connection.link({ whenPingsReadable: () => checking });
  for (const user of users) user.onConnection(link);
  return {
    closed: connection.closed,
    checked: checking.catch(onFailure),
    leave: (why) => {
      isOpen = false;
      return leave(connection, sender, why);
    },
    closeAndEndSession: () => {
      isOpen = false;
      return connection.close({ endSession: true });
    },
  };
}

async function leave(connection: BaseConnection, sender: TopicSender, why: LeaveReason): Promise<void> {
  await atMost(sender.allAcknowledged(), LEAVING_LIMIT);
  // MQTT 3.1.1 has no grace, and a broker would say online for ever if the next connection failed.
  if (connection.version === 4 && why === "end") {
    const offline = connection.publish({ topic: AVAILABILITY, payload: OFFLINE, retain: true });
    await atMost(
      offline.catch(() => undefined),
      LEAVING_LIMIT,
    );
  }
  // With the will, on MQTT 5: also before a reload, as the next connection may fail, for example because of a wrong password.
  await connection.close({ reasonCode: 4 });
}

/** Leaving takes less than 5 s, also where the broker is down or frozen. */
const LEAVING_LIMIT = 1_000;
