import type { Clocks } from "../calendar/clocks.ts";
import type { Instant } from "../calendar/tariff.ts";
import { type KnownDays, newestInstant } from "../days/known-days.ts";
import {
  ANSWER_TOLERANCE,
  type AnswerTime,
  agreedThen,
  checkBehind,
  checkClock,
  hasJumped,
  isRecent,
  SAME_TIME,
  timeBy,
  wasBehind,
} from "./check-clock.ts";
import type { FactsInput } from "./facts.ts";
import type { SourceId } from "./source-record.ts";

/** What the sources said of the time in their answers. Plain data. */
export interface SourceClocks {
  /** The last answer of each source that named a time. */
  latest: Readonly<Partial<Record<SourceId, AnswerTime>>>;
  /**
   * The answer with the latest time of the last two hours: a cache that replays an old one may keep its `Date`. It is not one
   * that was far ahead, and no more one that the answers after it do not follow: all of them would look old beside it.
   */
  furthest: Readonly<Partial<Record<SourceId, AnswerTime>>>;
  /**
   * The last answer that contradicts this machine's clock alone: the answer of this source before it agreed, and this clock was
   * not set since. A cache may have replayed it. It counts when the next answer goes on from it.
   */
  doubted: Readonly<Partial<Record<SourceId, AnswerTime>>>;
  /** The last answer that agreed with this machine's clock, which is not less right because a source goes wrong later. */
  agreed: Readonly<Partial<Record<SourceId, AnswerTime>>>;
  /** The `Date` of the last two answers, as it stood there: whatever a cache does, the source's clock showed it then, or later. */
  sent: Readonly<Partial<Record<SourceId, readonly AnswerTime[]>>>;
}

export const NO_SOURCE_CLOCKS: SourceClocks = {
  latest: {},
  furthest: {},
  doubted: {},
  agreed: {},
  sent: {},
};

/** `auto`: one source is asked, or both are on one host. */
export type ClockCheck = "auto" | "two hosts" | "off";

/** `date`: the source's clock when it answered; null if it does not say. `sent`: its `Date` as it stands there. */
export function noteTime(
  known: SourceClocks,
  source: SourceId,
  { date, sent }: { date: Instant | null; sent: Instant | null },
  { now, steady }: Clocks,
): SourceClocks {
  const clocks = sent === null ? known : noteSent(known, source, { date: sent, now, steady });
  if (date === null) return clocks;
  const answer = { date, now, steady };
  const [before, last] = [clocks.furthest[source], clocks.latest[source]];
  const { [source]: doubtedBefore, ...others } = clocks.doubted;
  if (isAlone(answer, last) && !(doubtedBefore && goesOn(doubtedBefore, answer)))
    return { ...clocks, doubted: { ...others, [source]: answer } };
  const latest = { ...clocks.latest, [source]: answer };
  const agrees = agreedThen(answer) && !wasBehind(answer);
  const agreed = agrees ? { ...clocks.agreed, [source]: answer } : clocks.agreed;
  const noted = { ...clocks, latest, agreed, doubted: others };
  if (date - seenAt(noted, source, date, { now, steady }) > ANSWER_TOLERANCE) return noted;
  const isReplayed = before && isRecent(before, steady) && timeBy(before, steady) > date;
  if (isReplayed && !(last && follows(last, answer))) return noted;
  return { ...noted, furthest: { ...clocks.furthest, [source]: answer } };
}

function noteSent(clocks: SourceClocks, source: SourceId, answer: AnswerTime): SourceClocks {
  const lastTwo = [...(clocks.sent[source]?.slice(-1) ?? []), answer];
  return { ...clocks, sent: { ...clocks.sent, [source]: lastTwo } };
}

/** Whether it contradicts this machine's clock, which the answer before it agreed with, and which was not set since. */
function isAlone(answer: AnswerTime, last: AnswerTime | undefined): boolean {
  return last !== undefined && agreedThen(last) && !agreedThen(answer) && !hasJumped(last, answer);
}

/**
 * When the answer came, at the latest: this machine's clock or the other source has to say so. One clock alone dates
 * nothing: of RTE's answer of 06:40 that says 11:40, nothing would be confirmed before 11:30.
 */
export function seenAt(
  { latest }: SourceClocks,
  source: SourceId,
  trueTime: Instant,
  { now, steady }: Clocks,
): Instant {
  const others = Object.entries(latest).filter(([name]) => name !== source);
  const times = others.map(([, answer]) => timeBy(answer, steady));
  return Math.min(trueTime, Math.max(now, ...times));
}

/** When the answer that came last was made, as its source tells it. It tells the order of the source's answers. */
export function madeAt(
  { furthest }: SourceClocks,
  source: SourceId,
  times: { made_at: Instant | null; trueTime: Instant },
  { steady }: Clocks,
): Instant {
  const { made_at, trueTime } = times;
  const reference = furthest[source];
  if (made_at === null) return trueTime;
  if (!reference) return Math.min(made_at, trueTime);
  // This clock may be behind that of the source: an answer of 10:00 that comes at 10:40 is 40 minutes old, also if this
  // clock shows 10:05 then.
  const age = timeBy(reference, steady) - made_at;
  return Math.min(made_at, trueTime - age);
}

/** The best guess of what time it is, by the sources and by the instants that are known to have passed. */
export function tellTime(
  clocks: SourceClocks,
  days: KnownDays,
  check: ClockCheck,
  { now, steady }: Clocks,
): FactsInput["clock"] {
  if (check === "off") return { at: now, right: true };
  const answers = [...Object.values(clocks.latest), ...Object.values(clocks.furthest)];
  const checked = checkClock(now, steady, { answers, newest: newestInstant(days) });
  if (!checked.right) return answers.length > 0 ? checked : { ...checked, at_least: true };
  return checkBehind(Object.values(clocks.sent), { now, steady }, { areApart: check === "two hosts" });
}

/** Whether a source has agreed with this machine's clock, which was not set since. */
export function isAgreedWith({ agreed }: SourceClocks, at: Clocks): boolean {
  return Object.values(agreed).some((answer) => !hasJumped(answer, at));
}

/**
 * Milliseconds from this machine's clock to the true time, as a source told it; 0 if the clock counts as right. The newest
 * known instant is no time to count by: it stands still until a source answers.
 */
export function clockBehind({ latest }: SourceClocks, trueTime: Instant, { now }: Clocks): number {
  const isTold = Object.keys(latest).length > 0;
  return isTold ? trueTime - now : 0;
}

/** It goes on from the last one, and agrees with this machine's clock. */
function follows(last: AnswerTime, answer: AnswerTime): boolean {
  return goesOn(last, answer) && agreedThen(answer);
}

/** The source's clock went on between the two as this machine's did. A replayed `Date` stands still. */
function goesOn(last: AnswerTime, answer: AnswerTime): boolean {
  const isLater = answer.steady - last.steady > SAME_TIME;
  return isLater && Math.abs(timeBy(last, answer.steady) - answer.date) <= SAME_TIME;
}
