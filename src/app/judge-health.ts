import type { Instant } from "../core/calendar/tariff.ts";
import { describeDuration } from "../core/log/duration.ts";
import { valueAt } from "../runtime/value-at.ts";

/** What the running vigie writes about itself at least every 30 s, for `vigie health` and `vigie show`. */
export interface Health {
  at: Instant;
  pid: number;
  /** An error of vigie itself keeps a part of it from working; left out by versions that did not know. */
  failed?: boolean;
  broker: {
    connected: boolean;
    url: string;
    /** Only if it is away for longer than a restart of it takes. */
    away_since?: Instant;
    /** Where the embedded broker listens. */
    port: number | null;
  };
  data: {
    /** When the service last answered, and when the official source did. */
    last_success: Instant | null;
    official_success: Instant | null;
    /** The official source was asked for today and tomorrow since then, and did not answer. */
    official_fails?: boolean;
    /** Those of which no poll has ended since the start: their instant is that of the state file, or later. */
    saved?: readonly string[];
    /** The last date whose colour is known. */
    newest: string | null;
    /** Whether there is a service, or only the invented days of the simulator. */
    service: "real" | "invented" | "none";
  };
  /** Only while this machine's clock is wrong: the true time then, or (`at_least`) an instant that has passed. */
  wrong_clock?: { true_time: Instant; at_least: boolean };
  /** Only while the state cannot be saved: why. */
  unsaved?: string;
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
  clock: Finding;
  disk: Finding;
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
    isInstant(at("at")) &&
    Number.isInteger(pid) &&
    Number(pid) > 0 &&
    ["boolean", "undefined"].includes(typeof at("failed")) &&
    typeof at("broker", "connected") === "boolean" &&
    typeof at("broker", "url") === "string" &&
    isNullOr(Number.isInteger, at("broker", "port")) &&
    isNullOr(isInstant, at("broker", "away_since") ?? null) &&
    isNullOr(isInstant, at("data", "last_success")) &&
    isNullOr(isInstant, at("data", "official_success")) &&
    ["boolean", "undefined"].includes(typeof at("data", "official_fails")) &&
    (at("data", "saved") === undefined || Array.isArray(at("data", "saved"))) &&
    isNullOr((part) => typeof part === "string", at("data", "newest")) &&
    typeof at("data", "service") === "string" &&
    (at("wrong_clock") === undefined || isInstant(at("wrong_clock", "true_time"))) &&
    ["undefined", "string"].includes(typeof at("unsaved"))
  );
}

/** One of which a date can be told. */
function isInstant(value: unknown): boolean {
  return Number.isFinite(value) && Math.abs(Number(value)) <= FURTHEST;
}

/**
 * Judges loop, broker and data. An error of vigie itself is unhealthy, although all else goes on. Old data is reported but
 * not unhealthy: then the service is down, what is on the broker is still right, and a restart of vigie would not help. A
 * state that cannot be saved is not either: a restart would lose it. A wrong clock is: each rule is unknown then.
 */
export function judgeHealth(found: FoundHealth | null, now: Instant): HealthResult {
  const loop = judgeLoop(found, now);
  const broker = found && loop.ok ? judgeBroker(found.health) : NOT_JUDGED;
  const data = found && loop.ok ? judgeData(found.health, now) : NOT_JUDGED;
  const clock = found && loop.ok ? judgeClock(found.health, now) : NOTHING_WRONG;
  const disk = found && loop.ok ? judgeDisk(found.health) : NOTHING_WRONG;
  const healthy = loop.ok && broker.ok && clock.ok && !found?.health.failed;
  return { healthy, loop, broker, data, clock, disk };
}

/** Clock and disk are named if something is wrong with them. */
export function describeHealth({ loop, broker, data, clock, disk }: HealthResult): string {
  const wrong = [clock, disk].filter(({ ok }) => !ok).map(({ words }) => `; ${words}`);
  return `vigie ${loop.words}; broker ${broker.words}; data ${data.words}${wrong.join("")}`;
}

