import type { Instant } from "../calendar/tariff.ts";

/** What was seen of the true time, beside this machine's own clock. */
export interface ClockEvidence {
  /** The service's `Date` in its last answer, with both clocks of this machine at that moment. */
  answer: { date: Instant; now: Instant; steady: number } | null;
  /** The newest instant that is known to have passed, from the state file or from an answer. */
  newest: Instant | null;
}

/** The best guess of what time it is, and whether this machine's clock may be believed. */
export function checkClock(
  now: Instant,
  steady: number,
  evidence: ClockEvidence,
): { at: Instant; right: boolean } {
  const { answer, newest } = evidence;
  if (answer) {
    // Right at the last answer: a jump since then is a suspend or a correction, and the next answer tells more.
    if (Math.abs(answer.now - answer.date) <= ANSWER_TOLERANCE && !isBehind(now, newest)) {
      return { at: now, right: true };
    }
    const estimate = Math.round(answer.date + (steady - answer.steady));
    return Math.abs(now - estimate) <= ANSWER_TOLERANCE
      ? { at: now, right: true }
      : { at: estimate, right: false };
  }
  return newest !== null && isBehind(now, newest) ? { at: newest, right: false } : { at: now, right: true };
}

function isBehind(now: Instant, newest: Instant | null): boolean {
  return newest !== null && newest - now > NEWEST_TOLERANCE;
}

const ANSWER_TOLERANCE = 3_600_000;
const NEWEST_TOLERANCE = 300_000;
