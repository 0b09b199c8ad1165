import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Config, MqttConfig } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import { describeDevice } from "../core/discovery/describe-device.ts";
import type { Simulation } from "../core/facts/facts.ts";
import { countPoll, NO_POLLS, type PollOutcome } from "../core/facts/poll-record.ts";
import { comparePrices } from "../core/facts/prices.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import { type HeardValues, readKeptValues } from "../core/rules/value-readings.ts";
import type { View, ViewChange } from "../http/view.ts";
import { startDeviceSender } from "../mqtt/device-sender.ts";
import { startDiscovery } from "../mqtt/discovery-publisher.ts";
import type { EmbeddedBroker } from "../mqtt/embedded-broker.ts";
import type { Identity, Owner } from "../mqtt/owner.ts";
import type { LeaveReason } from "../mqtt/owner-connection.ts";
import { createPublisher, type PublisherState } from "../mqtt/publisher.ts";
import { createValueListener } from "../mqtt/value-listener.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Alarm } from "../runtime/alarm.ts";
import type { ClockWithTimers } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { VERSION } from "../runtime/version.ts";
import { aborted } from "../runtime/wait.ts";
import { isBudgetSpent } from "../service/request-limits.ts";
import { FORECAST_SERVICE, OFFICIAL_SOURCE, type Source } from "../service/sources.ts";
import type { Store } from "../state/store.ts";
import { clearFormerPlaces, rememberPlace } from "./former-places.ts";
import { createCommandHandler } from "./handle-command.ts";
import { createLoop, type Loop, type Snapshot } from "./loop.ts";
import { openLoopMemory } from "./loop-memory.ts";
import { openSources } from "./open-sources.ts";
import { createPollings, type OnOutcome } from "./polling.ts";
import {
  reportBudget,
  reportClock,
  reportContradiction,
  reportDayEvent,
  reportMissingValues,
  reportPoll,
  reportPrices,
  reportRefusedWord,
  reportRemovedRules,
  reportSimulationEnd,
  reportSwitchedBack,
  reportVerdictChange,
} from "./report.ts";
import { startSchedule } from "./schedule.ts";

/** What a start needs beside the configuration; it stays the same after a reload. */
export interface DaemonOptions {
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  clock: ClockWithTimers;
  random: () => number;
  /** Milliseconds: `onWake` is called at least this often. */
  longestSleep: number;
  identity: Identity;
  /** Where the embedded broker listens, if that is free; 0 takes a free port. */
  embeddedPort: number;
  takeOver: boolean;
  /** Another vigie owns the base topic: this one has to end. */
  onOtherOwner: (owner: Owner) => void;
  /** Awaited before the first message is published, so the health file exists before any topic does. */
  beforePublishing: () => Promise<void>;
  /** After each poll, whether it succeeded or not, once each source was polled. */
  onPolled: () => void;
  /** Several times a minute, and when the connection to the broker is made or lost. */
  onWake: (now: number) => void;
  /** What the views show has changed; of the house, values may change each second without turning a rule. */
  onViewChange: (what?: ViewChange) => void;
}

/** The running program: it starts, starts again with another configuration, and stops. */
export interface Daemon {
  /** Starts; a daemon that runs is stopped first, and connects again before the grace is over. */
  start: (config: Config) => Promise<void>;
  /** undefined before the first start. */
  status: () => DaemonStatus | undefined;
  /** What the page and the other views show; undefined before the first start. */
  view: () => View | undefined;
  /** When the topics of this start are on the broker. */
  published: () => Promise<void>;
  /** Stops what sends, leaves the broker, stops the service client, saves, and stops the embedded broker. */
  stop: () => Promise<void>;
}

