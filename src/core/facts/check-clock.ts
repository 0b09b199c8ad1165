import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";

/** What vigie knows of the true time, apart from this machine's clock. */
export interface ClockEvidence {
  /** Answers that named the time of their source: of each source the last one, and the one with the latest time. */
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
 * The best guess of what time it is, and whether this machine's clock is right. It is right if one source agrees with it: if two
 * sources disagree, it decides between them.
 */
export function checkClock(
  now: Instant,
  steady: number,
  { answers, newest }: ClockEvidence,
): { at: Instant; right: boolean } {
  const isBehind = newest !== null && newest - now > NEWEST_TOLERANCE;
  // A source that names a time before the newest instant is wrong, unless this machine says the same as it.
  const isCredible = (answer: AnswerTime) => timeBy(answer, steady) >= (newest ?? 0) - ANSWER_TOLERANCE;
  const counting = countingAnswers(answers, now, steady);
  const credible = counting.filter(isCredible);
  const [latest, ...others] = credible.length > 0 || !isBehind ? credible : counting;
  if (!latest) return isBehind ? { at: newest, right: false } : { at: now, right: true };
  // It is trusted also if it jumped since, until the next answer: the machine was suspended, or the clock was set.
  const agrees = (answer: AnswerTime) =>
    (agreedThen(answer) && !isBehind) || Math.abs(now - timeBy(answer, steady)) <= ANSWER_TOLERANCE;
  const isRight = [latest, ...others].some(agrees);
  return isRight ? { at: now, right: true } : { at: timeBy(latest, steady), right: false };
}

/**
 * By the last two answers of each source, whether this machine's clock is 5 minutes or more behind: one that is exactly an hour
 * behind agrees with each answer. Sources that share a clock, and one source alone, may be ahead: the clock is doubted then. It is
 * wrong if two sources agree within a minute in two answers each. One of them may have answered last a night ago.
 */
export function checkBehind(
  sources: readonly (readonly AnswerTime[])[],
  here: Clocks,
  { areApart }: { areApart: boolean },
): { at: Instant; right: boolean; doubted_by?: Instant } {
  const { now, steady } = here;
  const isBehind = (time: Instant) => time - now >= LEAST_BEHIND;
  const latest = sources.flatMap((answers) => answers.at(-1) ?? []);
  const isRight = latest.some((answer) => isRecent(answer, steady) && !isBehind(timeBy(answer, steady)));
  const told = sources.flatMap((answers) => timeOfTwo(answers, here) ?? []);
  const first = told.find(({ isRecent }) => isRecent);
  if (isRight || first === undefined) return { at: now, right: true };
  const others = told.filter((one) => one !== first);
  const agree = areApart && others.some(({ time }) => Math.abs(first.time - time) <= SAME_TIME);
  return agree ? { at: first.time, right: false } : { at: now, right: true, doubted_by: first.time };
}

/**
 * What two answers of one source say that it is now, if they agree within a minute. Old ones count as long as this machine's clock
 * was not set since: at night, RTE is rarely asked.
 */
function timeOfTwo(
  [one, other]: readonly AnswerTime[],
  here: Clocks,
): { time: Instant; isRecent: boolean } | null {
  if (!one || !other) return null;
  const time = timeBy(other, here.steady);
  if (Math.abs(timeBy(one, here.steady) - time) > SAME_TIME) return null;
  const areRecent = isRecent(one, here.steady);
  return areRecent || !hasJumped(one, here) ? { time, isRecent: areRecent } : null;
}

/** Those of the last two hours, but none from before this machine's clock jumped; else the last one. The latest first. */
function countingAnswers(answers: readonly AnswerTime[], now: Instant, steady: number): AnswerTime[] {
  const latestFirst = answers.toSorted((one, other) => other.steady - one.steady);
  const counting = latestFirst.filter((answer) => {
    return isRecent(answer, steady) && !hasJumped(answer, { now, steady });
  });
  return counting.length > 0 ? counting : latestFirst.slice(0, 1);
}

/** Whether this machine's clock agreed with that of the source when the answer came. */
export function agreedThen({ now, date }: AnswerTime): boolean {
  return Math.abs(now - date) <= ANSWER_TOLERANCE;
}

/** Whether this machine's clock was behind that of the source by 5 minutes or more when the answer came. */
export function wasBehind({ now, date }: AnswerTime): boolean {
  return date - now >= LEAST_BEHIND;
}

/** Whether this machine's clock was set since, or the machine was suspended. */
export function hasJumped(since: Clocks, { now, steady }: Clocks): boolean {
  return Math.abs(now - since.now - (steady - since.steady)) >= JUMP;
}

/** Less than two hours old. */
export function isRecent(answer: AnswerTime, steady: number): boolean {
  return steady - answer.steady < RECENT;
}

/** What the source's clock shows now. */
export function timeBy({ date, steady: then }: AnswerTime, steady: number): Instant {
  return Math.round(date + (steady - then));
}

/** A clock that differs less from that of a source agrees with it. */
export const ANSWER_TOLERANCE = 3_600_000;
/** Times that differ by no more are the same. */
export const SAME_TIME = 60_000;
const NEWEST_TOLERANCE = 300_000;
const LEAST_BEHIND = 300_000;
const RECENT = 2 * 3_600_000;
/** Less is a correction of the clock. */
const JUMP = 60_000;
