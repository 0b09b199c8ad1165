import type { Instant } from "../core/calendar/tariff.ts";
import { describeDuration } from "../runtime/duration.ts";
import { valueAt } from "../runtime/value-at.ts";

/** What the running vigie writes about itself at least every 30 s, for `vigie health` and `vigie show`. */
export interface Health {
  at: Instant;
  pid: number;
  broker: {
    connected: boolean;
    url: string;
    /** Where the embedded broker listens. */
    port: number | null;
  };
  data: {
    last_success: Instant | null;
    /** The last date whose colour is known. */
    newest: string | null;
    /** The days come from the simulator. */
    invented: boolean;
  };
}

/** What the health file holds, and whether the process that wrote it still runs. */
export interface FoundHealth {
  health: Health;
  running: boolean;
}

interface HealthResult {
  healthy: boolean;
  loop: Finding;
  broker: Finding;
  data: Finding;
}

interface Finding {
  ok: boolean;
  words: string;
}

/** Checked by hand: `vigie health` runs every 30 s for years, and loading zod would take longer than all the rest. */
export function isHealth(value: unknown): value is Health {
  const at = (...path: string[]) => valueAt(value, path);
  const pid = at("pid");
  const isNullOr = (isRight: (part: unknown) => boolean, part: unknown) => part === null || isRight(part);
  return (
    Number.isFinite(at("at")) &&
    Number.isInteger(pid) &&
    Number(pid) > 0 &&
    typeof at("broker", "connected") === "boolean" &&
    typeof at("broker", "url") === "string" &&
    isNullOr(Number.isInteger, at("broker", "port")) &&
    isNullOr(Number.isFinite, at("data", "last_success")) &&
    isNullOr((part) => typeof part === "string", at("data", "newest")) &&
    typeof at("data", "invented") === "boolean"
  );
}

/**
 * Judges loop, broker and data. Old data is reported but not unhealthy: then the service is down, what is on the broker
 * is still right, and a restart of vigie would not help.
 */
export function judgeHealth(found: FoundHealth | null, now: Instant): HealthResult {
  const loop = judgeLoop(found, now);
  const broker = found && loop.ok ? judgeBroker(found.health) : NOT_JUDGED;
  const data = found && loop.ok ? judgeData(found.health, now) : NOT_JUDGED;
  return { healthy: loop.ok && broker.ok, loop, broker, data };
}

export function describeHealth({ loop, broker, data }: HealthResult): string {
  return `loop ${loop.words}; broker ${broker.words}; data ${data.words}`;
}

const NOT_JUDGED: Finding = { ok: false, words: "unknown" };

function judgeLoop(found: FoundHealth | null, now: Instant): Finding {
  if (!found) return { ok: false, words: "not found: no vigie has written its health file here" };
  const { at, pid } = found.health;
  if (!found.running) return { ok: false, words: `dead: its process ${pid} has ended` };
  const age = now - at;
  if (Math.abs(age) <= DEAD_AFTER) return { ok: true, words: "alive" };
  const words =
    age > 0
      ? `dead: its last report is ${describeDuration(age)} old`
      : `dead: its last report is ${describeDuration(-age)} in the future, so the clock was set back`;
  return { ok: false, words };
}

function judgeBroker({ broker }: Health): Finding {
  return broker.connected
    ? { ok: true, words: `reached at ${broker.url}` }
    : { ok: false, words: `not reached at ${broker.url}` };
}

function judgeData({ data }: Health, now: Instant): Finding {
  if (data.last_success === null) return { ok: false, words: "missing: the service has not answered yet" };
  const age = describeDuration(now - data.last_success);
  const reach = data.newest === null ? "" : `, days known until ${data.newest}`;
  return now - data.last_success > OLD_AFTER
    ? { ok: false, words: `old: the service last answered ${age} ago${reach}` }
    : { ok: true, words: `${data.invented ? "invented" : "fresh"}: the service answered ${age} ago${reach}` };
}

const DEAD_AFTER = 90_000;
const OLD_AFTER = 3 * 3_600_000;
