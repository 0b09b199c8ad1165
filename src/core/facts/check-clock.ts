import type { Instant } from "../calendar/tariff.ts";

/** What vigie knows of the true time, apart from this machine's clock. */
export interface ClockEvidence {
  /** The `Date` header of the service's last answer, and both clocks of this machine when it came. */
  answer: { date: Instant; now: Instant; steady: number } | null;
  /** The newest instant that has certainly passed, from the state file or from an answer. */
  newest: Instant | null;
}

/** The best guess of what time it is, and whether this machine's clock is right. */
export function checkClock(
  now: Instant,
  steady: number,
  { answer, newest }: ClockEvidence,
): { at: Instant; right: boolean } {
  const isBehind = newest !== null && newest - now > NEWEST_TOLERANCE;
  if (!answer) return isBehind ? { at: newest, right: false } : { at: now, right: true };
  // A clock that was right at the last answer may have jumped since: the machine was suspended, or the clock was set.
  const wasRight = Math.abs(answer.now - answer.date) <= ANSWER_TOLERANCE;
  const estimate = Math.round(answer.date + (steady - answer.steady));
  const isRight = (wasRight && !isBehind) || Math.abs(now - estimate) <= ANSWER_TOLERANCE;
  return isRight ? { at: now, right: true } : { at: estimate, right: false };
}

const ANSWER_TOLERANCE = 3_600_000;
const NEWEST_TOLERANCE = 300_000;
