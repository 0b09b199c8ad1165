import { civilDate } from "../calendar/dates.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";
import { type Pause, pauseLeft } from "./retry-after.ts";

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

/** vigie's own limit for each source, a sixth of the 60 a minute that the forecast service allows. */
export const PER_MINUTE = 10;
export const LONGEST_PAUSE_WAITED = 120_000;
const MINUTE = 60_000;

/** Each day begins with 0. After the clock was set back to an earlier day the count goes on from what it was. */
function spentToday(spent: SpentBudget, now: Instant): SpentBudget {
  const day = civilDate(now, "UTC");
  return day > spent.day ? { day, count: 0 } : { day, count: spent.count };
}
