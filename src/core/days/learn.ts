import { addDays, civilDate, tariffDate } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { Answer, OfficialAnswer } from "../contract/answer.ts";
import { withoutOld } from "./forget-old-days.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownDays, OfficialWord } from "./known-days.ts";
import { learnDateForecast, learnForecast, learnHistoryDay } from "./learn-day.ts";
import { countingWords } from "./official-answer.ts";
import { isDearer } from "./official-color.ts";
import {
  certainTime,
  learnNotNamed,
  learnRteWord,
  learnServiceWord,
  type WordTimes,
} from "./official-words.ts";

/**
 * What is known after an answer of the service. An official colour counts more than a forecast, and a later answer more
 * than an earlier one. An answer without anything new gives the same object back: the caller compares with `===`.
 * `made_at` is when the service made the answer, if it says so. `seen_at` is when it came: before `now` if only the
 * service's own clock says that it is so late.
 */
export function learn(
  known: KnownDays,
  answer: Answer,
  now: Instant,
  tariff: Tariff,
  made_at: Instant = now,
  seen_at: Instant = now,
): KnownDays {
  const times = { made_at, seen_at, now };
  const days = learnDays(known.days, daysOfAnswer(known, answer, times, tariff), now, tariff);
  const seasons = learnSeason(known.seasons, answer, times, tariff);
  const isNew = days !== known.days || seasons !== known.seasons;
  const updated_at = learnUpdate(known.updated_at, answer, now, isNew);
  return isNew || updated_at !== known.updated_at ? { days, seasons, updated_at } : known;
}

/** What is known after an answer of the official source; the same object if it said nothing new. */
export function learnOfficial(
  known: KnownDays,
  answer: OfficialAnswer,
  now: Instant,
  tariff: Tariff,
  made_at: Instant = now,
  seen_at: Instant = now,
): KnownDays {
  const times = { made_at, seen_at, now };
  const inForce = tariffDate(now, tariff);
  const used = countingWords(answer, now, tariff).filter(({ date, color }) => {
    const word = known.days[date]?.rte_word;
    return answer.kind === "light" || date < inForce || !word || mayCorrect(word, color);
  });
  const learnt = used.map((word): [IsoDate, KnownDay] => [
    word.date,
    learnRteWord(known.days[word.date] ?? {}, word, times, tariff),
  ]);
  const days = learnDays(known.days, [...learnt, ...learnMissing(known, answer, times, tariff)], now, tariff);
  return days === known.days ? known : { ...known, days };
}

/** The day after the one on which an answer was made, if the answer names its own day and not the next one. */
function learnMissing(
  { days }: KnownDays,
  { kind, words }: OfficialAnswer,
  times: WordTimes,
  tariff: Tariff,
): [IsoDate, KnownDay][] {
  const today = civilDate(certainTime(times), tariff.time_zone);
  const tomorrow = addDays(today, 1);
  const day = days[tomorrow];
  const isWhole = kind === "light" && words.some(({ date, color }) => date === today && color !== null);
  if (!day || !isWhole || words.some(({ date }) => date === tomorrow)) return [];
  return [[tomorrow, learnNotNamed(day, tomorrow, times, tariff)]];
}

/**
 * A season comes at night, and is to tell only what is not known of the day in force. It corrects only what was never confirmed,
 * and makes it no cheaper: a rouge day stays one.
 */
function mayCorrect({ color, confirmed }: OfficialWord, said: Color): boolean {
  return color === said || (!confirmed && isDearer(said, color));
}

function learnDays(
  known: KnownDays["days"],
  learnt: [IsoDate, KnownDay][],
  now: Instant,
  tariff: Tariff,
): KnownDays["days"] {
  const today = civilDate(now, tariff.time_zone);
  const days = new Map(Object.entries(known));
  for (const [date, day] of learnt) {
    if (date <= addDays(today, DAYS_AHEAD) && Object.keys(day).length > 0) days.set(date, day);
  }
  return withoutOld(known, days, (date) => date, today);
}

/** The days that an answer names, as they are known after it. */
function daysOfAnswer(
  { days, updated_at }: KnownDays,
  answer: Answer,
  times: WordTimes,
  tariff: Tariff,
): [IsoDate, KnownDay][] {
  const { now, seen_at } = times;
  switch (answer.kind) {
    case "forecasts": {
      const said_at = answer.updated_at === null ? null : Math.min(answer.updated_at, now);
      const forecastTimes = { said_at, seen_at };
      return answer.days.map((day) => [day.date, learnForecast(days[day.date] ?? {}, day, forecastTimes)]);
    }
    case "date": {
      const { date, color, rates } = answer.day;
      const before = days[date] ?? {};
      if (answer.is_official && color !== null) {
        return [[date, learnServiceWord(before, { date, color, rates }, times, tariff)]];
      }
      // The date endpoint has no `updated_at`: the newest update known so far stands for it.
      return [[date, learnDateForecast(before, answer.day, { said_at: updated_at, seen_at })]];
    }
    case "history":
      return answer.entries.map((entry) => [
        entry.date,
        learnHistoryDay(days[entry.date] ?? {}, entry, times, tariff),
      ]);
    case "season":
      return [];
  }
}

function learnSeason(
  known: KnownDays["seasons"],
  answer: Answer,
  { now, seen_at }: WordTimes,
  tariff: Tariff,
): KnownDays["seasons"] {
  const today = civilDate(now, tariff.time_zone);
  const seasons = new Map(Object.entries(known));
  if (answer.kind === "season" && answer.season.start <= addDays(today, DAYS_AHEAD)) {
    const { season } = answer;
    const before = known[season.label];
    const isSame = before !== undefined && isEqual(before, { ...season, seen_at: before.seen_at });
    // What the service gives again on a later day counts for that day, also if the first answer was dated too early.
    const isGivenAgain = before && tariffDate(before.seen_at, tariff) < tariffDate(seen_at, tariff);
    if (!isSame || isGivenAgain) seasons.set(season.label, { ...season, seen_at });
  }
  return withoutOld(known, seasons, (_label, { end }) => end, today);
}

/**
 * The newest `updated_at` of the forecasts. One in the future counts as now. It is then learnt only together with
 * something else that is new: every poll has another "now", and would change what is known.
 */
function learnUpdate(known: Instant | null, answer: Answer, now: Instant, isNew: boolean): Instant | null {
  if (answer.kind !== "forecasts" || answer.updated_at === null) return known;
  if (known === null) return Math.min(answer.updated_at, now);
  if (answer.updated_at > now && !isNew) return known;
  return Math.max(known, Math.min(answer.updated_at, now));
}

/** No service knows a day so far ahead: a date beyond it is an error, and would never become old enough to be dropped. */
const DAYS_AHEAD = 400;
