import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Config, MqttConfig } from "../config/config.ts";
import { describeDevice } from "../core/discovery/describe-device.ts";
import { describeRemovedRules } from "../core/loop/changes.ts";
import type { Known } from "../core/loop/known.ts";
import type { View as LoopView } from "../core/loop/view.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { View } from "../http/view.ts";
import { createHttpDeviceSink } from "../http-devices/http-device-sink.ts";
import type { RequestDevice } from "../http-devices/request-device.ts";
import type { Connect } from "../mqtt/connection.ts";
import { createDeviceSink } from "../mqtt/device-sink.ts";
import { startDiscovery } from "../mqtt/discovery-publisher.ts";
import type { EmbeddedBroker } from "../mqtt/embedded-broker.ts";
import type { Identity, SilentOwner } from "../mqtt/owner.ts";
import type { LeaveReason } from "../mqtt/owner-connection.ts";
import { createPublisher, type Publisher } from "../mqtt/publisher.ts";
import { createTopicsSink } from "../mqtt/topics-sink.ts";
import { createValueListener } from "../mqtt/value-listener.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { VERSION } from "../runtime/version.ts";
import { aborted, atMost } from "../runtime/wait.ts";
import { describeUnreadOutputs, withKept } from "../state/kept.ts";
import { recoverState, type State } from "../state/state.ts";
import type { Store } from "../state/store.ts";
import { tellBrokerAway } from "./broker-away.ts";
import { askFirst, prepareClaim } from "./claim.ts";
import { clearFormerPlaces } from "./former-places.ts";
import { createLineLog, type LineLog } from "./line-log.ts";
import { createLoopParts, keptSources, postMemories, readKeptOf } from "./loop-parts.ts";
import { type OpenTransport, openSources } from "./open-sources.ts";
import { createOwnErrors } from "./own-errors.ts";
import { createLoop, type Loop, type Post, type Sink } from "./run-loop.ts";

/** What a start needs beside the configuration; it stays the same after a reload. */
export interface DaemonOptions {
  /** How the broker and the sources are reached; default: over the network. */
  connect?: Connect | undefined;
  openTransport?: OpenTransport | undefined;
  /** How devices are reached that have an address; default: over the network. */
  requestDevice?: RequestDevice | undefined;
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  clock: ClockWithTimers;
  random: () => number;
  /** Milliseconds: the clocks are compared, and `wake` is called, at least this often. */
  longestSleep: number;
  identity: Identity;
  /** Awaited at the first start, when no other vigie is known to own the base topic: what follows is seen from outside. */
  beforeBeginning?: () => Promise<void>;
  /** The vigie before was killed, or its machine lost power: devices may have lost it, too. */
  isAfterCrash?: boolean;
  /** Where the embedded broker listens, if that is free; 0 takes a free port. */
  embeddedPort: number;
  takeOver: boolean;
  /** In a demonstration, in which no device gets anything: how many times as fast as real time its clock runs. */
  demoSpeed?: number;
  /** Awaited before the first message is published, so the health file exists before any topic does. */
  beforePublishing?: () => Promise<void>;
  /** Show each view, after the sources, the broker and the devices. */
  sinks?: readonly Sink[];
  /** Several times a minute. */
  wake?: () => void;
}

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
  view: () => View | undefined;
  /** The vigie that this one yielded to, while it does not answer and has to be silent for longer; null: nobody. */
  silentOwner: () => SilentOwner | null;
  /** When the topics of this start are on the broker. */
  published: () => Promise<void>;
  /** Stops what sends, leaves the broker, stops the service client, saves, and stops the embedded broker. */
  stop: () => Promise<void>;
}

export interface DaemonStatus {
  config: Config;
  view: LoopView;
  /** Where the embedded broker listens; null if there is none. */
  embeddedPort: number | null;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { log, problemLog, clock } = options;
  const ownErrors = createOwnErrors(problemLog);
  const lineLog = createLineLog(log, { problemLog, clock });
  const loop = createLoop({
    clock,
    longestSleep: options.longestSleep,
    ownErrors,
    wake: (view) => {
      running?.wake(view);
      options.wake?.();
    },
  });
  let embedded: EmbeddedBroker | null = null;
  let running: Running | undefined;
  /** Of the newest start. */
  let publisher: Publisher | undefined;
  let starting: Promise<Owner | null> = Promise.resolve(null);
  const stopping = new AbortController();