export interface DaemonStatus {
  config: Config;
  snapshot: Snapshot;
  /** When each source last answered. */
  lastSuccess: ReturnType<Loop["lastSuccess"]>;
  broker: PublisherState;
  /** Where the embedded broker listens; null where there is none. */
  embeddedPort: number | null;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { log } = options;
  let embedded: EmbeddedBroker | null = null;
  let running: Running | undefined;
  let viewNumber = 0;
  let pollCounts = NO_POLLS;

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
    await before?.stop(isSameEmbedded(before.config, config) ? "reload" : "end");
    reportRemovedRules(before?.config.rules ?? [], config.rules, options.problemLog);
    await openEmbedded(config.mqtt.url === "embedded");
    const broker = { ...config.mqtt, url: embedded?.url ?? config.mqtt.url };
    const isRestart = before !== undefined;
    // `--take-over` is about the base topic at the start of the process. A reload must not end another household's vigie.
    const takeOver = options.takeOver && !isRestart;
    const heard = before?.heard() ?? new Map();
    const onViewChange = (what?: ViewChange) => {
      viewNumber += 1;
      options.onViewChange(what);
    };
    const onPollEnd: RunningOptions["onPollEnd"] = (source, outcome) => {
      pollCounts = countPoll(pollCounts, source === OFFICIAL_SOURCE ? "official" : "service", outcome);
    };
    running = await startRunning({
      ...options,
      onViewChange,
      onPollEnd,
      config,
      broker,
      isRestart,
      takeOver,
      heard,
    });
    await options.beforePublishing();
    running.connect();
  };
  const status = () => running?.status(embedded?.port ?? null);
  const stop = async () => {
    await running?.stop("end");
    await embedded?.stop();
    await options.store.flush();
  };
  const view = () => running?.view({ pollCounts, id: `${options.identity.incarnation}-${viewNumber}` });
  return { start, status, view, published: async () => running?.published(), stop };
}

interface RunningOptions extends DaemonOptions {
  config: Config;
  /** With the address of the embedded broker where that is used. */
  broker: MqttConfig;
  /** This process has run with another configuration before. */
  isRestart: boolean;
  /** The values that were heard then. */
  heard: HeardValues;
  onPollEnd: (source: Source, outcome: PollOutcome) => void;
}

/** Everything that runs with one configuration. */
interface Running {
  config: Config;
  status: (embeddedPort: number | null) => DaemonStatus;
  /** `counted`: what is counted since the process was started, with any configuration. */
  view: (counted: Pick<View, "id" | "pollCounts">) => View;
  /** Nothing is published before. */
  connect: () => void;
  published: () => Promise<void>;
  heard: () => HeardValues;
  stop: (why: LeaveReason) => Promise<void>;
}

/**
 * Builds all parts that run. Some callbacks below use parts that are built later (`commands`, `loop`, `schedule`); none is
 * called before its part exists.
 */
