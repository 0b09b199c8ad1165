import type { MqttConfig } from "../config/config.ts";
import { AVAILABILITY } from "../core/topics/topic.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { atMost } from "../runtime/wait.ts";
import type { OtherOwnerEvent } from "./ask-claimants.ts";
import {
  type BaseConnection,
  type BaseMessage,
  type BrokerLink,
  openBaseConnection,
} from "./base-connection.ts";
import type { ReceivedMessage } from "./connection.ts";
import { isCommandTopic } from "./read-command.ts";
import type { ShortConnection } from "./short-connection.ts";
import { OFFLINE, type TopicSender } from "./topic-sender.ts";
import { type BaseWatch, type CommandEvent, type WatchOptions, watchBase } from "./watch-base.ts";

/**
 * A part of vigie that uses the publisher's connection for topics outside of vigie's base topic: discovery messages for
 * Home Assistant, messages to devices.
 */
export interface ConnectionUser {
  /** A new connection is open, and vigie owns its base topic. The connection before it is closed. */
  connected: (link: BrokerLink) => void;
  /**
   * A message outside of the base topic arrived. It may come before `connected`: the broker of a resumed session sends what
   * it kept at once.
   */
  take: (message: ReceivedMessage) => void;
}

export interface OwnerConnectionOptions extends Omit<WatchOptions, "connection" | "post"> {
  broker: MqttConfig;
  users: readonly ConnectionUser[];
  problemLog: ProblemLog;
  random: () => number;
  post: (event: CommandEvent | OtherOwnerEvent) => void;
}

/**
 * `reload`: the next publisher of this process connects at once, to the same embedded broker. `end`: the next connection, if
 * one follows, may fail. `yield`: another vigie owns the base topic.
 */
export type LeaveReason = "end" | "reload" | "yield";

/** The lasting connection of the owner of a base topic: with its client id, its will, its session. */
export interface OwnerConnection {
  closed: Promise<string>;
  /** Resolves when all that the broker held is checked, or could not be. */
  checked: Promise<void>;
  /** On MQTT 5 the broker sends the will after the grace, unless this client id is connected again by then. */
  leave: (why: LeaveReason) => Promise<void>;
}

/** `claimed`: the connection over which this process became the owner of the base topic. */
export async function openOwnerConnection(
  claimed: ShortConnection,
  options: OwnerConnectionOptions,
): Promise<OwnerConnection> {
  const { broker, me, sender, users, problemLog, signal, post } = options;
  const grace = Math.ceil(broker.grace / 1000);
  // In this order: the broker of a resumed session sends what it kept, maybe before `connection` exists; these messages are
  // handled; topics are sent; commands are subscribed to; all that the broker holds is checked.
  const early: BaseMessage[] = [];
  let watch: BaseWatch | undefined;
  let isOpen = true;
  const connection = await openBaseConnection({
    connect: claimed.connect,
    address: claimed.address,
    version: claimed.version,
    base: broker.base_topic,
    clientId: me.client_id,
    session: grace,
    will: { topic: `${broker.base_topic}/${AVAILABILITY}`, payload: OFFLINE, delay: grace },
    random: options.random,
    // The claim has heard its own pings.
    isReadable: true,
    signal,
    post: (message) => {
      if (!watch) early.push(message);
      // While vigie leaves, it still carries out what the broker hands over, and corrects nothing.
      else if (isOpen || isCommand(message)) watch.take(message);
      if (message.isOutside) for (const user of users) user.take(message);
    },
  });
  void connection.closed.then(() => {
    isOpen = false;
  });
  const logUnchecked = (error: unknown) => {
    if (!isOpen || signal.aborted) return;
    problemLog.starts(
      "watch",
      `vigie cannot check what the broker holds below the base topic: ${(error as Error).message}`,
    );
  };
  watch = watchBase({
    ...options,
    connection,
    post: (event) => {
      if (event.kind === "unchecked") logUnchecked(event.error);
      else if (event.kind === "checked")
        problemLog.isOver("watch", "vigie can check what the broker holds below the base topic again");
      else post(event);
    },
  });
  for (const message of early) watch.take(message);
  sender.start({
    ...connection,
    // What the broker holds is read when all topics are sent. A refusal is logged then, too.
    subscribeToCommands: () => connection.subscribe("#", "without retained").catch(() => undefined),
  });
  const checking = watch.checkRetained();
  const link = connection.link({ whenPingsReadable: () => checking });
  for (const user of users) user.connected(link);
  return {
    closed: connection.closed,
    checked: checking.catch(logUnchecked),
    leave: (why) => {
      isOpen = false;
      return leave(connection, sender, why);
    },
  };
}

function isCommand({ topic, retain, isOutside }: BaseMessage): boolean {
  return !(isOutside || retain) && isCommandTopic(topic);
}

async function leave(connection: BaseConnection, sender: TopicSender, why: LeaveReason): Promise<void> {
  if (why !== "yield") await atMost(sender.allAcknowledged(), LEAVING_LIMIT);
  // MQTT 3.1.1 has no grace, and a broker would say online for ever if the next connection failed. A vigie that runs here
  // answers with online.
  if (connection.version === 4 && why !== "reload") {
    const offline = connection.publish({ topic: AVAILABILITY, payload: OFFLINE, retain: true });
    await atMost(
      offline.catch(() => undefined),
      LEAVING_LIMIT,
    );
  }
  // With the will, on MQTT 5: also before a reload, as the next connection may fail, for example because of a wrong password;
  // and for another owner, who answers with online if he runs.
  await connection.close({ reasonCode: 4 });
}

/** Twice on MQTT 3.1.1: with the answers of before, the closing and the saving, vigie ends within 5 s, also if the broker is frozen or slow. */
const LEAVING_LIMIT = 700;
