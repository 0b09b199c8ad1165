import type { Instant } from "../calendar/tariff.ts";
import type { OfficialFacts } from "./facts.ts";
import { shownFailure } from "./official-record.ts";
import type { SourceRecord } from "./source-record.ts";

/** Null: there is no official source. */
export function officialFacts(record: SourceRecord | null, at: Instant): OfficialFacts {
  if (!record) return { status: "off", last_success: null, last_error: null };
  return {
    status: officialStatus(record, at),
    last_success: record.shown_success,
    last_error: shownFailure(record),
  };
}

/** Whether a source that is only needed where the service fails has been silent for too long. */
export function isSilentForADay({ light }: SourceRecord, at: Instant): boolean {
  return light !== null && at >= light.since + SILENT_AFTER;
}

/** When time alone changes the status, or makes the silence a problem. */
export function officialBoundaries(record: SourceRecord | null): Instant[] {
  if (!record) return [];
  const { light, last_success } = record;
  if (!light) return last_success === null ? [] : [last_success + OLD_AFTER];
  return [light.since + DOWN_AFTER, light.since + SILENT_AFTER];
}

function officialStatus({ light, season, last_success }: SourceRecord, at: Instant): OfficialFacts["status"] {
  if (light) return at >= light.since + DOWN_AFTER ? "down" : "degraded";
  const isOld = last_success === null || at >= last_success + OLD_AFTER;
  return season || isOld ? "degraded" : "ok";
}

const HOUR = 3_600_000;
const DOWN_AFTER = 3 * HOUR;
const SILENT_AFTER = 24 * HOUR;
/** At a start, until the first answer: each day brings a word, so a source that said none for so long shows no sign of life. */
const OLD_AFTER = 36 * HOUR;
