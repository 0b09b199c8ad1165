import { civilDate } from "../core/calendar/dates.ts";
import type { Instant, IsoDate } from "../core/calendar/tariff.ts";

/** What was sent lately, and whether the service wants a rest. Plain data. */
export interface Politeness {
  /** When the tokens of the bucket were taken: each comes back a minute later. */
  taken: readonly Instant[];
  spent: Spent;
  pause: Pause | null;
}

/** Requests sent on a day (UTC). */
interface Spent {
  day: IsoDate;
  count: number;
}

/** After a 429: silence until then; `turns` counts the 429s in a row. */
interface Pause {
  until: Instant;
  turns: number;
}

export type Turn =
  | { kind: "go"; politeness: Politeness }
  | { kind: "wait"; milliseconds: number }
  /** The service wants a longer rest than is worth waiting for. */
  | { kind: "busy"; milliseconds: number }
  | { kind: "spent" };

/** Whether a request may go now; if so, with the token and the budget that it takes. */
export function takeTurn(before: Politeness, now: Instant, essential: boolean): Turn {
  const pause = pauseLeft(before.pause, now);
  if (pause > LONGEST_PAUSE_WAITED) return { kind: "busy", milliseconds: pause };
  if (pause > 0) return { kind: "wait", milliseconds: pause };
  const spent = spentToday(before.spent, now);
  if (spent.count >= DAILY_BUDGET && !essential) return { kind: "spent" };
  const taken = takenLately(before.taken, now);
  const [oldest] = taken;
  if (oldest !== undefined && taken.length >= BUCKET) {
    return { kind: "wait", milliseconds: oldest + BUCKET_PERIOD - now };
  }
  const after = { ...before, taken: [...taken, now], spent: { ...spent, count: spent.count + 1 } };
  return { kind: "go", politeness: after };
}

/** The budget without a request that never left this machine. */
export function unspend(spent: Spent): Spent {
  return { ...spent, count: Math.max(0, spent.count - 1) };
}

/** The pause that a 429 asks for; without a word, or when it repeats itself, it doubles. */
export function pauseAfter(before: Pause | null, retryAfter: number | null, now: Instant): Pause {
  const turns = (before?.turns ?? 0) + 1;
  const doubled = FIRST_PAUSE * 2 ** Math.min(turns - 1, 10);
  const wanted = retryAfter === null ? doubled : Math.max(retryAfter, turns > 1 ? doubled / 2 : 0);
  return { until: now + Math.min(wanted, LONGEST_PAUSE), turns };
}

/** vigie's own limit, a sixth of the service's 60 a minute. */
export const BUCKET = 10;
export const DAILY_BUDGET = 150;
export const LONGEST_PAUSE = 3_600_000;
/** A longer pause outlasts a poll: it is left to the next one. */
export const LONGEST_PAUSE_WAITED = 120_000;
const BUCKET_PERIOD = 60_000;
const FIRST_PAUSE = 60_000;

/** A pause that ends later than any could was noted by another clock: it is not believed. */
function pauseLeft(pause: Pause | null, now: Instant): number {
  if (pause === null) return 0;
  const left = pause.until - now;
  return left > LONGEST_PAUSE ? 0 : Math.max(0, left);
}

/** A new day starts anew; where the clock went back to an earlier one, the count goes on, so it neither locks nor resets. */
function spentToday(spent: Spent, now: Instant): Spent {
  const day = civilDate(now, "UTC");
  return day > spent.day ? { day, count: 0 } : { day, count: spent.count };
}

/** Tokens not back yet. One taken "later than now" (the clock went back) counts as taken now: it comes back in a minute. */
function takenLately(taken: readonly Instant[], now: Instant): Instant[] {
  return taken.map((at) => Math.min(at, now)).filter((at) => at + BUCKET_PERIOD > now);
}
