import type { Instant } from "../calendar/tariff.ts";

/** As the views, the metrics and the state file name the two sources. */
export const SOURCE_IDS = ["service", "official"] as const;
export type SourceId = (typeof SOURCE_IDS)[number];

/** How a source answers. The state file holds it: a restart changes nothing of it. */
export interface SourceRecord {
  /** The last answer about today or the days ahead; null: none yet. */
  answered_at: Instant | null;
  /** A request for today or the days ahead failed in the last poll, or before the first answer ever. */
  failing: Failing | null;
  /** The requests that are sent once a day and failed since their last answer. */
  failures: SeldomFailures;
}

export interface Failing {
  /** The first failure since a poll without one. */
  since: Instant;
  /** The last failure. */
  sentence: string;
}

/** What is asked once a day only. It tells nothing of today and the days ahead. */
export const SELDOM = ["season", "history"] as const;
export type Seldom = (typeof SELDOM)[number];

export function isSeldom(kind: string): kind is Seldom {
  return SELDOM.some((one) => one === kind);
}

/** When the last failure was, how many there were on its civil day, and what it was. */
export type SeldomFailures = Readonly<
  Partial<Record<Seldom, { at: Instant; count: number; sentence: string }>>
>;

export const NEVER_ASKED: SourceRecord = { answered_at: null, failing: null, failures: {} };

/** Without an answer nothing shows that a source is well. */
export function sourceStatus(record: SourceRecord, at: Instant): "ok" | "degraded" | "down" {
  const { answered_at, failing, failures } = record;
  if (failing) return isSilentFor(DOWN_AFTER, record, at) ? "down" : "degraded";
  const isOld = answered_at === null || at >= answered_at + OLD_AFTER;
  return isOld || Object.keys(failures).length > 0 ? "degraded" : "ok";
}

/** Whether a source that is only needed if the service fails has been silent for too long. */
export function isSilentForADay(record: SourceRecord, at: Instant): boolean {
  return isSilentFor(SILENT_AFTER, record, at);
}

/** When time alone changes the status, or makes the silence a problem. */
export function sourceBoundaries(record: SourceRecord | null, at: Instant): Instant[] {
  if (!record) return [];
  const { answered_at } = record;
  const silent = silentSince(record, at);
  if (silent !== null) return [silent + DOWN_AFTER, silent + SILENT_AFTER];
  return answered_at === null ? [] : [answered_at + OLD_AFTER];
}

/** The failure that is shown: that of today and tomorrow counts more. */
export function lastError({ failing, failures }: SourceRecord): string | null {
  return failing?.sentence ?? SELDOM.map((kind) => failures[kind]?.sentence).find(Boolean) ?? null;
}

/** In steps of four hours from an instant on (null: as the clock of UTC shows them), as it is published. Each message costs a write in the history of Home Assistant. */
export function roundDown(at: Instant, from: Instant | null): Instant {
  const first = from ?? 0;
  return first + Math.floor((at - first) / SHOWN_EVERY) * SHOWN_EVERY;
}

function isSilentFor(length: number, record: SourceRecord, at: Instant): boolean {
  const since = silentSince(record, at);
  return since !== null && at >= since + length;
}

/** Another request may be answered while one fails: then the source is not silent. An answer in the future came before the clock was set back. */
function silentSince({ failing, answered_at }: SourceRecord, at: Instant): Instant | null {
  if (!failing || answered_at === null || answered_at > at) return failing?.since ?? null;
  return Math.max(failing.since, answered_at);
}

const HOUR = 3_600_000;
const DOWN_AFTER = 3 * HOUR;
const SILENT_AFTER = 24 * HOUR;
/** Each day has an answer of each source. */
const OLD_AFTER = 36 * HOUR;
const SHOWN_EVERY = 4 * HOUR;
