import type { Instant } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import { rteWordsOf } from "../days/official-words.ts";
import type { PollOutcome } from "./poll-record.ts";

/** How the requests to the official source went since the start or the last reload. */
export interface OfficialRecord {
  started_at: Instant;
  /** At the start the newest word of the state file. */
  last_success: Instant | null;
  /** `last_success` as published: it moves at most hourly. */
  shown_success: Instant | null;
  /** The first failure after the last success; null after a success. */
  failing_since: Instant | null;
  /** The last failure in one sentence; null after a success. */
  failure: string | null;
}

export function startOfficialRecord(now: Instant, knownDays: KnownDays): OfficialRecord {
  const said = Object.values(rteWordsOf(knownDays)).map(({ first_said }) => first_said);
  const last = said.length > 0 ? Math.max(...said) : null;
  return { started_at: now, last_success: last, shown_success: last, failing_since: null, failure: null };
}

export function recordOfficialSuccess(record: OfficialRecord, at: Instant): OfficialRecord {
  const { shown_success: shown, started_at, failure } = record;
  const isOld = shown === null || shown < started_at || Math.abs(at - shown) >= SHOWN_AT_MOST_EVERY;
  return {
    ...record,
    last_success: at,
    shown_success: isOld || failure !== null ? at : shown,
    failing_since: null,
    failure: null,
  };
}

/** Where nothing was sent, nothing is learnt of the source either. */
export function recordOfficialOutcome(
  record: OfficialRecord,
  { failures }: PollOutcome,
  at: Instant,
): OfficialRecord {
  const [failure] = failures;
  return failure === undefined ? record : { ...record, failing_since: record.failing_since ?? at, failure };
}

/** Whether two records are published alike. */
export function isOfficialShownAlike(one: OfficialRecord | null, other: OfficialRecord | null): boolean {
  return (
    one?.shown_success === other?.shown_success &&
    one?.failure === other?.failure &&
    one?.failing_since === other?.failing_since
  );
}

const SHOWN_AT_MOST_EVERY = 3_600_000;
