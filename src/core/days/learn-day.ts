import { fillIn, type Instant, type Tariff } from "../calendar/tariff.ts";
import type { DayInAnswer, HistoryDayInAnswer } from "../contract/answer.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownForecast } from "./known-days.ts";
import { learnServiceWord, type WordTimes } from "./official-words.ts";

/** When the service wrote a forecast, and when vigie received it. */
type ForecastTimes = Pick<KnownForecast, "said_at" | "seen_at">;

/** A day of the forecasts endpoint. */
export function learnForecast(known: KnownDay, day: DayInAnswer, times: ForecastTimes): KnownDay {
  const old = known.forecast;
  if (old && isOutdated(day, times, old)) return known;
  return withForecast(known, { ...contentOf(day), ...times });
}

/**
 * A day of the date endpoint that is not official. This endpoint has no source, no explanation and no `updated_at`: of
 * the same colour, what it leaves out stays as the forecasts endpoint gave it. An answer without a colour never
 * replaces one with a colour, and counts as older than every forecast.
 */
export function learnDateForecast(known: KnownDay, day: DayInAnswer, times: ForecastTimes): KnownDay {
  const old = known.forecast;
  const content = contentOf(day);
  const { seen_at } = times;
  const said_at = content.color === null ? null : times.said_at;
  if (old && old.color !== content.color && content.color === null) return known;
  if (!old || old.color !== content.color) {
    return withForecast(known, { ...content, said_at, seen_at, by_date: true });
  }
  return withForecast(known, {
    color: old.color,
    raw: content.raw ?? old.raw,
    confidence: content.confidence ?? old.confidence,
    source: content.source ?? old.source,
    explanation: content.explanation ?? old.explanation,
    rates: fillIn(content.rates, old.rates),
    said_at: newest(old.said_at, said_at),
    seen_at,
    by_date: true,
  });
}

/** A day of the history endpoint: an official colour, and what the service had predicted. */
export function learnHistoryDay(
  known: KnownDay,
  entry: HistoryDayInAnswer,
  times: WordTimes,
  tariff: Tariff,
): KnownDay {
  const { color, predicted_color, prediction_confidence } = entry;
  const day = color === null ? known : learnServiceWord(known, { ...entry, color }, times, tariff);
  if (predicted_color === null && prediction_confidence === null) return day;
  const prediction = { color: predicted_color, confidence: prediction_confidence };
  return isEqual(day.prediction, prediction) ? day : { ...day, prediction };
}

/**
 * Whether a day of the forecasts endpoint is older than what is known. Of two forecasts of the same or of unknown age,
 * the one received later counts. But what the date endpoint gave is kept for two hours: if the two endpoints differ,
 * the known colour must not change back and forth at every poll. A time after `seen_at` is no measure for that: the clock
 * was set back, or only the service's own clock is later.
 */
function isOutdated(day: DayInAnswer, { said_at, seen_at }: ForecastTimes, old: KnownForecast): boolean {
  if (old.said_at !== null && said_at !== null && old.said_at !== said_at) return said_at < old.said_at;
  if (old.color === null && day.color !== null) return false;
  const kept = seen_at - old.seen_at;
  return old.by_date === true && kept >= 0 && kept < DATE_ANSWER_KEPT;
}

/** The same object if only the times differ: the times are those of the first answer with this content. */
function withForecast(known: KnownDay, forecast: KnownForecast): KnownDay {
  const old = known.forecast;
  return old && isEqual(contentOf(old), contentOf(forecast)) ? known : { ...known, forecast };
}

function contentOf({ color, raw, confidence, source, explanation, rates }: DayInAnswer | KnownForecast) {
  return { color, raw, confidence, source, explanation, rates };
}

function newest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

/** Longer than the service takes to update its forecasts. */
const DATE_ANSWER_KEPT = 2 * 3_600_000;
