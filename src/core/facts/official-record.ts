import type { Instant } from "../calendar/tariff.ts";
import type { OfficialRequest } from "../contract/answer.ts";
import type { KnownDays } from "../days/known-days.ts";
import { rteWordsOf } from "../days/official-words.ts";
import type { PollOutcome } from "./poll-record.ts";

/** How the requests to the official source went since the start or the last reload. */
export interface OfficialRecord {
  started_at: Instant;
  /** When today and tomorrow were last answered; at the start the newest word of the state file. */
  last_success: Instant | null;
  /** `last_success` as published: it moves at most hourly. */
  shown_success: Instant | null;
  /** The requests that fail: today and tomorrow, and the season; null after an answer. */
  light: Failing | null;
  season: Failing | null;
}

interface Failing {
  /** The first failure after the last answer. */
  since: Instant;
  /** The last failure in one sentence; null where it was before the start. */
  failure: string | null;
}

type Kind = OfficialRequest["kind"];

/** `failing_since` is what the state file holds of failures of before. */
export function startOfficialRecord(
  now: Instant,
  knownDays: KnownDays,
  failing_since: Instant | null,
): OfficialRecord {
  const said = Object.values(rteWordsOf(knownDays)).map(({ first_said }) => first_said);
  const last = said.length > 0 ? Math.max(...said) : null;
  const light = failing_since === null ? null : { since: failing_since, failure: null };
  return { started_at: now, last_success: last, shown_success: last, light, season: null };
}

export function recordOfficialSuccess(record: OfficialRecord, kind: Kind, at: Instant): OfficialRecord {
  if (kind === "season") return { ...record, season: null };
  const { shown_success: shown, started_at } = record;
  const isOld = shown === null || shown < started_at || Math.abs(at - shown) >= SHOWN_AT_MOST_EVERY;
  const shown_success = isOld || record.light ? at : shown;
  return { ...record, last_success: at, shown_success, light: null };
}

/** Where nothing was sent, nothing is learnt of the source either. `missing` are those that were sent, and not answered. */
export function recordOfficialOutcome(
  record: OfficialRecord,
  { failures: [failure] }: PollOutcome,
  missing: readonly Kind[],
  at: Instant,
): OfficialRecord {
  if (failure === undefined) return record;
  const failing = missing.map((kind) => [kind, { since: record[kind]?.since ?? at, failure }]);
  return { ...record, ...Object.fromEntries(failing) };
}

/** The failure that is shown: that of today and tomorrow counts more. */
export function shownFailure({ light, season }: OfficialRecord): string | null {
  return light?.failure ?? season?.failure ?? null;
}

/** Whether two records are published alike. */
export function isOfficialShownAlike(one: OfficialRecord | null, other: OfficialRecord | null): boolean {
  return (
    one?.shown_success === other?.shown_success &&
    (one && shownFailure(one)) === (other && shownFailure(other)) &&
    one?.light?.since === other?.light?.since &&
    one?.season?.since === other?.season?.since
  );
}

const SHOWN_AT_MOST_EVERY = 3_600_000;
