import type { MqttConfig } from "../config/config.ts";
import type { Topics } from "../core/topics/topic.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { sleep } from "../runtime/wait.ts";
import { nameBroker } from "./broker-address.ts";
import { isBrokerError } from "./broker-errors.ts";
import { claim } from "./claim-base.ts";
import type { ConnectionUser } from "./connection-users.ts";
import { type Identity, type Owner, ownerOf } from "./owner.ts";
import { openSession, type Session } from "./session.ts";
import { openShortConnection } from "./short-connection.ts";
import type { OnCommand } from "./watch-base.ts";

/** What outlives a connection. */
export interface Life {
  topics: Topics | undefined;
  events: string[];
  /** Who asked last that nothing be cleared. */
  holder: object | undefined;
  /** While one stands. */
  session: Session | undefined;
}

export interface LifeOptions {
  broker: MqttConfig;
  instance: string;
  identity: Identity;
  clock: Clock;
  log: Log;
  problemLog: ProblemLog;
  random: () => number;
  signal: AbortSignal;
  keepalive: number;
  takeOver: boolean;
  onCommand: OnCommand;
  users: ConnectionUser;
  onOtherOwner: (owner: Owner) => void;
  onWhole: () => void;
  onLoss: () => void;
}

/** One connection after the other, until the end or until another vigie owns the base topic. Never gives up. */
export async function liveOnBroker(life: Life, options: LifeOptions): Promise<void> {
  const { signal, problemLog } = options;
  const memory: Memory = { takeOver: options.takeOver, cutOff: 0, greeted: undefined };
  while (!signal.aborted) {
    try {
      const other = await liveOnce(life, memory, options);
      if (other) return options.onOtherOwner(other);
    } catch (error) {
      if (signal.aborted) return;
      if (!isBrokerError(error)) throw error;
      problemLog.starts("broker", error.message);
    }
    options.onLoss();
    await sleep(BETWEEN_ATTEMPTS, signal).catch(() => undefined);
  }
}

interface Memory {
  /** Asked for once: a vigie that lost its place fights for it no second time. */
  takeOver: boolean;
  /** How often in a row the broker cut vigie off soon after it had connected. */
  cutOff: number;
  /** The protocol that was said last. */
  greeted: number | undefined;
}

/** From the look at who owns the base to the end of the connection; the other owner, where there is one. */
async function liveOnce(life: Life, memory: Memory, options: LifeOptions): Promise<Owner | undefined> {
  const { broker, problemLog, clock, log } = options;
  const visit = await openShortConnection(options);
  const done = () => void visit.close();
  let other: Owner | undefined;
  try {
    const owner = await claim(visit, { ...options, takeOver: memory.takeOver });
    if (owner) return owner;
    memory.takeOver = false;
    const session = await openSession(visit, {
      ...options,
      me: ownerOf(options.identity, options.instance),
      events: life.events,
      isHeld: () => life.holder !== undefined,
      onForeignOwner: (newer) => {
        other ??= newer;
        void session.quit();
      },
    });
    life.session = session;
    if (life.topics) session.want(life.topics);
    void session.looked.then(done);
    sayConnected(visit.version, memory, options);
    const since = clock.steady();
    const why = await session.closed;
    life.session = undefined;
    if (other || options.signal.aborted) return other;
    const short = clock.steady() - since < SOON;
    memory.cutOff = short ? memory.cutOff + 1 : 0;
    problemLog.starts("broker", describeLoss(why, memory, options));
    log.debug("The connection to the broker ended", { broker: nameBroker(broker), why });
    return undefined;
  } finally {
    done();
  }
}

function sayConnected(version: number, memory: Memory, { broker, problemLog, log }: LifeOptions): void {
  const name = nameBroker(broker);
  problemLog.isOver("broker", `The broker at ${name} is there again`);
  if (memory.greeted === version) return;
  memory.greeted = version;
  if (version === 5) log.info(`Connected to the broker at ${name} (MQTT 5)`);
  else {
    log.warn(
      `The broker at ${name} speaks MQTT 3.1.1 only: it keeps no grace (a restart of vigie shows as offline) and lets no value expire`,
    );
  }
}

function describeLoss(why: string, { cutOff }: Memory, { broker, identity, instance }: LifeOptions): string {
  if (cutOff < OFTEN) return `The connection to the broker was lost: ${why}`;
  const id = ownerOf(identity, instance).client_id;
  return `The broker at ${nameBroker(broker)} cuts vigie off again and again, soon after it has connected (${why}): does another program use the client id ${id}?`;
}

const BETWEEN_ATTEMPTS = 1_000;
const SOON = 10_000;
const OFTEN = 3;
