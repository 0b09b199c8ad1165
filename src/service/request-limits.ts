import { civilDate } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";
import { type Pause, pauseLeft } from "./retry-after.ts";
import { AnswerUnreadable, ServiceBusy, ServiceFailed, ServiceUnreachable } from "./service-errors.ts";

/** What was sent lately to a source, and a pause that it asked for. Plain data. */
export interface SentRequests {
  /** When requests were sent within the last minute. */
  recent: Instant[];
  spent: SpentBudget;
  pause: Pause | null;
}

/** Requests sent on a day (UTC). */
interface SpentBudget {
  day: IsoDate;
  count: number;
}

type Allowance =
  | { kind: "granted"; sent: SentRequests }
  | { kind: "wait"; milliseconds: number }
  /** The source asked for a longer pause than is waited for. */
  | { kind: "paused"; milliseconds: number }
  | { kind: "budget spent" };

/**
 * Whether a request may be sent now; if so, what was sent then includes it. `budget` is how many may be sent on a day. A
 * pause after a 429 is waited for if it is not longer than `longestPause`.
 */
export function requestAllowance(
  sent: SentRequests,
  now: Instant,
  budget: number,
  longestPause = LONGEST_PAUSE_WAITED,
): Allowance {
  const pause = pauseLeft(sent.pause, now);
  if (pause > longestPause) return { kind: "paused", milliseconds: pause };
  if (pause > 0) return { kind: "wait", milliseconds: pause };
  const spent = spentToday(sent.spent, now);
  if (isBudgetSpent(spent, now, budget)) return { kind: "budget spent" };
  // One in the future was sent by a process before this one, whose clock was set back since.
  const recent = sent.recent.filter((at) => at <= now && at + MINUTE > now);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= PER_MINUTE) {
    return { kind: "wait", milliseconds: oldest + MINUTE - now };
  }
  const count = spent.count + 1;
  return { kind: "granted", sent: { ...sent, recent: [...recent, now], spent: { ...spent, count } } };
}

/** Whether no more requests within this budget are sent until the next day (UTC). */
export function isBudgetSpent(spent: SpentBudget, now: Instant, budget: number): boolean {
  return spentToday(spent, now).count >= budget;
}

/** The budget after a request was counted that never left this machine. */
export function withoutOneRequest(spent: SpentBudget): SpentBudget {
  return { ...spent, count: Math.max(0, spent.count - 1) };
}

/**
 * How long to wait before a request is tried again; null where that is of no use. Exponential with full jitter, so that
 * many installations do not come back at once. `attempt` counts from 1, `random` is from 0 to 1.
 */
export function retryDelay(error: unknown, attempt: number, random: number): number | null {
  const delay = Math.round(random * Math.min(LONGEST_DELAY, FIRST_DELAY * 3 ** (attempt - 1)));
  if (error instanceof ServiceUnreachable || error instanceof ServiceFailed) return delay;
  if (error instanceof AnswerUnreadable) return error.cut ? delay : null;
  // The pause is kept by `requestAllowance`; one that is longer than a poll is left to the next poll.
  if (error instanceof ServiceBusy) return (error.retryAfter ?? 0) > LONGEST_PAUSE_WAITED ? null : 0;
  return null;
}

/** vigie's own limit for each source, a sixth of the 60 a minute that the forecast service allows. */
export const PER_MINUTE = 10;
export const LONGEST_PAUSE_WAITED = 120_000;
const MINUTE = 60_000;
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 300_000;

/** Each day begins with 0. After the clock was set back to an earlier day the count goes on from what it was. */
function spentToday(spent: SpentBudget, now: Instant): SpentBudget {
  const day = civilDate(now, "UTC");
  return day > spent.day ? { day, count: 0 } : { day, count: spent.count };
}
