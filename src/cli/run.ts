import { hostname } from "node:os";
import { rememberYield } from "../app/claim.ts";
import { createProblemLog } from "../app/create-problem-log.ts";
import { createDaemon, type Daemon } from "../app/daemon.ts";
import { healthPath } from "../app/health-file.ts";
import { type HealthReport, judgeDaemon, reportHealth } from "../app/health-report.ts";
import type { Sink } from "../app/loop-state.ts";
import { followConfig } from "../app/reload.ts";
import { type ServedViews, serveViews } from "../app/serve-views.ts";
import { createRefusalTeller } from "../app/tell-refusal.ts";
import type { Config } from "../config/config.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { wallTime } from "../core/calendar/dates.ts";
import { describeLength } from "../core/log/duration.ts";
import type { Owner } from "../core/topics/topic.ts";
import { MQTT_PORT } from "../mqtt/broker-address.ts";
import { type Identity, nameOwner, type SilentOwner } from "../mqtt/owner.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { createLog, type HeldOutput, holdOutput, type Log, openOutput } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { inventId } from "../runtime/random-id.ts";
import type { ReloadSignal } from "../runtime/reload-signal.ts";
import { createSystemdNotifier } from "../runtime/systemd.ts";
import { VERSION } from "../runtime/version.ts";
import { aborted, atMost, settleable } from "../runtime/wait.ts";
import { openStore, type Store } from "../state/store.ts";
import { toExitCode, Yielded } from "./exit-code.ts";
import { describeFirstLook } from "./first-look.ts";
import type { Io } from "./io.ts";
import { folderTaken, takeFolder } from "./take-folder.ts";
import { readArgs } from "./usage.ts";

/** The daemon, until a signal ends it or another vigie owns its base topic. */
export function run(args: string[], io: Io, reloadSignal: ReloadSignal): Promise<number> {
  return toExitCode("run", io, async () => {
    const options = { "take-over": { type: "boolean" }, config: { type: "string" } } as const;
    const { values } = readArgs({ args, options });
    const load = () => loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const loaded = await load();
    const output = holdOutput(openOutput(1), LONGEST_WAIT_FOR_SCREEN);
    if (!output.terminal || !isFirstLook(loaded.config)) output.release();
    try {
      await runVigie(loaded, { io, reloadSignal, load, output, takeOver: values["take-over"] ?? false });
    } finally {
      output.release();
    }
  });
}

/** A newcomer reads the screen first, with the page's address on top, and the log of the start below it. */
function isFirstLook({ mqtt, service }: Config): boolean {
  return mqtt.url === "embedded" && service.base_url === "simulator";
}

interface RunOptions {
  io: Io;
  reloadSignal: ReloadSignal;
  load: () => Promise<LoadedConfig>;
  /** Of the log. */
  output: HeldOutput;
  takeOver: boolean;
  /** Show each view, too. */
  sinks?: readonly Sink[];
  /** Awaited when no other vigie is known to own the base topic, before anything else is done. */
  beforeBeginning?: () => Promise<void>;
  /** Told once why vigie does not begin yet; default: the log. */
  waiting?: (why: string) => void;
}

/** One vigie for each state folder: on one host that is found out before any broker is asked. */
export async function runVigie(loaded: LoadedConfig, options: RunOptions): Promise<void> {
  const { config } = loaded;
  const secrets = [config.mqtt.password ?? ""];
  const { time_zone } = config.tariff;
  const log = createLog(
    { ...config.log, secrets, wallTime: (at) => wallTime(at, time_zone) },
    options.output,
  );
  const lock = await takeFolder(config.state, log, options.io.signal);
  if ("heldBy" in lock) throw new Yielded(folderTaken(config.state, lock.heldBy));
  if ("none" in lock)
    log.warn(
      `The state folder ${config.state} cannot be locked (${lock.none}): make sure that no second vigie uses it`,
    );
  try {
    const problemLog = createProblemLog(log, systemClock);
    const store = await openStore(config.state, { log, problemLog, random: Math.random });
    const isAfterCrash = store.state().ended_in_order !== true;
    const identity = createIdentity(store, systemClock, options);
    const taken = await watchDays(loaded, {
      ...options,
      log,
      problemLog,
      store,
      identity,
      isAfterCrash,
      secrets,
    });
    if (!taken) return;
    const isNew = await rememberYield(store, taken.owner, systemClock.now());
    throw new Yielded(describeTaken(taken), { isSaid: !isNew });
  } finally {
    if ("release" in lock) await lock.release();
  }
}