const NOT_JUDGED: Finding = { ok: false, words: "unknown" };
const NOTHING_WRONG: Finding = { ok: true, words: "" };

function judgeLoop(found: FoundHealth | null, now: Instant): Finding {
  if (!found)
    return {
      ok: false,
      words: "does not run here, or with another state folder: there is no health file of it",
    };
  const { at, pid, failed } = found.health;
  if (!found.running) return { ok: false, words: `does not run: its process ${pid} has ended` };
  const age = now - at;
  if (Math.abs(age) <= DEAD_AFTER) return { ok: true, words: failed ? RUNS_WITH_ERROR : "runs" };
  const words =
    age > 0
      ? `hangs: its last report is ${describeDuration(age)} old`
      : `hangs: its last report is ${describeDuration(-age)} in the future, so the clock was set back`;
  return { ok: false, words };
}

function judgeBroker({ broker }: Health): Finding {
  return broker.connected
    ? { ok: true, words: `reached at ${broker.url}` }
    : { ok: false, words: `not reached at ${broker.url}` };
}

/** Instants are UTC: the time zone of the tariff is not known here. */
function judgeClock(health: Health, now: Instant): Finding {
  const { wrong_clock: wrong } = health;
  if (!wrong) return NOTHING_WRONG;
  const utc = (at: Instant) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const truth = wrong.at_least
    ? `it is ${utc(wrong.true_time)} or later`
    : `by the sources it is ${utc(trueTime(health, now))}`;
  return {
    ok: false,
    words: `clock wrong: this machine shows ${utc(now)}, and ${truth}. Set it (timedatectl says whether NTP does that)`,
  };
}

function judgeDisk({ unsaved }: Health): Finding {
  return unsaved === undefined
    ? NOTHING_WRONG
    : { ok: false, words: `state not saved in ${unsaved}. A restart would lose what is new` };
}

function trueTime({ at, wrong_clock }: Health, now: Instant): Instant {
  return wrong_clock ? wrong_clock.true_time + (now - at) : now;
}

function judgeData(health: Health, machineTime: Instant): Finding {
  const { data } = health;
  const now = trueTime(health, machineTime);
  const since = (source: string) =>
    data.saved?.includes(source) ? " or later, but not since the start" : "";
  const service = {
    name: "the service",
    at: data.last_success,
    oldAfter: OLD_AFTER,
    since: since("service"),
  };
  const official = {
    name: "the official source",
    at: data.official_success,
    oldAfter: data.official_fails ? OLD_AFTER : OFFICIAL_OLD_AFTER,
    since: since("official"),
  };
  const sources = data.service === "none" ? [official] : [service, official];
  const reach = data.newest === null ? "" : `, days known until ${data.newest}`;
  const fresh = sources.find(({ at, oldAfter }) => at !== null && now - at <= oldAfter);
  if (fresh) {
    const word = data.service === "invented" ? "invented" : "fresh";
    return {
      ok: true,
      words: `${word}: ${fresh.name} answered ${ageOf(fresh.at, now)} ago${fresh.since}${reach}`,
    };
  }
  const latest = sources.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))[0];
  if (!latest || latest.at === null) {
    return { ok: false, words: `missing: ${sources[0]?.name} has not answered yet` };
  }
  return {
    ok: false,
    words: `old: ${latest.name} last answered ${ageOf(latest.at, now)} ago${latest.since}${reach}`,
  };
}

function ageOf(at: Instant | null, now: Instant): string {
  return describeDuration(now - (at ?? now));
}

const RUNS_WITH_ERROR = "runs, but an error of vigie itself keeps a part of it from working: see its log";
const FURTHEST = 8e15;
const DEAD_AFTER = 90_000;
const OLD_AFTER = 3 * 3_600_000;
/** It is not asked from 18:00 to 05:50 once tomorrow is confirmed. */
const OFFICIAL_OLD_AFTER = 13 * 3_600_000;
