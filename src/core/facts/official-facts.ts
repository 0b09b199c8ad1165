import type { Instant } from "../calendar/tariff.ts";
import type { OfficialFacts } from "./facts.ts";
import type { OfficialRecord } from "./official-record.ts";

/** Null: there is no official source. */
export function officialFacts(record: OfficialRecord | null, at: Instant): OfficialFacts {
  if (!record) return { status: "off", last_success: null, last_error: null };
  return {
    status: officialStatus(record, at),
    last_success: record.shown_success,
    last_error: record.failure,
  };
}

/** Whether a source that is only needed where the service fails has been silent for too long. */
export function isSilentForADay(record: OfficialRecord, at: Instant): boolean {
  return record.failing_since !== null && at >= silentFrom(record);
}

/** When time alone changes the status, or makes the silence a problem. */
export function officialBoundaries(record: OfficialRecord | null): Instant[] {
  if (!record || record.failing_since === null) return [];
  return [record.failing_since + DOWN_AFTER, silentFrom(record)];
}

function officialStatus(record: OfficialRecord, at: Instant): OfficialFacts["status"] {
  if (record.failing_since === null) return record.last_success === null ? "degraded" : "ok";
  return at >= record.failing_since + DOWN_AFTER ? "down" : "degraded";
}

/** Counted from the last success, which the state file keeps: restarts must not hide a source that died. */
function silentFrom({ last_success, started_at }: OfficialRecord): Instant {
  return (last_success ?? started_at) + SILENT_AFTER;
}

const HOUR = 3_600_000;
const DOWN_AFTER = 3 * HOUR;
const SILENT_AFTER = 24 * HOUR;
