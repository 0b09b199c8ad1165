import { createHash } from "node:crypto";
import type { Config, MqttConfig } from "../config/config.ts";
import { describeDevice } from "../core/discovery/describe-device.ts";
import type { Kept, Known } from "../core/loop/known.ts";
import type { View } from "../core/loop/view.ts";
import type { OutputsEvent } from "../core/outputs/take-outputs.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { PageView } from "../http/page-view.ts";
import { createHttpDeviceSink } from "../http-devices/http-device-sink.ts";
import type { RequestDevice } from "../http-devices/request-device.ts";
import type { Connect } from "../mqtt/connection.ts";
import { createDeviceSink } from "../mqtt/device-sink.ts";
import { startDiscovery } from "../mqtt/discovery-publisher.ts";
import type { Identity } from "../mqtt/owner.ts";
import type { LeaveReason } from "../mqtt/owner-connection.ts";
import type { Publisher } from "../mqtt/publisher.ts";
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
import type { LineLog } from "./line-log.ts";
import { createLoopParts, keptSources, postMemories, readKeptOf } from "./loop-parts.ts";
import type { Sink } from "./loop-state.ts";
import { type OpenTransport, openSources } from "./open-sources.ts";
import type { Loop, Post } from "./run-loop.ts";

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

export interface RunningOptions extends DaemonOptions {
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
export interface Running {
  config: Config;
  view: () => PageView;
  /** Several times a minute. */
  wake: Sink["show"];
  /** Nothing is published before. */
  connect: () => void;
  published: () => Promise<void>;
  /** Resolves with what is known then; that is saved, with `more`. */
  stop: (why: LeaveReason, more?: Pick<State, "ended_in_order">) => Promise<Known>;
}

/** Another vigie owns the base topic; null: the daemon was stopped before it could ask. */
export interface NotBegun {
  other: Owner | null;
}

/**
 * Opens the sources and the broker for this configuration, and lets the loop begin with them. The first start asks before all else
 * who owns the base topic, and begins nothing if another vigie does.
 */
export async function startRunning(options: RunningOptions): Promise<Running | NotBegun> {
  const { config, publisher, loop, before } = options;
  const prepared = prepareClaim(options);
  if (!before) {
    const notBegun = await askAndBegin(prepared, options);
    if (notBegun) return notBegun;
  }
  let isOver = false;
  // What is still said by the sources and the broker of a configuration that is over is not taken.
  const post: Post = (event) => {
    if (!isOver) loop.post(event);
  };
  const parts = await openParts(options, post);
  beginLoop(parts, options);
  const clearing = new AbortController();
  let cleared: Promise<void> = Promise.resolve();
  return {
    config,
    view: createPageViews(options),
    wake: parts.ofLoop.wake,
    connect: () => {
      cleared = publishAndClear(prepared, parts, { ...options, signal: clearing.signal });
    },
    published: publisher.allAcknowledged,
    stop: async (why, more) => {
      clearing.abort();
      parts.values.stop();
      // Nothing new is sent. What the broker has got is still answered, and taken.
      post({ kind: "outputs", event: { kind: "ending" } });
      const { devices, httpDevices, discovery, ofLoop, sources } = parts;
      const allAnswered = Promise.all([devices.allAnswered(), httpDevices.allAnswered()]);
      const answered = atMost(allAnswered, ANSWERED_WITHIN);
      await Promise.all([ofLoop.stop(), answered, discovery.stop(), cleared]);
      await Promise.all([publisher.stop(why), httpDevices.stop()]);
      isOver = true;
      const known = loop.pause();
      await sources.stop();
      await saveAll(known, options, more);
      return known;
    },
  };
}

/** Resolves with null when the first start has begun: no other vigie is known to own the base topic. */
async function askAndBegin(
  prepared: Promise<Owner | null>,
  options: RunningOptions,
): Promise<NotBegun | null> {
  const { publisher, store, log, signal } = options;
  const other = await askFirst(prepared, options, signal);
  if (other || signal.aborted) {
    await publisher.stop();
    return { other };
  }
  await options.beforeBeginning?.();
  await atMost(rememberBeginning(store), SAVED_WITHIN);
  distrustUnsaved(store, log);
  options.lineLog.write(describeUnreadOutputs(store.state()));
  return null;
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** The sources, what is connected to the broker, and the devices. */
async function openParts(options: RunningOptions, post: Post) {
  const { config, publisher, store, clock, random, problemLog, before, demoSpeed } = options;
  const { rules, outputs } = config;
  const kept = readKeptOf(store, config);
  const sources = await openOwnSources(kept, options, post);
  const postOutputs = (event: OutputsEvent) => post({ kind: "outputs", event });
  return {
    sources,
    // Discovery pauses the clearing of topics, until Home Assistant has dropped their entities. It must do so before the
    // first topics are set.
    discovery: startDiscovery({
      random,
      problemLog,
      description: describeDevice(config, VERSION),
      status_topic: config.homeassistant.status_topic,
      publisher,
      homeAssistantMayKnowDevice: before !== null,
      post,
    }),
    values: createValueListener({
      topics: topicsOfRules(rules),
      ...(before && { heard: before.known.passing.values.heard }),
      kept: kept.values,
      clock,
      problemLog,
      post,
    }),
    devices: createDeviceSink({ outputs, problemLog, post: postOutputs }),
    httpDevices: createHttpDeviceSink({
      outputs,
      version: VERSION,
      clock,
      post: postOutputs,
      request: demoSpeed === undefined ? options.requestDevice : answerInDemo,
    }),
    ofLoop: createLoopParts({
      config,
      store,
      clock,
      kept,
      sources,
      broker: publisher.state().url,
      offset: offsetOf(options.identity.installation),
      isDemo: demoSpeed !== undefined,
      before,
      isAfterCrash: !before && options.isAfterCrash === true,
      post,
    }),
  };
}

async function openOwnSources(kept: Kept, options: RunningOptions, post: Post) {
  const { config, store, clock, random, log, openTransport } = options;
  const sources = await openSources(config, {
    memories: postMemories(kept, post),
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
    openTransport,
  });
  if (sources.isInvented) log.warn(INVENTED);
  return sources;
}

function beginLoop({ ofLoop, devices, httpDevices }: Parts, options: RunningOptions): void {
  const { loop, publisher, lineLog } = options;
  loop.begin({
    ...ofLoop,
    sinks: [
      ...ofLoop.sinks,
      { name: "topics", show: createTopicsSink(publisher).show },
      { name: "devices", show: ({ sends }) => devices.show(sends) },
      { name: "devices over HTTP", show: ({ sends, questions }) => httpDevices.show(sends, questions) },
      ...(options.sinks ?? []),
    ],
    say: ({ lines, events }) => {
      lineLog.write(lines);
      for (const event of events) publisher.publishEvent(event);
    },
  });
}

/** What is made of a view of the loop: the page is rendered again only for another object. */
function createPageViews({ config, loop, demoSpeed }: RunningOptions): () => PageView {
  const { instance, tariff, rules } = config;
  let shown: { from: View; page: PageView } | undefined;
  return () => {
    const from = loop.view();
    const values = loop.known().passing.values.heard;
    if (shown?.from === from && shown.page.values === values) return shown.page;
    const page: PageView = {
      ...tellBrokerAway(from),
      version: VERSION,
      instance,
      tariff,
      rules,
      values,
      ...(demoSpeed !== undefined && { demoSpeed }),
    };
    shown = { from, page };
    return page;
  };
}

/** Publishes from when the base topic is claimed on, and clears the former places once all is published. */
async function publishAndClear(
  prepared: Promise<Owner | null>,
  { values, devices, discovery }: Parts,
  options: RunningOptions,
): Promise<void> {
  const { publisher, signal } = options;
  await Promise.race([prepared, aborted(signal)]);
  if (signal.aborted) return;
  // The listener first: it ends the subscriptions that it does not need any more, and another part may need one of them.
  publisher.connect([values, devices, discovery]);
  const published = Promise.all([publisher.allAcknowledged(), discovery.allPublished()]);
  await Promise.race([published, aborted(signal)]);
  if (!signal.aborted) await clearFormerPlaces(options);
}

async function saveAll(
  { kept }: Known,
  { store, config }: RunningOptions,
  more: Pick<State, "ended_in_order"> | undefined,
): Promise<void> {
  const state = withKept(store.state(), kept, keptSources(config));
  await atMost(store.save({ ...state, ...more }), SAVED_WITHIN);
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
