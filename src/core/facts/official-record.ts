import type { Instant } from "../calendar/tariff.ts";
import type { OfficialRequest } from "../contract/answer.ts";
import type { KnownDays } from "../days/known-days.ts";
import { rteWordsOf } from "../days/official-words.ts";
import { onlySaved, type PollOutcome } from "./poll-record.ts";
import type { SourceRecord } from "./source-record.ts";

type Kind = OfficialRequest["kind"];

/** `failing_since` is what the state file holds of failures of before; `answered` as for the service. */
export function startOfficialRecord(
  now: Instant,
  knownDays: KnownDays,
  failing_since: Instant | null,
  answered: Instant | null = null,
): SourceRecord {
  const said = Object.values(rteWordsOf(knownDays)).map(({ first_said }) => first_said);
  const last = answered ?? (said.length > 0 ? Math.max(...said) : null);
  const light = failing_since === null ? null : { since: failing_since, failure: null };
  const success = { last_success: last, ...onlySaved(last, answered), shown_success: last };
  return {
    started_at: now,
    ...success,
    shown_update: null,
    failure: null,
    light,
    season: null,
    kind: "real",
  };
}

export function recordOfficialSuccess(record: SourceRecord, kind: Kind, at: Instant): SourceRecord {
  if (kind === "season") return { ...record, season: null };
  const { only_saved: _, ...known } = record;
  const { shown_success: shown, started_at } = record;
  const isOld = shown === null || shown < started_at || Math.abs(at - shown) >= SHOWN_AT_MOST_EVERY;
  const shown_success = isOld || record.light ? at : shown;
  return { ...known, last_success: at, shown_success, light: null };
}

/** Where nothing was sent, nothing is learnt of the source either. `missing` are those that were sent, and not answered. */
export function recordOfficialOutcome(
  record: SourceRecord,
  { failures: [failure] }: PollOutcome,
  missing: readonly Kind[],
  at: Instant,
): SourceRecord {
  if (failure === undefined) return record;
  const failing = missing.map((kind) => [kind, { since: record[kind]?.since ?? at, failure }]);
  return { ...record, ...Object.fromEntries(failing) };
}

/** The failure that is shown: that of today and tomorrow counts more. */
export function shownFailure({ light, season }: SourceRecord): string | null {
  return light?.failure ?? season?.failure ?? null;
}

const SHOWN_AT_MOST_EVERY = 3_600_000;