/** Another vigie owns the base topic of this configuration. */
interface Taken {
  config: Config;
  owner: Owner;
}

function describeTaken({ config: { mqtt, tariff }, owner }: Taken): string {
  return `The base topic ${mqtt.base_topic} has another owner: ${nameOwner(owner, systemClock.now(), tariff.time_zone)}. Start with --take-over to replace it, or give each vigie a mqtt.base_topic of its own`;
}

function describeWaiting({ mqtt, tariff }: Config, owner: SilentOwner): string {
  const name = nameOwner(owner, systemClock.now(), tariff.time_zone);
  return `The base topic ${mqtt.base_topic} has another owner, which does not answer: ${name}. vigie waits, and takes the base topic when the other one has been silent for ${describeLength(mqtt.grace)} (mqtt.grace)`;
}

/** A name for this start. The daemon saves it before it is published: the next start then recognises the owner topic as its own. */
export function createIdentity(store: Store, clock: Clock, { takeOver = false } = {}): Identity {
  const { installation, incarnation: previousIncarnation, yielded_to } = store.state();
  return {
    installation,
    incarnation: inventId(Math.random),
    previousIncarnation,
    yieldedTo: takeOver ? undefined : yielded_to?.installation,
    host: hostname(),
    version: VERSION,
    since: clock.now(),
  };
}

interface WatchOptions extends RunOptions {
  log: Log;
  problemLog: ProblemLog;
  store: Store;
  identity: Identity;
  isAfterCrash: boolean;
  secrets: string[];
}

