import type { Instant } from "../calendar/tariff.ts";

/** What vigie knows of the true time, apart from this machine's clock. */
export interface ClockEvidence {
  /** The last answer of each source that named its time. */
  answers: readonly AnswerTime[];
  /** The newest instant that has certainly passed, from the state file or from an answer. */
  newest: Instant | null;
}

/** The time that a source named in an answer, and both clocks of this machine when the answer came. */
export interface AnswerTime {
  date: Instant;
  now: Instant;
  steady: number;
}

/**
 * The best guess of what time it is, and whether this machine's clock is right. It is where one source agrees with it: if two
 * sources disagree, it decides between them.
 */
export function checkClock(
  now: Instant,
  steady: number,
  { answers, newest }: ClockEvidence,
): { at: Instant; right: boolean } {
  const isBehind = newest !== null && newest - now > NEWEST_TOLERANCE;
  const [latest, ...others] = countingAnswers(answers, steady, newest);
  if (!latest) return isBehind ? { at: newest, right: false } : { at: now, right: true };
  const agrees = (answer: AnswerTime) => {
    // A clock that was right at the last answer may have jumped since: the machine was suspended, or the clock was set.
    const wasRight = Math.abs(answer.now - answer.date) <= ANSWER_TOLERANCE;
    return (wasRight && !isBehind) || Math.abs(now - timeBy(answer, steady)) <= ANSWER_TOLERANCE;
  };
  const isRight = [latest, ...others].some(agrees);
  return isRight ? { at: now, right: true } : { at: timeBy(latest, steady), right: false };
}

/**
 * The latest first. Of two answers an old one does not count, nor one whose time is before the newest instant, unless the same
 * is true of both.
 */
function countingAnswers(
  answers: readonly AnswerTime[],
  steady: number,
  newest: Instant | null,
): readonly AnswerTime[] {
  if (answers.length < 2) return answers;
  const latestFirst = answers.toSorted((one, other) => other.steady - one.steady);
  const recent = latestFirst.filter((answer) => steady - answer.steady < RECENT);
  if (recent.length < 2) return latestFirst.slice(0, 1);
  const credible = recent.filter((answer) => timeBy(answer, steady) >= (newest ?? 0) - ANSWER_TOLERANCE);
  return credible.length > 0 ? credible : recent;
}

function timeBy({ date, steady: then }: AnswerTime, steady: number): Instant {
  return Math.round(date + (steady - then));
}

const ANSWER_TOLERANCE = 3_600_000;
const NEWEST_TOLERANCE = 300_000;
const RECENT = 2 * 3_600_000;
