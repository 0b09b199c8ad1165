import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/config.ts";
import type { View } from "../core/loop/view.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { PageView } from "../http/page-view.ts";
import type { EmbeddedBroker } from "../mqtt/embedded-broker.ts";
import type { SilentOwner } from "../mqtt/owner.ts";
import { createPublisher, type Publisher } from "../mqtt/publisher.ts";
import { atMost } from "../runtime/wait.ts";
import { createLineLog } from "./line-log.ts";
import { createOwnErrors } from "./own-errors.ts";
import { createLoop, type Post } from "./run-loop.ts";
import { type DaemonOptions, type Running, startRunning } from "./running.ts";

/** The running program: it starts, starts again with another configuration, and stops. */
export interface Daemon {
  /**
   * Starts; a daemon that runs is stopped first, and connects again before the grace is over. If another vigie owns the base topic
   * of the first start, nothing is begun: resolves with that owner.
   */
  start: (config: Config) => Promise<Owner | null>;
  /** undefined before the first start. */
  status: () => DaemonStatus | undefined;
  /** What the page and the other views show: the same object until something changes. undefined before the first start. */
  view: () => PageView | undefined;
  /** The vigie that this one yielded to, while it does not answer and has to be silent for longer; null: nobody. */
  silentOwner: () => SilentOwner | null;
  /** When the topics of this start are on the broker. */
  published: () => Promise<void>;
  /** Stops what sends, leaves the broker, stops the service client, saves, and stops the embedded broker. */
  stop: () => Promise<void>;
}

export interface DaemonStatus {
  config: Config;
  view: View;
  /** Where the embedded broker listens; null if there is none. */
  embeddedPort: number | null;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { log, problemLog, clock, longestSleep } = options;
  const lineLog = createLineLog(log, { problemLog, clock });
  const wake = (view: View) => {
    running?.wake(view);
    options.wake?.();
  };
  const loop = createLoop({ clock, longestSleep, ownErrors: createOwnErrors(problemLog), wake });
  const embedded = createEmbedded(options);
  let running: Running | undefined;
  /** The one of the newest start. */
  let publisher: Publisher | undefined;
  let starting: Promise<Owner | null> = Promise.resolve(null);
  const stopping = new AbortController();

  const start = async (config: Config) => {
    const before = running;
    const known = await before?.stop(isSameEmbedded(before.config, config) ? "reload" : "end");
    const opened = await openPublisher(config, {
      ...options,
      embedded,
      // Before the first start has begun, nobody takes an event.
      post: (event) => running && loop.post(event),
      before: before && publisher,
    });
    publisher = opened.publisher;
    const next = await startRunning({
      ...options,
      ...opened,
      signal: stopping.signal,
      loop,
      lineLog,
      config,
      before: before && known ? { config: before.config, known } : null,
    });
    if ("other" in next) return next.other;
    running = next;
    loop.post({ kind: "broker", state: opened.publisher.state() });
    await options.beforePublishing?.();
    running.connect();
    return null;
  };
  return {
    start: (config) => {
      starting = start(config);
      return starting;
    },
    status: () => running && { config: running.config, view: loop.view(), embeddedPort: embedded.port() },
    view: () => running?.view(),
    silentOwner: () => publisher?.silentOwner() ?? null,
    published: async () => running?.published(),
    stop: async () => {
      stopping.abort();
      await starting.catch(() => undefined);
      await running?.stop("end", { ended_in_order: true });
      lineLog.end();
      await embedded.open(false);
      await atMost(options.store.flush(), FLUSHED_WITHIN);
    },
  };
}

interface PublisherContext extends DaemonOptions {
  embedded: Embedded;
  post: Post;
  /** The one of the start before. */
  before: Publisher | undefined;
}

/** The publisher of a start, and what it was made with. */
async function openPublisher(config: Config, { embedded, ...options }: PublisherContext) {
  const { store, before } = options;
  const opened = await embedded.open(config.mqtt.url === "embedded");
  const broker = { ...config.mqtt, url: opened?.url ?? config.mqtt.url };
  // A vigie that has the base topic again waits for nobody at a reload.
  const isWaiting = store.state().yielded_to !== undefined;
  const identity = isWaiting ? options.identity : { ...options.identity, yieldedTo: undefined };
  const publisher = createPublisher({
    ...options,
    identity,
    broker,
    instance: config.instance,
    // `--take-over` is about the base topic at the start of the process. A reload must not end another household's vigie.
    takeOver: options.takeOver && !before,
  });
  return { publisher, broker, identity };
}

type Embedded = ReturnType<typeof createEmbedded>;

/** It goes on during a reload: a new one would be empty. */
function createEmbedded({ embeddedPort, log }: Pick<DaemonOptions, "embeddedPort" | "log">) {
  let opened: EmbeddedBroker | null = null;
  return {
    open: async (isWanted: boolean): Promise<EmbeddedBroker | null> => {
      if (isWanted && !opened) {
        const { startEmbeddedBroker } = await import("../mqtt/embedded-broker.ts");
        opened = await startEmbeddedBroker({ port: embeddedPort, log });
      } else if (!isWanted && opened) {
        await opened.stop();
        opened = null;
      }
      return opened;
    },
    port: () => opened?.port ?? null,
  };
}

/** Whether both use the embedded broker, which lives on, with the same base topic and client id. The grace may differ. */
function isSameEmbedded(one: Config, other: Config): boolean {
  const settings = ({ instance, mqtt }: Config) => ({ ...mqtt, instance, grace: null });
  return other.mqtt.url === "embedded" && isDeepStrictEqual(settings(one), settings(other));
}

/** Milliseconds: what was given to the disk had time before. */
const FLUSHED_WITHIN = 500;
