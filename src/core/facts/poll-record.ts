import type { Instant } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { type KnownDays, newestInstant } from "../days/known-days.ts";
import { withoutRteWords } from "../days/official-words.ts";

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

/** Whether there is a service, or only the invented days of the simulator. */
export type ServiceKind = "real" | "invented" | "none";

/** How the polls went since the start or the last reload. Only the time of the last success comes from the state file. */
export interface PollRecord {
  /** When polling began: without a success since, the service counts as down from three hours after this. */
  started_at: Instant;
  last_success: Instant | null;
  /** `last_success` as published: it changes every few hours. */
  shown_success: Instant | null;
  /** The service's `updated_at` as published: it changes together with the days, else every few hours. */
  shown_update: Instant | null;
  /** The failure of the last poll in one sentence; null after a success. Before the first answer ever also of a request. */
  failure: string | null;
  kind: ServiceKind;
}

export function startPollRecord(now: Instant, knownDays: KnownDays, kind: ServiceKind): PollRecord {
  const last = newestInstant(withoutRteWords(knownDays));
  return {
    started_at: now,
    last_success: last,
    shown_success: last,
    shown_update: knownDays.updated_at,
    failure: null,
    kind,
  };
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
export function recordAnswer(polls: PollRecord, { answer, at, before, after }: LearntAnswer): PollRecord {
  const isNew = before.days !== after.days || before.seasons !== after.seasons;
  const isAboutDaysAhead = answer.kind === "forecasts" || answer.kind === "date";
  const isUpdateOld = (after.updated_at ?? 0) - (polls.shown_update ?? 0) >= SHOWN_AT_LEAST_EVERY;
  const recorded = isAboutDaysAhead ? recordSuccess(polls, at, isNew) : polls;
  return { ...recorded, shown_update: isNew || isUpdateOld ? after.updated_at : polls.shown_update };
}

/** Where nothing was sent, nothing is learnt of the service either. */
export function recordPollOutcome(polls: PollRecord, { answers, failures }: PollOutcome): PollRecord {
  return answers + failures.length > 0 ? { ...polls, failure: failures[0] ?? null } : polls;
}

/** Whether two records are published alike. `last_success` is not: it only moves the instant of "down". */
export function isShownAlike(one: PollRecord, other: PollRecord): boolean {
  const isAlike = (name: keyof PollRecord) => one[name] === other[name];
  return isAlike("shown_success") && isAlike("shown_update") && isAlike("failure");
}

function recordSuccess(polls: PollRecord, now: Instant, isNew: boolean): PollRecord {
  const { shown_success: shown } = polls;
  // Show the first success after a start at once.
  const age = shown === null || shown < polls.started_at ? Number.POSITIVE_INFINITY : Math.abs(now - shown);
  const isOld = age >= (isNew ? SHOWN_BESIDE_NEWS_EVERY : SHOWN_AT_LEAST_EVERY);
  return {
    ...polls,
    last_success: now,
    shown_success: isOld || polls.failure !== null ? now : shown,
    // A request that failed before the first answer ever was shown at once. Its poll may succeed.
    failure: polls.last_success === null ? null : polls.failure,
  };
}

const SHOWN_BESIDE_NEWS_EVERY = 3 * 3_600_000;
const SHOWN_AT_LEAST_EVERY = 4 * 3_600_000;
