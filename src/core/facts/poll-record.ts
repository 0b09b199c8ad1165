import type { Instant } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { type KnownDays, newestInstant } from "../days/known-days.ts";
import type { PollRecord } from "./facts.ts";

/** How a round went: what failed, in sentences, and how much was answered. Nothing of either: the budget was spent. */
export interface PollOutcome {
  failures: string[];
  answers: number;
}

export function startRecord(now: Instant, knownDays: KnownDays, simulated: boolean): PollRecord {
  const last = newestInstant(knownDays);
  return {
    started_at: now,
    last_success: last,
    shown_success: last,
    shown_update: knownDays.updated_at,
    failure: null,
    simulated,
  };
}

export interface Learned {
  answer: Answer;
  at: Instant;
  before: KnownDays;
  after: KnownDays;
}

/** That all is well, and that the service says the same once more, is shown seldom, and beside other news. */
export function recordAnswer(polls: PollRecord, { answer, at, before, after }: Learned): PollRecord {
  const isBesideNews = before.days !== after.days || before.seasons !== after.seasons;
  return {
    ...polls,
    ...(isOfDaysAhead(answer) && recordSuccess(polls, at, isBesideNews)),
    shown_update: isBesideNews || isUpdateOld(polls, after) ? after.updated_at : polls.shown_update,
  };
}

/** Where nothing was asked, as the budget was spent, nothing is known either. */
export function recordOutcome(polls: PollRecord, { answers, failures }: PollOutcome): PollRecord {
  return answers + failures.length > 0 ? { ...polls, failure: failures[0] ?? null } : polls;
}

/** What of two records the topics show; a success more moves only the instant from which the service is down. */
export function isShownAlike(one: PollRecord, other: PollRecord): boolean {
  const isAlike = (name: keyof PollRecord) => one[name] === other[name];
  return isAlike("shown_success") && isAlike("shown_update") && isAlike("failure");
}

/** What `last_success` and `down` are about. */
function isOfDaysAhead(answer: Answer): boolean {
  return answer.kind === "forecasts" || answer.kind === "date";
}

function recordSuccess(polls: PollRecord, now: Instant, isBesideNews: boolean): Partial<PollRecord> {
  const { shown_success: shown } = polls;
  // What an earlier life saw last is no measure for this one.
  const age = shown === null || shown < polls.started_at ? Number.POSITIVE_INFINITY : Math.abs(now - shown);
  const stale = polls.failure !== null || age >= (isBesideNews ? SHOWN_BESIDE_NEWS : SHOWN_AT_LEAST);
  return { last_success: now, shown_success: stale ? now : shown };
}

function isUpdateOld({ shown_update: shown }: PollRecord, { updated_at }: KnownDays): boolean {
  return (updated_at ?? 0) - (shown ?? 0) >= SHOWN_AT_LEAST;
}

const HOUR = 3_600_000;
const SHOWN_BESIDE_NEWS = 3 * HOUR;
const SHOWN_AT_LEAST = 4 * HOUR;
