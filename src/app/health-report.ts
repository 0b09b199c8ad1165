import type { Instant } from "../core/calendar/tariff.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { SystemdNotifier } from "../runtime/systemd.ts";
import type { Daemon } from "./daemon.ts";
import { healthPath, writeHealth } from "./health-file.ts";
import { describeHealth, type Health, judgeHealth } from "./judge-health.ts";

export interface HealthReport {
  /** The loop is alive; written every 30 s, and at once when there is news of the broker or of the data. */
  beat: (now: Instant, daemon: Daemon) => void;
  /** When what was told so far is written. */
  written: () => Promise<void>;
}

/** Writes how the loop is, for `vigie health` and for whoever looks for the embedded broker; systemd hears the same. */
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
    beat: (now, daemon) => {
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

/** The file follows the instance. */
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

function healthOf(at: Instant, { lookout, parts, config }: Daemon, env: NodeJS.ProcessEnv): Written | null {
  const watching = lookout();
  const { publisher, broker } = parts;
  const instance = config()?.instance;
  if (!watching || !publisher || instance === undefined) return null;
  const { service, dated } = watching.facts();
  const newest = dated.forecast.days.findLast(({ color }) => color !== null)?.date ?? null;
  const { connected, url } = publisher.it.state();
  const health = {
    at,
    pid: process.pid,
    broker: { connected, url, port: broker?.it?.port ?? null },
    data: { last_success: watching.lastSuccess(), newest, invented: service.status === "simulated" },
  };
  return { path: healthPath(instance, env), health };
}

const EVERY = 30_000;
