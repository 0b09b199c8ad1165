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
import { claimBase, type Identity } from "./owner.ts";
import { type ConnectionUser, type OwnerConnection, openOwnerConnection } from "./owner-connection.ts";
import { openShortConnection, type ShortConnectionOptions } from "./short-connection.ts";
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
  users: readonly ConnectionUser[];
  signal: AbortSignal;
  post: (event: ConnectionEvent) => void;
}

export type ConnectionEvent =
  | { kind: "connected"; connection: OwnerConnection }
  /** A connection ended, or an attempt failed. */
  | { kind: "disconnected" }
  | CommandEvent;

/**
 * One connection after the other. Never gives up: ends when aborted, or when another vigie owns the base topic, and resolves
 * with that owner.
 */
export async function stayConnected(options: ReconnectOptions): Promise<Owner | undefined> {
  const { post, ...others } = options;
  const { signal, clock, problemLog } = options;
  const connectionLog = createConnectionLog(options);
  // One for all connections: whoever writes topics may also end the connection each second.
  const log = limitLines(options.log, clock);
  // Only the first claim: a vigie whose base topic another one took over does not take it back.
  let { takeOver } = options;

  /** From the claim of the base topic to the end of the connection. Resolves with the other owner, where there is one. */
  const connectOnce = async (): Promise<Owner | undefined> => {
    const { instance, identity } = options;
    const claimConnection = await openShortConnection(others);
    let ownerConnection: OwnerConnection;
    let foreignOwner: Owner | undefined;
    try {
      const other = await claimBase(claimConnection, { instance, identity, takeOver, clock, log, signal });
      if (other) return other;
      takeOver = false;
      ownerConnection = await openOwnerConnection(claimConnection, {
        ...options,
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
const QUICK_LOSS = 10_000;
const MANY_QUICK_LOSSES = 3;
