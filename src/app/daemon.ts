import type { Config } from "../config/config.ts";
import type { Identity, Owner } from "../mqtt/owner.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { aborted } from "../runtime/wait.ts";
import type { Store } from "../state/store.ts";
import { leaveFormerPlaces, rememberPlace } from "./former-places.ts";
import { type Lookout, startLookout } from "./lookout.ts";
import { type Parts, type Running, renewParts, stopAllParts } from "./parts.ts";
import { openSource, type Source } from "./source-memory.ts";

export interface DaemonOptions {
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  clock: Clock;
  random: () => number;
  identity: Identity;
  takeOver: boolean;
  /** Another vigie owns the base topic: this one has to end. */
  onOtherOwner: (owner: Owner) => void;
  /** Awaited before the broker hears anything: whoever sees a topic finds the health file. */
  beforePublishing: () => Promise<void>;
  /** After each poll, whether it succeeded or not. */
  onPoll: () => void;
  /** At least once a second: the loop is alive. */
  onBeat: (now: number) => void;
}

export interface Daemon {
  /** Starts, or goes on with another configuration: what stays the same runs on. One at a time. */
  configure: (config: Config) => Promise<void>;
  config: () => Config | undefined;
  parts: Readonly<Parts>;
  lookout: () => Lookout | undefined;
  /** Leaves the broker as designed, saves, and ends everything in reverse. */
  stop: () => Promise<void>;
}

/** The composition root: everything that runs is built, started and stopped here. */
export function createDaemon(options: DaemonOptions): Daemon {
  const { store, log } = options;
  const parts: Parts = {};
  let current: Config | undefined;
  let source: Source | undefined;
  let lookout: Lookout | undefined;
  let moving: { done: Promise<void>; stop: () => void } | undefined;

  const configure = async (config: Config) => {
    moving?.stop();
    await lookout?.stop();
    await moving?.done;
    await rememberPlace({ config, store });
    if (source?.key !== config.service.base_url) source = openSource(store, config.service.base_url);
    const onCommand: OnCommand = (...said) => lookout?.command(...said);
    const running = await renewParts(parts, config, { ...options, memory: source.client, onCommand });
    lookout = startLookout({ ...options, ...running, config, source, renewed: current !== undefined });
    current = config;
    await options.beforePublishing();
    running.publisher.connect();
    const stopping = new AbortController();
    const done = move(config, { ...running, ...lookout }, stopping.signal);
    moving = { done, stop: () => stopping.abort() };
  };
  const move = async (
    config: Config,
    { publisher, broker, announced }: Running & Lookout,
    signal: AbortSignal,
  ) => {
    await Promise.race([Promise.all([publisher.allAcknowledged(), announced()]), aborted(signal)]);
    if (signal.aborted) return;
    await leaveFormerPlaces({ ...options, config, broker, signal });
  };
  const stop = async () => {
    moving?.stop();
    await lookout?.stop();
    await moving?.done;
    await stopAllParts(parts, log);
    source?.save();
    await store.flush();
  };
  return { configure, config: () => current, parts, lookout: () => lookout, stop };
}
