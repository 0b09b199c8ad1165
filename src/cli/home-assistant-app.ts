import { type AppConfiguration, openAppConfiguration } from "../app/app-configuration.ts";
import { askSupervisor } from "../app/ask-supervisor.ts";
import { createProblemLog } from "../app/create-problem-log.ts";
import type { Sink } from "../app/loop-state.ts";
import { serveViews } from "../app/serve-views.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import { type ReadFile, readFingerprint } from "../config/read-text.ts";
import { splitGroup } from "../config/settings.ts";
import { watchConfig } from "../config/watch-files.ts";
import { wallTime } from "../core/calendar/dates.ts";
import { systemClock } from "../runtime/clock.ts";
import { createLog, holdOutput, type Log, openOutput } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { ReloadSignal } from "../runtime/reload-signal.ts";
import { aborted, sleep } from "../runtime/wait.ts";
import { sentencesOf, toExitCode, Yielded } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { runVigie } from "./run.ts";
import { readArgs } from "./usage.ts";

/**
 * The daemon in the container of the Home Assistant app, until a signal ends it. It never ends by itself: the page in the sidebar
 * says what is wrong, and a container that has ended shows none.
 */
export function homeAssistantApp(args: string[], io: Io, reloadSignal: ReloadSignal): Promise<number> {
  return toExitCode("home-assistant-app", io, async () => {
    readArgs({ args, options: {} });
    const { env, cwd, signal } = io;
    const request = { env, cwd, signal };
    // What does not depend on the form: the folder of the state, the log, and where the page is.
    const form = splitGroup([], ASIDE_FROM_THE_FORM, { name: "home-assistant-app", path: [] });
    const { config } = await loadConfig({ ...request, form, places: [] });
    const output = holdOutput(openOutput(1), 0);
    output.release();
    const { time_zone } = config.tariff;
    const log = createLog({ ...config.log, wallTime: (at) => wallTime(at, time_zone) }, output);
    const problemLog = createProblemLog(log, systemClock);
    const configuration = await openAppConfiguration({
      folder: config.state,
      request,
      askSupervisor: () => askSupervisor(env, signal),
      log,
      problemLog,
      clock: systemClock,
    });
    const broker = followBroker(configuration, reloadSignal, signal);
    const problemPage = createProblemPage(config, { configuration, log, problemLog });
    await configuration.askBroker();
    const { load, file } = configuration;
    while (!signal.aborted) {
      const read = [{ path: file, fingerprint: await readFingerprint(file) }];
      try {
        await runVigie(await load(), {
          io,
          reloadSignal,
          load,
          output,
          takeOver: false,
          sinks: [broker.sink],
          beforeBeginning: problemPage.end,
          waiting: (why) => void problemPage.show([why]),
        });
      } catch (error) {
        const problems = sentencesOf(error);
        if (!problems || signal.aborted) throw error;
        await problemPage.show(problems, {
          prefix: error instanceof ConfigError ? "Configuration: " : "",
          isSaid: error instanceof Yielded && error.isSaid,
        });
        await changeOf(read, signal);
      }
    }
    await Promise.all([problemPage.end(), broker.ended]);
  });
}

const ASIDE_FROM_THE_FORM = {
  service: { base_url: "none" },
  official: { source: "rte" },
  mqtt: { url: "mqtt://core-mosquitto" },
};

/** While vigie is not connected, it is the Supervisor who knows of another broker or another password. */
function followBroker(configuration: AppConfiguration, reloadSignal: ReloadSignal, signal: AbortSignal) {
  let isAway = false;
  const follow = async () => {
    for (;;) {
      await sleep(BETWEEN_QUESTIONS, signal);
      if (isAway && (await configuration.askBroker())) reloadSignal.send();
    }
  };
  const sink: Sink = {
    name: "the broker of Home Assistant",
    show: ({ broker }) => {
      isAway = !broker.connected;
    },
  };
  return {
    sink,
    ended: follow().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  };
}

interface ProblemPageOptions {
  configuration: AppConfiguration;
  log: Log;
  problemLog: ProblemLog;
}

/** While nothing is in force: the log and the page say why, and /alive is answered. */
function createProblemPage(config: Config, { configuration, log, problemLog }: ProblemPageOptions) {
  let shown: { text: string; end: () => Promise<void> } | undefined;
  const end = async () => {
    await shown?.end();
    shown = undefined;
  };
  /** `isSaid`: the log has it already. */
  const show = async (problems: readonly string[], { prefix = "", isSaid = false } = {}) => {
    const text = problems.join("\n");
    if (shown?.text === text) return;
    await end();
    if (!isSaid) {
      for (const problem of problems) log.error(prefix + problem);
      log.warn("Nothing is in force, and nothing is published: only the page runs, until this is corrected");
    }
    const views = serveViews({
      view: () => undefined,
      nothingInForce: problems,
      health: () => ({ healthy: false, words: text }),
      log,
      problemLog,
    });
    shown = { text, end: views.stop };
    await views.open({ ...config, http: { ...config.http, language: configuration.language() } });
  };
  return { show, end };
}

/** Ends when the file has changed, or after a minute: another vigie may be gone by then, or a disk be right again. */
async function changeOf(read: readonly ReadFile[], signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const stop = watchConfig({ read, changed: () => over.abort() });
  const ended = AbortSignal.any([signal, over.signal]);
  await Promise.race([aborted(ended), sleep(BETWEEN_TRIES, ended).catch(() => undefined)]);
  over.abort();
  await stop();
}

const BETWEEN_QUESTIONS = 10_000;
const BETWEEN_TRIES = 60_000;
