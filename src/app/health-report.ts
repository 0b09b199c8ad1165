import type { Instant } from "../core/calendar/tariff.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import type { SystemdNotifier } from "../runtime/systemd.ts";
import type { Daemon } from "./daemon.ts";
import { readHealth, writeHealth } from "./health-file.ts";
import { describeHealth, type Health, judgeHealth } from "./judge-health.ts";

export interface HealthReport {
  /** Written every 30 s, and at once when the broker or the data is in another state. */
  update: (now: Instant, daemon: Daemon) => void;
  /** When the last update is written. */
  written: () => Promise<void>;
}

/** Writes the state of the running program for `vigie health` and `vigie show`; systemd is told the same. */
export function reportHealth(
  path: string,
  { problemLog, systemd }: { problemLog: ProblemLog; systemd: SystemdNotifier },
): HealthReport {
  let written: Health | null = null;
  let writing = Promise.resolve();
  const write = async (health: Health) => {
    const other = await findOtherVigie(path, health);
    if (other !== null) {
      problemLog.starts("health", `The health file ${path} is in use by another vigie, process ${other}`);
      return;
    }
    try {
      await writeHealth(path, health);
      problemLog.isOver("health", "The health file can be written again");
    } catch (error) {
      problemLog.starts("health", `The health file ${path} cannot be written: ${describeDiskError(error)}`);
    }
  };
  return {
    update: (now, daemon) => {
      const next = healthOf(now, daemon);
      if (!next) return;
      const isNews = !written || comparedPart(next) !== comparedPart(written);
      systemd.report(() => describeHealth(judgeHealth({ health: next, running: true }, now)), isNews);
      if (written && !isNews && Math.abs(now - written.at) < EVERY) return;
      written = next;
      writing = writing.then(() => write(next));
    },
    written: () => writing,
  };
}

/**
 * The process id of another vigie that lives and writes this file, too: its report is not overwritten. That happens if
 * both got the same $RUNTIME_DIRECTORY, such as a second vigie that was started inside of the first one's container.
 */
async function findOtherVigie(path: string, { at, pid }: Health): Promise<number | null> {
  // A file that cannot be read does not keep vigie from writing it. If that fails, too, it is logged.
  const found = await readHealth(path).catch(() => null);
  if (!found || found.health.pid === pid) return null;
  return judgeHealth(found, at).loop.ok ? found.health.pid : null;
}

/** What `vigie health` would say; null before the first start. */
export function judgeDaemon(now: Instant, daemon: Daemon): { healthy: boolean; words: string } | null {
  const health = healthOf(now, daemon);
  if (!health) return null;
  const result = judgeHealth({ health, running: true }, now);
  return { healthy: result.healthy, words: describeHealth(result) };
}

/** If this is the same as before, nothing has changed: the instant is another one each time. */
function comparedPart({ failed, broker, data, wrong_clock, unsaved }: Health): string {
  return JSON.stringify([failed, broker, data, wrong_clock !== undefined, unsaved]);
}

function healthOf(at: Instant, { status }: Daemon): Health | null {
  const running = status();
  if (!running) return null;
  const { view, embeddedPort } = running;
  const { facts, factsInput, unsaved, broker, sinceStart } = view;
  const { dated } = facts;
  const { clock, service, official, isInvented } = factsInput;
  const newest = dated.forecast.days.findLast(({ color }) => color !== null)?.date ?? null;
  return {
    at,
    pid: process.pid,
    failed: factsInput.vigie_failed,
    broker: { ...broker, port: embeddedPort },
    data: {
      last_success: service?.answered_at ?? null,
      official_success: official?.answered_at ?? null,
      official_fails: official !== null && official.failing !== null,
      saved: sinceStart.unpolled,
      newest,
      service: isInvented ? "invented" : service ? "real" : "none",
    },
    ...(!clock.right && {
      wrong_clock: { true_time: clock.at + (at - view.at.now), at_least: clock.at_least ?? false },
    }),
    ...(unsaved !== undefined && { unsaved }),
  };
}

const EVERY = 30_000;
