import { hostname } from "node:os";
import { createProblemLog } from "../app/create-problem-log.ts";
import { createDaemon, type Daemon } from "../app/daemon.ts";
import { healthPath } from "../app/health-file.ts";
import { type HealthReport, judgeDaemon, reportHealth } from "../app/health-report.ts";
import { followConfig } from "../app/reload.ts";
import type { Sink } from "../app/run-loop.ts";
import { type ServedViews, serveViews } from "../app/serve-views.ts";
import { createRefusalTeller } from "../app/tell-refusal.ts";
import type { Config } from "../config/config.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { wallTime } from "../core/calendar/dates.ts";
import type { Owner } from "../core/topics/topic.ts";
import { MQTT_PORT } from "../mqtt/broker-address.ts";
import { type Identity, nameOwner } from "../mqtt/owner.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { createLog, type HeldOutput, holdOutput, type Log, openOutput } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { inventId } from "../runtime/random-id.ts";
import { optimizeCode } from "../runtime/small-heap.ts";
import { createSystemdNotifier } from "../runtime/systemd.ts";
import { VERSION } from "../runtime/version.ts";
import { aborted, atMost } from "../runtime/wait.ts";
import { recoverState } from "../state/state.ts";
import { openStore, type Store } from "../state/store.ts";
import { toExitCode, Yielded } from "./exit-code.ts";
import { describeFirstLook } from "./first-look.ts";
import type { Io } from "./io.ts";
import { folderTaken, takeFolder } from "./take-folder.ts";
import { readArgs } from "./usage.ts";

/** The daemon, until a signal ends it or another vigie owns its base topic. */
export function run(args: string[], io: Io): Promise<number> {
  return toExitCode("run", io, async () => {
    const options = { "take-over": { type: "boolean" }, config: { type: "string" } } as const;
    const { values } = readArgs({ args, options });
    const load = () => loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const loaded = await load();
    const output = holdOutput(openOutput(1), LONGEST_WAIT_FOR_SCREEN);
    if (!output.terminal || !isFirstLook(loaded.config)) output.release();
    try {
      await runVigie(loaded, { io, load, output, takeOver: values["take-over"] ?? false });
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
  load: () => Promise<LoadedConfig>;
  /** Of the log. */
  output: HeldOutput;
  takeOver: boolean;
  /** Show each view, too. */
  sinks?: readonly Sink[];
}

/** One vigie for each state folder: on one host that is found out before any broker is asked. */
export async function runVigie(loaded: LoadedConfig, options: RunOptions): Promise<void> {
  const { config, warnings } = loaded;
  const secrets = [config.mqtt.password ?? ""];
  const { time_zone } = config.tariff;
  const log = createLog(
    { ...config.log, secrets, wallTime: (at) => wallTime(at, time_zone) },
    options.output,
  );
  for (const warning of warnings) log.warn(warning);
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
    const identity = await createIdentity(store, systemClock);
    distrustUnsaved(store, log);
    await watchDays(loaded, { ...options, log, problemLog, store, identity, isAfterCrash, secrets });
  } finally {
    if ("release" in lock) await lock.release();
  }
}

function baseTaken({ mqtt, tariff }: Config, owner: Owner): string {
  return `The base topic ${mqtt.base_topic} has another owner: ${nameOwner(owner, systemClock.now(), tariff.time_zone)}. Start with --take-over to replace it, or give each vigie a mqtt.base_topic of its own`;
}

/** A name for this start, saved before it is published: the next start then recognises the owner topic as its own. */
export async function createIdentity(store: Store, clock: Clock): Promise<Identity> {
  const { ended_in_order: _, ...state } = store.state();
  const { installation, incarnation: previousIncarnation } = state;
  const incarnation = inventId(Math.random);
  // A disk that hangs must not keep vigie from starting on a rouge day.
  await atMost(store.save({ ...state, incarnation }), SAVED_WITHIN);
  const host = hostname();
  return { installation, incarnation, previousIncarnation, host, version: VERSION, since: clock.now() };
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

interface WatchOptions extends RunOptions {
  log: Log;
  problemLog: ProblemLog;
  store: Store;
  identity: Identity;
  isAfterCrash: boolean;
  secrets: string[];
}

async function watchDays(loaded: LoadedConfig, options: WatchOptions): Promise<void> {
  const { io, log, problemLog, output } = options;
  const { config, file } = loaded;
  const yielded = new AbortController();
  const ended = AbortSignal.any([io.signal, yielded.signal]);
  const systemd = createSystemdNotifier({ env: io.env, clock: systemClock, problemLog });
  const health = reportHealth(await healthPath(config.state, io.env), { problemLog, systemd });
  let settlePolled: () => void = () => undefined;
  const polled = new Promise<void>((resolve) => {
    settlePolled = resolve;
  });
  let settleFailed: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => {
    settleFailed = resolve;
  });
  const report = () => health.update(systemClock.now(), daemon);
  const tellRefusal = createRefusalTeller();
  const views = serveViews({
    view: () => tellRefusal(daemon.view(), followed.current()),
    health: () => judgeDaemon(systemClock.now(), daemon) ?? { healthy: false, words: "vigie is starting" },
    optimizeCode,
    log,
    problemLog,
  });
  const daemon = createDaemon({
    ...options,
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
          if (other_owner)
            yielded.abort(new Yielded(baseTaken(daemon.status()?.config ?? config, other_owner)));
          report();
          if (sinceStart.isPolled) settlePolled();
          if (sinceStart.hasFailed) settleFailed();
        },
      },
      ...(options.sinks ?? []),
    ],
    wake: report,
  });
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
  await daemon.start(config);
  // Loading it must not delay a topic. Where no broker answers, there are none to wait for. A poll that fails tries again
  // for minutes: the page does not wait for its end.
  const opened = atMost(Promise.race([polled, failed]).then(daemon.published), LONGEST_WAIT_FOR_TOPICS).then(
    () => views.open(config),
  );
  void Promise.all([polled, opened])
    .then(() => showFirstLook({ daemon, health, views, io }))
    .then(output.release);
  const restart = async (next: Config) => {
    await daemon.start(next);
    await views.reopen(next);
  };
  const followed = followConfig(loaded, { ...options, restart });
  await aborted(ended);
  const left = systemd.stopping();
  await followed.stop();
  await Promise.all([views.stop(), daemon.stop()]);
  await Promise.all([health.written(), left]);
  if (!io.signal.aborted) throw yielded.signal.reason;
  log.info("vigie has stopped");
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

/** Milliseconds that a start, and a reload, waits for the disk. */
const SAVED_WITHIN = 2_000;

/** The views over HTTP are served this soon, also while the broker or the sources are silent. */
const LONGEST_WAIT_FOR_TOPICS = 3_000;

/** A start that takes longer than this has something to tell in its log. */
const LONGEST_WAIT_FOR_SCREEN = 15_000;
