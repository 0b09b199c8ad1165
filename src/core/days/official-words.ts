import { addDays, civilDate, tariffDate, wallInstant } from "../calendar/dates.ts";
import {
  type Color,
  fillIn,
  type Instant,
  type IsoDate,
  type Rates,
  type Tariff,
} from "../calendar/tariff.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownDays, OfficialWord, RteWord } from "./known-days.ts";
import { isDearer, officialColor } from "./official-color.ts";

/** When a source made an answer, as it tells it, and when vigie received it. */
export interface WordTimes {
  made_at: Instant;
  /** Before `now` if only the source's own clock says that it is so late. */
  seen_at: Instant;
  now: Instant;
}

/** An official colour of the service's date or history endpoint. */
export function learnServiceWord(
  known: KnownDay,
  { date, color, rates }: { date: IsoDate; color: Color; rates: Rates },
  times: WordTimes,
  tariff: Tariff,
): KnownDay {
  const old = known.service_word;
  const word = currentWord(old, { date, color }, times, tariff);
  if (word.color !== color) return known;
  // A rate that an answer gave stays known when a later answer leaves it out.
  const given = old?.color === color ? fillIn(rates, old.rates) : rates;
  return withWord(known, { service_word: { ...word, rates: given } }, isOver(date, times, tariff));
}

/** An official colour that RTE names. */
export function learnRteWord(
  known: KnownDay,
  said: { date: IsoDate; color: Color },
  times: WordTimes,
  tariff: Tariff,
): KnownDay {
  const rte_word = currentWord(known.rte_word, said, times, tariff);
  return withWord(known, { rte_word }, isOver(said.date, times, tariff));
}

/**
 * RTE's answer names the day before this one, and not this one. At or after 11:30 of the day before, RTE has decided the colour of a
 * day, so one that it does not name then was taken back. What RTE has confirmed stays.
 */
export function learnNotNamed(known: KnownDay, date: IsoDate, times: WordTimes, tariff: Tariff): KnownDay {
  const word = known.rte_word;
  const certain = certainTime(times);
  const decidedAt = endOfCorrections(date, tariff);
  if (!word || word.confirmed || certain < Math.max(word.first_said, decidedAt)) return known;
  return withWord(known, { rte_word: { ...word, no_longer_named: true } }, isOver(date, times, tariff));
}

/** The words of RTE among the known days. */
export function rteWordsOf({ days }: KnownDays): Record<IsoDate, RteWord> {
  const words: Record<IsoDate, RteWord> = {};
  for (const [date, { rte_word }] of Object.entries(days)) if (rte_word) words[date] = rte_word;
  return words;
}

/** The known days with these words of RTE. */
export function withRteWords(known: KnownDays, words: Record<IsoDate, RteWord>): KnownDays {
  const days = { ...known.days };
  for (const [date, rte_word] of Object.entries(words)) days[date] = { ...days[date], rte_word };
  // By date, so that equal content is written alike.
  return {
    ...known,
    days: Object.fromEntries(Object.entries(days).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** The known days as the service alone makes them. */
export function withoutRteWords(known: KnownDays): KnownDays {
  const days: KnownDays["days"] = {};
  for (const [date, day] of Object.entries(known.days)) {
    const ofService = day.rte_word ? withoutRteWord(day) : day;
    if (Object.keys(ofService).length > 0) days[date] = ofService;
  }
  return { ...known, days };
}

function withoutRteWord({ rte_word: _, ...day }: KnownDay): KnownDay {
  return day;
}

/** The known days without a correction; the same object if there is none. */
export function withoutRevisions(known: KnownDays): KnownDays {
  const days = { ...known.days };
  const revised = Object.entries(days).filter(([, day]) => day.revised_from !== undefined);
  for (const [date, { revised_from: _, ...day }] of revised) days[date] = day;
  return revised.length === 0 ? known : { ...known, days };
}

/**
 * What a source says after an answer: its latest word. Only another colour replaces a word, and only a later answer. If
 * only the source's own clock says that it is later, because this machine's clock is behind, it has to be a dearer colour.
 */
function currentWord(
  old: OfficialWord | undefined,
  { date, color }: { date: IsoDate; color: Color },
  times: WordTimes,
  tariff: Tariff,
): OfficialWord {
  const { made_at, now } = times;
  const certain = certainTime(times);
  const confirmed = isBeyondCorrection(date, certain, tariff);
  if (old?.color === color)
    return old.confirmed || !confirmed ? old : { color, first_said: old.first_said, confirmed };
  const isReplayed = now - certain > FRESH;
  const last = old && isReplayed ? lastSaid(old, date, tariff) : null;
  if (!old || last === null || certain >= last) return { color, first_said: certain, confirmed };
  const replaces = made_at >= last && isDearer(color, old.color);
  return replaces ? { color, first_said: last, confirmed: old.confirmed } : old;
}

/** The clock of a source may be ahead: an answer of 10:36 that says 11:31 confirms nothing. */
export function certainTime({ made_at, seen_at, now }: WordTimes): Instant {
  return Math.min(made_at, seen_at, now);
}

function isOver(date: IsoDate, { now }: WordTimes, tariff: Tariff): boolean {
  return date < tariffDate(now, tariff);
}

/** From 11:30 of the day before on, a colour is no longer corrected. It has been as late as 11:15. */
function isBeyondCorrection(date: IsoDate, made_at: Instant, tariff: Tariff): boolean {
  // For the past days of a year of history this is quicker than zone arithmetic.
  if (date <= civilDate(made_at, tariff.time_zone)) return true;
  return made_at >= endOfCorrections(date, tariff);
}

/** From then on a colour is no longer corrected. */
export function endOfCorrections(date: IsoDate, tariff: Tariff): Instant {
  return wallInstant(addDays(date, -1), "11:30", tariff.time_zone);
}

/** The source said it at this instant, or later. */
function lastSaid({ first_said, confirmed }: OfficialWord, date: IsoDate, tariff: Tariff): Instant {
  return confirmed ? Math.max(first_said, endOfCorrections(date, tariff)) : first_said;
}

/** The same object if the word is not new. */
function withWord(
  known: KnownDay,
  word: Pick<KnownDay, "service_word" | "rte_word">,
  isDayOver: boolean,
): KnownDay {
  const day: KnownDay = { ...known, ...word };
  if (isEqual(day, known)) return known;
  const before = officialColor(known, isDayOver)?.color;
  return before === undefined || before === officialColor(day, isDayOver)?.color
    ? day
    : { ...day, revised_from: before };
}

/** An answer that a cache kept is older than this. Of others the one received later counts, also after the clock was set. */
const FRESH = 60_000;
