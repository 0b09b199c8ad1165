import type { Instant } from "../core/calendar/tariff.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { SystemdNotifier } from "../runtime/systemd.ts";
import type { Daemon } from "./daemon.ts";
import { healthPath, writeHealth } from "./health-file.ts";
import { describeHealth, type Health, judgeHealth } from "./judge-health.ts";

export interface HealthReport {
  /** Written every 30 s, and at once when the broker or the data is in another state. */
  update: (now: Instant, daemon: Daemon) => void;
  /** When the last update is written. */
  written: () => Promise<void>;
}

/** Writes the state of the running program for `vigie health` and `vigie show`; systemd is told the same. */
export function reportHealth(
  env: NodeJS.ProcessEnv,
  { problemLog, systemd }: { problemLog: ProblemLog; systemd: SystemdNotifier },
): HealthReport {
  let written: Written | null = null;
  let writing = Promise.resolve();
  const write = async ({ path, health }: Written) => {
    try {
      await writeHealth(path, health);
      problemLog.isOver("health", "The health file can be written again");
    } catch (error) {
      problemLog.starts("health", `The health file ${path} cannot be written: ${describeDiskError(error)}`);
    }
  };
  return {
    update: (now, daemon) => {
      const next = healthOf(now, daemon, env);
      if (!next) return;
      const isNews = !written || differs(next, written);
      systemd.report(() => describeHealth(judgeHealth({ health: next.health, running: true }, now)), isNews);
      if (written && !isNews && Math.abs(now - written.health.at) < EVERY) return;
      written = next;
      writing = writing.then(() => write(next));
    },
    written: () => writing,
  };
}

/** The path depends on the instance. */
interface Written {
  path: string;
  health: Health;
}

function differs(next: Written, before: Written): boolean {
  return next.path !== before.path || tellsOf(next) !== tellsOf(before);
}

function tellsOf({ health: { broker, data } }: Written): string {
  return JSON.stringify([broker, data]);
}

function healthOf(at: Instant, { status }: Daemon, env: NodeJS.ProcessEnv): Written | null {
  const running = status();
  if (!running) return null;
  const { config, snapshot, lastSuccess, broker, embeddedPort } = running;
  const { dated } = snapshot.facts;
  const newest = dated.forecast.days.findLast(({ color }) => color !== null)?.date ?? null;
  const health = {
    at,
    pid: process.pid,
    broker: { connected: broker.connected, url: broker.url, port: embeddedPort },
    data: {
      last_success: lastSuccess.service,
      official_success: lastSuccess.official,
      newest,
      service: snapshot.known.polls.kind,
    },
  };
  return { path: healthPath(config.instance, env), health };
}

const EVERY = 30_000;
