import type { Instant } from "../calendar/tariff.ts";
import type { DayInAnswer } from "../contract/answer.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownForecast } from "./known-days.ts";
import { mergeRates } from "./learn-official.ts";

type Said = Pick<KnownForecast, "said_at" | "seen_at">;

/** A day as the forecasts endpoint says it. */
export function learnForecast(known: KnownDay, day: DayInAnswer, said: Said): KnownDay {
  const old = known.forecast;
  if (old && isOutdated(old, day, said)) return known;
  return replace(known, { ...wordsOf(day), ...said });
}

/**
 * A day as the date endpoint says it, not official. It knows no source and no explanation, and may say less than the
 * forecasts did: of the same colour what it leaves out stands, and where it has no colour it takes none away, nor is it
 * an update that an older forecast would have to give way to.
 */
export function learnDate(known: KnownDay, day: DayInAnswer, { said_at, seen_at }: Said): KnownDay {
  const old = known.forecast;
  const words = wordsOf(day);
  const said = { said_at: words.color === null ? null : said_at, seen_at };
  if (!old) return replace(known, { ...words, ...said, by_date: true });
  if (old.color !== words.color) {
    return words.color === null ? known : replace(known, { ...words, ...said, by_date: true });
  }
  const merged = {
    color: old.color,
    raw: words.raw ?? old.raw,
    confidence: words.confidence ?? old.confidence,
    source: words.source ?? old.source,
    explanation: words.explanation ?? old.explanation,
    rates: mergeRates(old.rates, words.rates),
  };
  return replace(known, { ...merged, ...said, said_at: newer(old.said_at, said.said_at), by_date: true });
}

/** Of a batch that ends in the words that were known before, nothing is news. */
export function settleForecast(before: KnownForecast | undefined, after: KnownForecast): KnownForecast {
  return before && sameWords(before, after) ? before : after;
}

/**
 * Whether what the forecasts say is older than what is known. Of the same update, or of unknown age, the later counts;
 * only that a date answer's word stands for a while, or else two endpoints that differ would take turns at every poll.
 * Where it had no colour and the forecasts have one, there is nothing to stand.
 */
function isOutdated(old: KnownForecast, day: DayInAnswer, said: Said): boolean {
  if (old.said_at !== null && said.said_at !== null && old.said_at !== said.said_at) {
    return said.said_at < old.said_at;
  }
  if (old.color === null && day.color !== null) return false;
  return old.by_date === true && said.seen_at - old.seen_at < DATE_ANSWER_STANDS;
}

function replace(known: KnownDay, forecast: KnownForecast): KnownDay {
  return known.forecast && sameWords(known.forecast, forecast) ? known : { ...known, forecast };
}

function sameWords(one: KnownForecast, other: KnownForecast): boolean {
  return isEqual(wordsOf(one), wordsOf(other));
}

function wordsOf({ color, raw, confidence, source, explanation, rates }: DayInAnswer | KnownForecast) {
  return { color, raw, confidence, source, explanation, rates };
}

function newer(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

/** Longer than the forecasts take to be updated. */
const DATE_ANSWER_STANDS = 2 * 3_600_000;
