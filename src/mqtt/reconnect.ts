import type { MqttConfig } from "../config/config.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import { limitLines } from "../runtime/limit-lines.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { nameBroker } from "./broker-address.ts";
import { BrokerError } from "./broker-errors.ts";
import type { Version } from "./connection.ts";
import { askBase, claimBase, type Identity, ownerToWaitFor, type SilentOwner } from "./owner.ts";
import { type ConnectionUser, type OwnerConnection, openOwnerConnection } from "./owner-connection.ts";
import {
  openShortConnection,
  type ShortConnection,
  type ShortConnectionOptions,
} from "./short-connection.ts";
import type { TopicSender } from "./topic-sender.ts";
import type { CommandEvent } from "./watch-base.ts";

export interface ReconnectOptions extends Pick<ShortConnectionOptions, "connect"> {
  broker: MqttConfig;
  instance: string;
  identity: Identity;
  clock: ClockWithTimers;
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
  takeOver: boolean;
  me: Owner;
  sender: TopicSender;
  /** Resolves when the base topic is to be claimed, or with the abort; with who uses each connection. Nothing is written before. */
  begun: Promise<readonly ConnectionUser[]>;
  signal: AbortSignal;
  post: (event: ConnectionEvent) => void;
}

export type ConnectionEvent =
  | { kind: "connected"; connection: OwnerConnection }
  /** A connection ended, or an attempt failed. */
  | { kind: "disconnected" }
  /** No other vigie owns the base topic. */
  | { kind: "may claim" }
  /** This vigie had to leave. The other one does not answer, but its machine may only be starting again. */
  | { kind: "waiting"; owner: SilentOwner }
  | CommandEvent;

/**
 * One connection after the other. Never gives up: ends when aborted, or when another vigie owns the base topic, and resolves
 * with that owner.
 */
export async function stayConnected(options: ReconnectOptions): Promise<Owner | undefined> {
  const { post, ...others } = options;
  const { signal, clock, problemLog, instance } = options;
  const connectionLog = createConnectionLog(options);
  // One for all connections: whoever writes topics may also end the connection each second.
  const log = limitLines(options.log, clock);
  // Only the first claim: a vigie whose base topic another one took over does not take it back.
  let { takeOver, identity } = options;
  /** Milliseconds: for so long nobody may answer a vigie that had to leave. */
  let patience = options.broker.grace;

  const ask = async (connection: ShortConnection): Promise<Owner | null> => {
    const askOnce = () => askBase(connection, { instance, identity, takeOver, clock, log, signal });
    let other = await askOnce();
    for (;;) {
      const silent = ownerToWaitFor(connection, identity);
      if (other || !silent || takeOver || patience <= 0) return other;
      post({ kind: "waiting", owner: silent });
      const since = clock.steady();
      await sleep(BETWEEN_QUESTIONS, signal, clock);
      other = await askOnce();
      patience -= clock.steady() - since;
    }
  };
  /** From the claim of the base topic to the end of the connection. Resolves with the other owner, if there is one. */
  const connectOnce = async (): Promise<Owner | undefined> => {
    const claimConnection = await openShortConnection(others);
    let ownerConnection: OwnerConnection;
    let foreignOwner: Owner | undefined;
    try {
      const other = await ask(claimConnection);
      if (other) return other;
      post({ kind: "may claim" });
      const users = await options.begun;
      if (signal.aborted) return undefined;
      const rival = await claimBase(claimConnection, { instance, identity, clock, signal });
      if (rival) return rival;
      takeOver = false;
      identity = { ...identity, yieldedTo: undefined };
      ownerConnection = await openOwnerConnection(claimConnection, {
        ...options,
        users,
        log,
        post: (event) => {
          if (event.kind === "command") return post(event);
          foreignOwner ??= event.owner;
          void ownerConnection.leave("yield");
        },
      });
      post({ kind: "connected", connection: ownerConnection });
      connectionLog.connected(claimConnection.version);
      const since = clock.steady();
      const { checked, closed } = ownerConnection;
      void closed.then((why) => {
        if (!(foreignOwner || signal.aborted)) connectionLog.lost(why, clock.steady() - since);
      });
      // The claim connection answers the pings of others until the other one has subscribed.
      await Promise.race([checked, closed]);
    } finally {
      void claimConnection.close();
    }
    await ownerConnection.closed;
    return foreignOwner;
  };
  const logFailure = (error: unknown) => {
    if (signal.aborted) return;
    if (!(error instanceof BrokerError)) throw error;
    problemLog.starts("broker", error.message);
  };

  try {
    while (!signal.aborted) {
      const other = await connectOnce().catch(logFailure);
      post({ kind: "disconnected" });
      if (other) return other;
      await sleep(BETWEEN_ATTEMPTS, signal, clock).catch(() => undefined);
    }
    return undefined;
  } finally {
    log.end();
  }
}

function createConnectionLog({ broker, me, log, problemLog }: ReconnectOptions) {
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
          `The broker at ${name} supports only MQTT 3.1.1: a restart of vigie shows as offline, and values do not expire`,
        );
      }
    },
    lost: (why: string, duration: number) => {
      quickLosses = duration < QUICK_LOSS ? quickLosses + 1 : 0;
      problemLog.starts(
        "broker",
        quickLosses < MANY_QUICK_LOSSES
          ? `The connection to the broker was lost: ${why}`
          : `The broker at ${name} ends the connection again and again, within seconds (${why}). Check that no other program uses the client id ${me.client_id}`,
      );
      log.debug("The connection to the broker ended", { broker: name, why });
    },
  };
}

const BETWEEN_ATTEMPTS = 1_000;
const BETWEEN_QUESTIONS = 10_000;
const QUICK_LOSS = 10_000;
const MANY_QUICK_LOSSES = 3;
