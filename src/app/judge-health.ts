import type { Instant } from "../core/calendar/tariff.ts";
import { describeDuration } from "../runtime/duration.ts";
import { valueAt } from "../runtime/value-at.ts";

/** What the loop writes of itself every 30 s, for `vigie health` and `vigie show`. */
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
    /** The last date of which a colour is known. */
    newest: string | null;
    /** Nothing of it is an electricity tariff. */
    invented: boolean;
  };
}

/** A health file as found, and whether the process that wrote it is there. */
export interface FoundHealth {
  health: Health;
  running: boolean;
}

export interface Verdict {
  healthy: boolean;
  loop: Finding;
  broker: Finding;
  data: Finding;
}

export interface Finding {
  ok: boolean;
  words: string;
}

/** By hand: what is asked every 30 s, for years, loads no library to read one line. */
export function isHealth(value: unknown): value is Health {
  return SHAPE.every(([path, isRight]) => isRight(valueAt(value, path)));
}

/** Loop, broker and data, each told apart. */
export function judgeHealth(found: FoundHealth | null, now: Instant): Verdict {
  const loop = judgeLoop(found, now);
  const broker = found && loop.ok ? judgeBroker(found.health) : NOT_KNOWN;
  const data = found && loop.ok ? judgeData(found.health, now) : NOT_KNOWN;
  const healthy = { loop, broker, data };
  return { healthy: NEEDED.every((part) => healthy[part].ok), ...healthy };
}

export function describeHealth({ loop, broker, data }: Verdict): string {
  return `loop ${loop.words}; broker ${broker.words}; data ${data.words}`;
}

/**
 * What must be right for exit code 0. Old data is told but is no illness: the service is down, what is on the broker is
 * still true, and no restart would help.
 */
const NEEDED = ["loop", "broker"] as const;

const NOT_KNOWN: Finding = { ok: false, words: "not known" };

function judgeLoop(found: FoundHealth | null, now: Instant): Finding {
  if (!found) return { ok: false, words: "not found: no vigie has written its health here" };
  const { at, pid } = found.health;
  if (!found.running) return { ok: false, words: `dead: process ${pid} is gone` };
  // A clock that was set back makes it look as if it were of the future: the next beat puts that right.
  const age = Math.abs(now - at);
  if (age > DEAD_AFTER) return { ok: false, words: `dead: silent for ${describeDuration(age)}` };
  return { ok: true, words: "alive" };
}

function judgeBroker({ broker }: Health): Finding {
  return broker.connected
    ? { ok: true, words: `reached at ${broker.url}` }
    : { ok: false, words: `not reached at ${broker.url}` };
}

function judgeData({ data }: Health, now: Instant): Finding {
  if (data.last_success === null) return { ok: false, words: "missing: the service has not answered yet" };
  const age = describeDuration(now - data.last_success);
  const reach = data.newest === null ? "" : `, days known to ${data.newest}`;
  return now - data.last_success > STALE_AFTER
    ? { ok: false, words: `old: the service last answered ${age} ago${reach}` }
    : { ok: true, words: `${data.invented ? "invented" : "fresh"}: the service answered ${age} ago${reach}` };
}

const DEAD_AFTER = 90_000;
const STALE_AFTER = 3 * 3_600_000;

const isTime = (value: unknown) => Number.isFinite(value);
const isTruth = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";
const orNone = (isRight: (value: unknown) => boolean) => (value: unknown) => value === null || isRight(value);
const SHAPE: readonly [path: string[], isRight: (value: unknown) => boolean][] = [
  [["at"], isTime],
  [["pid"], (value) => Number.isInteger(value) && Number(value) > 0],
  [["broker", "connected"], isTruth],
  [["broker", "url"], isText],
  [["broker", "port"], orNone(Number.isInteger)],
  [["data", "last_success"], orNone(isTime)],
  [["data", "newest"], orNone(isText)],
  [["data", "invented"], isTruth],
];
