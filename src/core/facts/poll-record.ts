import type { Instant } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { type KnownDays, newestInstant } from "../days/known-days.ts";
import { withoutRteWords } from "../days/official-words.ts";
import type { ServiceKind, SourceRecord } from "./source-record.ts";

/** How one poll went. Neither an answer nor a failure: nothing was sent, as the day's requests are used up. */
export interface PollOutcome {
  /** Sentences. */
  failures: string[];
  answers: number;
}

/** What came of a poll in one word; `partly`: some requests were answered, others failed. */
export const POLL_RESULTS = ["answered", "partly", "failed", "not_sent"] as const;
export type PollResult = (typeof POLL_RESULTS)[number];

/** How many polls of each source had which result. */
export type PollCounts = Readonly<Record<"service" | "official", Readonly<Record<PollResult, number>>>>;

const NONE_YET = { answered: 0, partly: 0, failed: 0, not_sent: 0 };
export const NO_POLLS: PollCounts = { service: NONE_YET, official: NONE_YET };

export function countPoll(
  counts: PollCounts,
  source: keyof PollCounts,
  { answers, failures }: PollOutcome,
): PollCounts {
  const unanswered = failures.length > 0 ? "failed" : "not_sent";
  const answered = failures.length > 0 ? "partly" : "answered";
  const result = answers > 0 ? answered : unanswered;
  return { ...counts, [source]: { ...counts[source], [result]: counts[source][result] + 1 } };
}

/** `answered`: when this process had the last answer, before a reload; null where it has had none. */
export function startPollRecord(
  now: Instant,
  knownDays: KnownDays,
  kind: ServiceKind,
  answered: Instant | null = null,
): SourceRecord {
  const last = answered ?? newestInstant(withoutRteWords(knownDays));
  return {
    started_at: now,
    last_success: last,
    ...onlySaved(last, answered),
    shown_success: last,
    shown_update: knownDays.updated_at,
    failure: null,
    light: null,
    season: null,
    kind,
  };
}

export function onlySaved(last: Instant | null, answered: Instant | null): { only_saved?: true } {
  return last !== null && answered === null ? { only_saved: true } : {};
}

/** An answer, when it came, and what was known before and after it. */
interface LearntAnswer {
  answer: Answer;
  at: Instant;
  before: KnownDays;
  after: KnownDays;
}

/**
 * Another success and another `updated_at` with the same days are published every few hours only, or together with
 * days that changed: every message costs a write in the history of Home Assistant.
 */
export function recordAnswer(
  record: SourceRecord,
  { answer, at, before, after }: LearntAnswer,
): SourceRecord {
  const isNew = before.days !== after.days || before.seasons !== after.seasons;
  const isAboutDaysAhead = answer.kind === "forecasts" || answer.kind === "date";
  const isUpdateOld = (after.updated_at ?? 0) - (record.shown_update ?? 0) >= SHOWN_AT_LEAST_EVERY;
  const recorded = isAboutDaysAhead ? recordSuccess(record, at, isNew) : record;
  return { ...recorded, shown_update: isNew || isUpdateOld ? after.updated_at : record.shown_update };
}

/** Where nothing was sent, nothing is learnt of the service either. */
export function recordPollOutcome(record: SourceRecord, { answers, failures }: PollOutcome): SourceRecord {
  return answers + failures.length > 0 ? { ...record, failure: failures[0] ?? null } : record;
}

function recordSuccess(record: SourceRecord, now: Instant, isNew: boolean): SourceRecord {
  const { only_saved: _, ...known } = record;
  const { shown_success: shown } = record;
  // Show the first success after a start at once.
  const age = shown === null || shown < record.started_at ? Number.POSITIVE_INFINITY : Math.abs(now - shown);
  const isOld = age >= (isNew ? SHOWN_BESIDE_NEWS_EVERY : SHOWN_AT_LEAST_EVERY);
  return {
    ...known,
    last_success: now,
    shown_success: isOld || record.failure !== null ? now : shown,
    // A request that failed before the first answer ever was shown at once. Its poll may succeed.
    failure: record.last_success === null ? null : record.failure,
  };
}

const SHOWN_BESIDE_NEWS_EVERY = 3 * 3_600_000;
const SHOWN_AT_LEAST_EVERY = 4 * 3_600_000;
