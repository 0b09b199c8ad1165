import type { Instant } from "../core/calendar/tariff.ts";
import type { ServiceKind } from "../core/facts/poll-record.ts";
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
    /** When the service last answered, and when the official source did. */
    last_success: Instant | null;
    official_success: Instant | null;
    /** The last date whose colour is known. */
    newest: string | null;
    service: ServiceKind;
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
    isNullOr(Number.isFinite, at("data", "official_success")) &&
    isNullOr((part) => typeof part === "string", at("data", "newest")) &&
    typeof at("data", "service") === "string"
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
  const service = { name: "the service", at: data.last_success, oldAfter: OLD_AFTER };
  const official = { name: "the official source", at: data.official_success, oldAfter: OFFICIAL_OLD_AFTER };
  const sources = data.service === "none" ? [official] : [service, official];
  const reach = data.newest === null ? "" : `, days known until ${data.newest}`;
  const fresh = sources.find(({ at, oldAfter }) => at !== null && now - at <= oldAfter);
  if (fresh) {
    const word = data.service === "invented" ? "invented" : "fresh";
    return { ok: true, words: `${word}: ${fresh.name} answered ${ageOf(fresh.at, now)} ago${reach}` };
  }
  const latest = sources.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))[0];
  if (!latest || latest.at === null) {
    return { ok: false, words: `missing: ${sources[0]?.name} has not answered yet` };
  }
  return { ok: false, words: `old: ${latest.name} last answered ${ageOf(latest.at, now)} ago${reach}` };
}

function ageOf(at: Instant | null, now: Instant): string {
  return describeDuration(now - (at ?? now));
}

const DEAD_AFTER = 90_000;
const OLD_AFTER = 3 * 3_600_000;
/** It is not asked from 18:00 to 05:50 once tomorrow is confirmed. */
const OFFICIAL_OLD_AFTER = 13 * 3_600_000;
