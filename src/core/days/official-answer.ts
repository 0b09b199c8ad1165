import { addDays, civilDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { ColorOfDate, OfficialAnswer, WordInAnswer } from "../contract/answer.ts";

type Zone = Pick<Tariff, "time_zone">;

/** The words of an answer of RTE that count if it came at this instant. */
export function countingWords(answer: OfficialAnswer, now: Instant, zone: Zone): ColorOfDate[] {
  return wordsInTime(answer, now, zone).filter((word) => word.color !== null);
}

/** Sentences for the log: the words that would count if they were colours that the tariff allows. */
export function describeUnusable(answer: OfficialAnswer, now: Instant, zone: Zone): string[] {
  const sentences = wordsInTime(answer, now, zone).flatMap((word) => (word.color === null ? [word.why] : []));
  return sentences.slice(0, MOST_SENTENCES);
}

/** A season counts only for days that are over, as light names the others. Light counts also for days that an old answer names. */
function wordsInTime({ kind, words }: OfficialAnswer, now: Instant, { time_zone }: Zone): WordInAnswer[] {
  const today = civilDate(now, time_zone);
  if (kind === "season") return words.filter(({ date }) => date < today);
  const [first, last] = [addDays(today, -OLDEST_LIGHT), addDays(today, 1)];
  return words.filter(({ date }) => first <= date && date <= last);
}

/**
 * Why an answer of RTE that came at this instant is a failure, although its words count; null if it is none. One from a cache
 * may be a day old.
 */
export function whyFailure(answer: OfficialAnswer, now: Instant, zone: Zone): string | null {
  if (answer.kind === "season") return null;
  const today = civilDate(now, zone.time_zone);
  if (answer.words.some(({ date, color }) => date === today && color !== null)) return null;
  return `Expected a colour for today, ${today}, got ${describeDates(answer.words.map(({ date }) => date))}`;
}

export function describeDates(dates: readonly IsoDate[]): string {
  const sorted = dates.toSorted();
  return sorted.length === 0 ? "no dates" : `dates from ${sorted[0]} to ${sorted.at(-1)}`;
}

/** In days. What is older is another mistake than an old answer from a cache. */
const OLDEST_LIGHT = 7;

/** A source that sends a new value each time does not fill the log. */
const MOST_SENTENCES = 8;
