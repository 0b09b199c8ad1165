import type { Instant } from "../calendar/tariff.ts";
import type { Daemon } from "../daemon.ts";
import { describeDiskError } from "../runtime/disk-words.ts";
import type { Health } from "../runtime/health.ts";
import { healthPath, writeHealth } from "../runtime/health-file.ts";
import type { Trouble } from "../runtime/trouble.ts";

export interface HealthReport {
  /** The loop is alive; written every 30 s, and at once when the broker is reached, lost or elsewhere. */
  beat: (now: Instant, daemon: Daemon) => void;
  stop: () => Promise<void>;
}

/** Writes how the loop is, for `vigie health` and for whoever looks for the embedded broker. */
export function reportHealth(instance: string, env: NodeJS.ProcessEnv, trouble: Trouble): HealthReport {
  const path = healthPath(instance, env);
  let written: Health | null = null;
  let writing = Promise.resolve();
  const write = async (health: Health) => {
    try {
      await writeHealth(path, health);
      trouble.ends("health", "The health file can be written again");
    } catch (error) {
      trouble.begins("health", `The health file ${path} cannot be written: ${describeDiskError(error)}`);
    }
  };
  return {
    beat: (now, daemon) => {
      const health = healthOf(now, daemon);
      if (!health || (written && !isDue(health, written))) return;
      written = health;
      writing = writing.then(() => write(health));
    },
    stop: () => writing,
  };
}

function isDue({ at, broker }: Health, written: Health): boolean {
  return Math.abs(at - written.at) >= EVERY || JSON.stringify(broker) !== JSON.stringify(written.broker);
}

function healthOf(at: Instant, { lookout, parts }: Daemon): Health | null {
  const facts = lookout()?.facts();
  const { publisher, broker } = parts;
  if (!facts || !publisher) return null;
  const { service, dated } = facts;
  const newest = dated.forecast.days.findLast(({ color }) => color !== null)?.date ?? null;
  const { connected, url } = publisher.it.state();
  return {
    at,
    pid: process.pid,
    broker: { connected, url, port: broker?.it?.port ?? null },
    data: { last_success: service.last_success, newest },
  };
}

const EVERY = 30_000;