async function startRunning(options: RunningOptions): Promise<Running> {
  const { config, broker, store, identity, clock, random, log, problemLog } = options;
  const { instance, tariff, rules } = config;
  await rememberPlace(config, store);

  const values = createValueListener({
    topics: topicsOfRules(rules),
    heard: options.heard,
    kept: readKeptValues(store.state().values),
    clock,
    problemLog,
    onHeard: () => {
      loop.noticeValues();
      options.onViewChange("values only");
    },
  });
  const memory = openLoopMemory(store, {
    source: config.service.base_url,
    official: officialAddress(config.official.source),
    rules,
    log,
    values: values.keep,
  });
  const sources = await openSources(config, {
    memory: memory.client,
    officialMemory: memory.officialClient,
    clock,
    random,
    log,
  });
  if (sources.serviceKind === "invented") log.warn(INVENTED);
  const onCommand: OnCommand = (topic, command) => commands.onCommand(topic, command);
  const publisher = createPublisher({
    broker,
    instance,
    identity,
    clock,
    random,
    log,
    problemLog,
    takeOver: options.takeOver,
    onOtherOwner: options.onOtherOwner,
    onCommand,
    onStateChange: () => {
      options.onWake(clock.now());
      options.onViewChange();
    },
  });
  const devices = startDeviceSender({
    clock,
    log,
    problemLog,
    outputs: config.outputs,
    state: memory.outputs(),
    save: memory.keepOutputs,
    refresh: () => loop.refresh(),
  });
  // Discovery pauses the clearing of topics, until Home Assistant has dropped their entities. It must do so before the
  // first topics are set.
  const discovery = startDiscovery({
    random,
    problemLog,
    description: describeDevice(config, VERSION),
    status_topic: config.homeassistant.status_topic,
    publisher,
    homeAssistantMayKnowDevice: options.isRestart,
    onHomeAssistantStatus: () => options.onViewChange(),
  });
  let schedule: Alarm | undefined;
  /** That ran at the refresh before. */
  let simulation: Simulation | null = null;
  const loop: Loop = createLoop({
    config,
    serviceKind: sources.serviceKind,
    memory,
    clock,
    ask: sources.service?.ask ?? null,
    askOfficial: sources.official?.ask ?? null,
    publish: publisher.setTopics,
    devices,
    values,
    onDayEvent: (event) => reportDayEvent(event, log, publisher),
    onContradiction: (line) => reportContradiction(line, log),
    onRefusedWord: (sentence, source) => reportRefusedWord(sentence, source, problemLog),
    onVerdictChange: (change) => reportVerdictChange(change, log, publisher),
    onSwitchedBack: (rule, enabled) => reportSwitchedBack(rule, enabled, log),
    onRefreshed: ({ known, facts, verdicts }) => {
      reportClock(known.clock, problemLog);
      reportMissingValues(verdicts, problemLog);
      reportSimulationEnd({ before: simulation, now: facts.simulation }, known.simulation, log);
      simulation = facts.simulation;
      schedule?.reset();
      options.onViewChange();
    },
  });
  const offset = offsetOf(identity.installation);
  const unpolled = new Set<Source>();
  if (sources.service) unpolled.add(FORECAST_SERVICE);
  if (sources.official) unpolled.add(OFFICIAL_SOURCE);
  const answeredBefore = new Set<Source>();
  const { service: lastOfService, official: lastOfOfficial } = loop.lastSuccess();
  if (lastOfService !== null) answeredBefore.add(FORECAST_SERVICE);
  if (lastOfOfficial !== null) answeredBefore.add(OFFICIAL_SOURCE);
  const report = (source: Source, outcome: PollOutcome) => {
    reportPoll(outcome, source, { problemLog, hasAnswered: answeredBefore.has(source) });
    if (outcome.answers > 0) answeredBefore.add(source);
  };
  const onPolled: OnOutcome = (source, outcome) => {
    const { spent } = (source === OFFICIAL_SOURCE ? memory.officialClient : memory.client).get();
    options.onPollEnd(source, outcome);
    report(source, outcome);
    reportBudget(isBudgetSpent(spent, clock.now(), source.budget), source, problemLog);
    reportPrices(comparePrices(loop.snapshot().known, tariff), problemLog);
    // The instant of the last answer is new, even where the answer said nothing new.
    options.onViewChange();
    unpolled.delete(source);
    if (unpolled.size === 0) options.onPolled();
    else options.onWake(clock.now());
  };
  const onFirstFailure = (source: Source, failure: string) =>
    report(source, { answers: 0, failures: [failure] });
  const times = config.service.poll;
  const polling = createPollings(sources, {
    loop,
    memory,
    tariff,
    times,
    offset,
    clock,
    onFirstFailure,
    onPolled,
  });
  const commands = createCommandHandler({ rules, tariff, memory, loop, log, poll: polling.pollNow });
  void polling.pollIfDue();
  schedule = startSchedule({
    clock,
    log,
    longestSleep: options.longestSleep,
    offset,
    boundary: () => loop.snapshot().boundary,
    refresh: loop.refresh,
    pollIfDue: polling.pollIfDue,
    onJump: publisher.republishAll,
    onWake: options.onWake,
  });

  const clearing = new AbortController();
  let cleared: Promise<void> = Promise.resolve();
  const clearWhenPublished = async () => {
    const published = Promise.all([publisher.allAcknowledged(), discovery.allPublished()]);
    await Promise.race([published, aborted(clearing.signal)]);
    if (!clearing.signal.aborted) {
      const { signal } = clearing;
      await clearFormerPlaces({ config, broker, store, identity, clock, random, log, problemLog, signal });
    }
  };
  return {
    config,
    status: (embeddedPort) => ({
      config,
      snapshot: loop.snapshot(),
      lastSuccess: loop.lastSuccess(),
      broker: publisher.state(),
      embeddedPort,
    }),
    view: (counted) => ({
      ...loop.snapshot(),
      ...counted,
      version: VERSION,
      instance,
      tariff,
      rules,
      // A copy: a view stays as it is.
      values: new Map(values.heard()),
      outputs: devices.statuses(),
      broker: publisher.state(),
      homeAssistant: discovery.homeAssistantStatus(),
      lastSuccess: loop.lastSuccess(),
    }),
    connect: () => {
      // The listener first: it ends the subscriptions that it does not need any more, and another part may need one of them.
      publisher.connect([values, devices, discovery]);
      cleared = clearWhenPublished();
    },
    published: publisher.allAcknowledged,
    heard: values.heard,
    stop: async (why) => {
      clearing.abort();
      schedule?.stop();
      values.stop();
      await commands.stop();
      await Promise.all([polling.stop(), devices.stop(), discovery.stop(), cleared]);
      await publisher.stop(why);
      await sources.stop();
      await memory.flush();
    },
  };
}

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
