import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { describeDuration } from "./duration.ts";

const instant = z.number();

/** What the loop writes of itself every 30 s, for `vigie health` and `vigie show`. */
export const healthSchema = z.object({
  at: instant,
  pid: z.int().positive(),
  broker: z.object({
    connected: z.boolean(),
    url: z.string(),
    /** Where the embedded broker listens. */
    port: z.int().nullable(),
  }),
  data: z.object({
    last_success: instant.nullable(),
    /** The last date of which a colour is known. */
    newest: z.string().nullable(),
  }),
});

export type Health = z.output<typeof healthSchema>;

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
    : { ok: true, words: `fresh: the service answered ${age} ago${reach}` };
}

const DEAD_AFTER = 90_000;
const STALE_AFTER = 3 * 3_600_000;