  /** It goes on during a reload: a new one would be empty. */
  const openEmbedded = async (isWanted: boolean) => {
    if (isWanted && !embedded) {
      const { startEmbeddedBroker } = await import("../mqtt/embedded-broker.ts");
      embedded = await startEmbeddedBroker({ port: options.embeddedPort, log });
    } else if (!isWanted && embedded) {
      await embedded.stop();
      embedded = null;
    }
  };
  const start = async (config: Config) => {
    const before = running;
    const known = await before?.stop(isSameEmbedded(before.config, config) ? "reload" : "end");
    lineLog.write(describeRemovedRules(before?.config.rules ?? [], config.rules));
    await openEmbedded(config.mqtt.url === "embedded");
    const broker = { ...config.mqtt, url: embedded?.url ?? config.mqtt.url };
    // A vigie that has the base topic again waits for nobody at a reload.
    const isWaiting = options.store.state().yielded_to !== undefined;
    const identity = isWaiting ? options.identity : { ...options.identity, yieldedTo: undefined };
    const newest = createPublisher({
      ...options,
      identity,
      broker,
      instance: config.instance,
      // `--take-over` is about the base topic at the start of the process. A reload must not end another household's vigie.
      takeOver: options.takeOver && !before,
      // Before the first start has begun, nobody takes an event.
      post: (event) => running && loop.post(event),
      before: before && publisher,
    });
    publisher = newest;
    const next = await startRunning({
      ...options,
      identity,
      publisher: newest,
      signal: stopping.signal,
      loop,
      lineLog,
      config,
      broker,
      before: before && known ? { config: before.config, known } : null,
    });
    if ("other" in next) return next.other;
    running = next;
    loop.post({ kind: "broker", state: newest.state() });
    await options.beforePublishing?.();
    running.connect();
    return null;
  };
  const status = () =>
    running && { config: running.config, view: loop.view(), embeddedPort: embedded?.port ?? null };
  const stop = async () => {
    stopping.abort();
    await starting.catch(() => undefined);
    await running?.stop("end", { ended_in_order: true });
    lineLog.end();
    await embedded?.stop();
    await atMost(options.store.flush(), FLUSHED_WITHIN);
  };
  return {
    start: (config) => {
      starting = start(config);
      return starting;
    },
    status,
    view: () => running?.view(),
    silentOwner: () => publisher?.silentOwner() ?? null,
    published: async () => running?.published(),
    stop,
  };
}

interface RunningOptions extends DaemonOptions {
  loop: Loop;
  lineLog: LineLog;
  publisher: Publisher;
  config: Config;
  /** Aborts when the daemon is to stop. */
  signal: AbortSignal;
  /** With the address of the embedded broker if that is used. */
  broker: MqttConfig;
  /** Before a reload: the configuration, and what was known with it. */
  before: { config: Config; known: Known } | null;
}

/** Everything that runs with one configuration. */
interface Running {
  config: Config;
  view: () => View;
  /** Several times a minute. */
  wake: Sink["show"];
  /** Nothing is published before. */
  connect: () => void;
  published: () => Promise<void>;
  /** Resolves with what is known then; that is saved, with `more`. */
  stop: (why: LeaveReason, more?: Pick<State, "ended_in_order">) => Promise<Known>;
}

/** Another vigie owns the base topic; null: the daemon was stopped before it could ask. */
interface NotBegun {
  other: Owner | null;
}

/**
 * Opens the sources and the broker for this configuration, and lets the loop begin with them. The first start asks before all else
 * who owns the base topic, and begins nothing if another vigie does.
 */