/** Until it is stopped: null; or until another vigie owns the base topic. */
async function watchDays(loaded: LoadedConfig, options: WatchOptions): Promise<Taken | null> {
  const { io, log, problemLog, output } = options;
  const { config } = loaded;
  let taken = null as Taken | null;
  const yielded = new AbortController();
  const ended = AbortSignal.any([io.signal, yielded.signal]);
  const systemd = createSystemdNotifier({ env: io.env, clock: systemClock, problemLog });
  const health = reportHealth(await healthPath(config.state, io.env), { problemLog, systemd });
  const polled = settleable();
  const failed = settleable();
  let whyNotBegun = "vigie asks who owns the base topic";
  const tellSilentOwner = () => {
    const owner = daemon.silentOwner();
    const why = owner && describeWaiting(daemon.status()?.config ?? config, owner);
    if (!why || why === whyNotBegun) return;
    whyNotBegun = why;
    if (options.waiting) options.waiting(why);
    else log.warn(why);
  };
  const report = () => {
    tellSilentOwner();
    health.update(systemClock.now(), daemon);
  };
  const tellRefusal = createRefusalTeller();
  const views = serveViews({
    view: () => tellRefusal(daemon.view(), followed.current()),
    health: () => judgeDaemon(systemClock.now(), daemon) ?? { healthy: false, words: "vigie is starting" },
    log,
    problemLog,
  });
  const daemon = createDaemon({
    ...options,
    beforeBeginning: async () => {
      await options.beforeBeginning?.();
      logBeginning(loaded, log);
    },
    clock: systemClock,
    random: Math.random,
    embeddedPort: MQTT_PORT,
    longestSleep: Math.min(LONGEST_SLEEP, systemd.interval),
    beforePublishing: () => {
      report();
      return atMost(health.written(), SAVED_WITHIN);
    },
    sinks: [
      {
        name: "health",
        show: ({ sinceStart, broker: { other_owner } }) => {
          if (other_owner) {
            taken = { config: daemon.status()?.config ?? config, owner: other_owner };
            yielded.abort();
          }
          report();
          if (sinceStart.unpolled.length === 0) polled.settle();
          if (sinceStart.hasFailed) failed.settle();
        },
      },
      ...(options.sinks ?? []),
    ],
    wake: report,
  });
  const starting = daemon.start(config);
  // systemd has to hear of a vigie that waits for another one to be silent.
  await beatUntil(Promise.race([starting, aborted(io.signal)]), {
    every: Math.min(LONGEST_BEAT, systemd.interval),
    beat: () => {
      tellSilentOwner();
      systemd.report(() => whyNotBegun, false);
    },
  });
  const owner = io.signal.aborted ? null : await starting;
  if (owner) {
    await Promise.all([systemd.stopping(describeTaken({ config, owner })), daemon.stop()]);
    return { config, owner };
  }
  // Loading it must not delay a topic. Where no broker answers, there are none to wait for. A poll that fails tries again
  // for minutes: the page does not wait for its end.
  const opened = atMost(
    Promise.race([polled.promise, failed.promise]).then(daemon.published),
    LONGEST_WAIT_FOR_TOPICS,
  ).then(() => views.open(config));
  void Promise.all([polled.promise, opened])
    .then(() => showFirstLook({ daemon, health, views, io }))
    .then(output.release);
  const restart = async (next: Config) => {
    await daemon.start(next);
    await views.reopen(next);
  };
  const followed = followConfig(loaded, { ...options, restart });
  await aborted(ended);
  const left = systemd.stopping(taken ? describeTaken(taken) : undefined);
  await followed.stop();
  await Promise.all([views.stop(), daemon.stop()]);
  await Promise.all([health.written(), left]);
  if (io.signal.aborted) log.info("vigie has stopped");
  return io.signal.aborted ? null : taken;
}

function logBeginning({ config, file, warnings }: LoadedConfig, log: Log): void {
  for (const warning of warnings) log.warn(warning);
  const { service, official } = config;
  const source =
    service.base_url === "none"
      ? `official source ${official.source}, without a service`
      : `service ${service.base_url}`;
  log.info(`vigie ${VERSION} starts with the ${source}`, {
    config: file,
    state: config.state,
    rules: config.rules.length,
  });
}

interface Beats {
  /** Milliseconds. */
  every: number;
  beat: () => void;
}

async function beatUntil(end: Promise<unknown>, { every, beat }: Beats): Promise<void> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await atMost(over, every);
    if (!isOver) beat();
  }
}

interface FirstLookOptions {
  daemon: Daemon;
  health: HealthReport;
  views: ServedViews;
  io: Io;
}

/** The screen names the commands `show` and `health`: what they read is there before it. */
async function showFirstLook({ daemon, health, views, io }: FirstLookOptions): Promise<void> {
  await daemon.published();
  health.update(systemClock.now(), daemon);
  await health.written();
  io.stdout.write(describeFirstLook(daemon.status(), views.addresses()));
}

/** A suspend or a clock that was set is noticed this soon; each wake costs an idle machine CPU time. */
const LONGEST_SLEEP = 15_000;

/** Most starts are over by then. */
const LONGEST_BEAT = 5_000;

/** Milliseconds that a start, and a reload, waits for the disk. */
const SAVED_WITHIN = 2_000;

/** The views over HTTP are served this soon, also while the broker or the sources are silent. */
const LONGEST_WAIT_FOR_TOPICS = 3_000;

/** A start that takes longer than this has something to tell in its log. */
const LONGEST_WAIT_FOR_SCREEN = 15_000;