async function startRunning(options: RunningOptions): Promise<Running | NotBegun> {
  const { config, publisher, store, identity, clock, random, log, problemLog, loop, before } = options;
  const { instance, tariff, rules, outputs } = config;

  let isOver = false;
  // What is still said by the sources and the broker of a configuration that is over is not taken.
  const post: Post = (event) => {
    if (!isOver) loop.post(event);
  };
  const claim = { publisher, config, store, identity };
  const prepared = prepareClaim(claim);
  if (!before) {
    const other = await askFirst(prepared, claim, options.signal);
    if (other || options.signal.aborted) {
      await publisher.stop();
      return { other };
    }
    await options.beforeBeginning?.();
    await atMost(rememberBeginning(store), SAVED_WITHIN);
    distrustUnsaved(store, log);
  }
  const kept = readKeptOf(store, config);
  if (!before) options.lineLog.write(describeUnreadOutputs(store.state()));
  const sources = await openSources(config, {
    ...postMemories(kept, post),
    movedDays: {
      get: () => store.state().moved_days ?? {},
      atStart: {
        isFirst: () => Object.keys(kept.days.days).length === 0,
        set: (moved_days) => void store.save({ ...store.state(), moved_days }),
      },
    },
    clock,
    random,
    log,
    openTransport: options.openTransport,
  });
  if (sources.serviceKind === "invented") log.warn(INVENTED);
  // Discovery pauses the clearing of topics, until Home Assistant has dropped their entities. It must do so before the
  // first topics are set.
  const discovery = startDiscovery({
    random,
    problemLog,
    description: describeDevice(config, VERSION),
    status_topic: config.homeassistant.status_topic,
    publisher,
    homeAssistantMayKnowDevice: before !== null,
    post,
  });
  const values = createValueListener({
    topics: topicsOfRules(rules),
    ...(before && { heard: before.known.passing.values.heard }),
    kept: kept.values,
    clock,
    problemLog,
    post,
  });
  const devices = createDeviceSink({
    outputs,
    problemLog,
    post: (event) => post({ kind: "outputs", event }),
  });
  const httpDevices = createHttpDeviceSink({
    outputs,
    version: VERSION,
    clock,
    post: (event) => post({ kind: "outputs", event }),
    request: options.demoSpeed === undefined ? options.requestDevice : answerInDemo,
  });
  const parts = createLoopParts({
    config,
    store,
    clock,
    kept,
    sources,
    broker: publisher.state().url,
    offset: offsetOf(identity.installation),
    isDemo: options.demoSpeed !== undefined,
    before,
    isAfterCrash: !before && options.isAfterCrash === true,
    post,
  });
  loop.begin({
    ...parts,
    sinks: [
      ...parts.sinks,
      { name: "topics", show: createTopicsSink(publisher).show },
      { name: "devices", show: ({ sends }) => devices.show(sends) },
      { name: "devices over HTTP", show: ({ sends, questions }) => httpDevices.show(sends, questions) },
      ...(options.sinks ?? []),
    ],
    say: ({ lines, events }) => {
      options.lineLog.write(lines);
      for (const event of events) publisher.publishEvent(event);
    },
  });

  /** What was made of a view of the loop: the page is rendered again only for another object. */
  const views = new WeakMap<LoopView, View>();
  const clearing = new AbortController();
  let cleared: Promise<void> = Promise.resolve();
  const publishAndClear = async () => {
    await Promise.race([prepared, aborted(clearing.signal)]);
    if (clearing.signal.aborted) return;
    // The listener first: it ends the subscriptions that it does not need any more, and another part may need one of them.
    publisher.connect([values, devices, discovery]);
    const published = Promise.all([publisher.allAcknowledged(), discovery.allPublished()]);
    await Promise.race([published, aborted(clearing.signal)]);
    if (!clearing.signal.aborted) {
      const { signal } = clearing;
      await clearFormerPlaces({ ...options, signal });
    }
  };
  return {
    config,
    view: () => {
      const view = loop.view();
      const kept = views.get(view);
      if (kept) return kept;
      const { demoSpeed } = options;
      const made: View = {
        ...tellBrokerAway(view),
        version: VERSION,
        instance,
        tariff,
        rules,
        ...(demoSpeed !== undefined && { demoSpeed }),
      };
      views.set(view, made);
      return made;
    },
    wake: parts.wake,
    connect: () => {
      cleared = publishAndClear();
    },
    published: publisher.allAcknowledged,
    stop: async (why, more) => {
      clearing.abort();
      values.stop();
      // Nothing new is sent. What the broker has got is still answered, and taken.
      post({ kind: "outputs", event: { kind: "ending" } });
      const allAnswered = Promise.all([devices.allAnswered(), httpDevices.allAnswered()]);
      const answered = atMost(allAnswered, ANSWERED_WITHIN);
      await Promise.all([parts.stop(), answered, discovery.stop(), cleared]);
      await Promise.all([publisher.stop(why), httpDevices.stop()]);
      isOver = true;
      const known = loop.pause();
      await sources.stop();
      const state = withKept(store.state(), known.kept, keptSources(config));
      await atMost(store.save({ ...state, ...more }), SAVED_WITHIN);
      // They are saved by now, and in force with the next start.
      options.lineLog.write(known.passing.commands.waiting?.lines ?? []);
      return known;
    },
  };
}

/** That this vigie runs: if it ends without another save, it was killed, or its machine lost power. */
function rememberBeginning(store: Store): Promise<void> {
  const { ended_in_order: _, ...state } = store.state();
  return store.save(state);
}

/**
 * The run before may not have been able to save either: then a device may have been told something else since, for example ON
 * in the evening before a rouge day.
 */
function distrustUnsaved(store: Store, log: Log): void {
  if (store.problem() === null) return;
  log.warn("The state may be old, as it cannot be saved: each payload that is in force is sent once more");
  void store.save(recoverState(store.state()));
}

/** In a demonstration no device gets anything. */
const answerInDemo: RequestDevice = async () => ({ status: 200, headers: new Map(), body: new Uint8Array() });

/** Whether both use the embedded broker, which lives on, with the same base topic and client id. The grace may differ. */
function isSameEmbedded(one: Config, other: Config): boolean {
  const settings = ({ instance, mqtt }: Config) => ({ ...mqtt, instance, grace: null });
  return other.mqtt.url === "embedded" && isDeepStrictEqual(settings(one), settings(other));
}

/** 0 to 1, the same at each start: a thousand installations do not poll in the same second. */
function offsetOf(installation: string): number {
  return createHash("sha256").update(installation).digest().readUInt32BE() / 2 ** 32;
}

const INVENTED =
  "The days are INVENTED by the built-in simulator (service.base_url or official.source is simulator). They are not those of your electricity tariff";
/** Milliseconds: all parts of vigie together have to stop within 5 s. */
const ANSWERED_WITHIN = 1_500;
/** Milliseconds: a disk that hangs stops neither a start, nor a reload, nor an end. */
const SAVED_WITHIN = 2_000;
/** Milliseconds: what was given to the disk had time before. */
const FLUSHED_WITHIN = 500;
