import { addDays, civilDate, dayStart } from "../calendar/dates.ts";
import { memoizeFor } from "../calendar/memoize.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownDays, KnownSeason } from "./known-days.ts";
import { learnDate, learnForecast, settleForecast } from "./learn-forecast.ts";
import { isBeyondCorrection, learnOfficial, settleOfficial } from "./learn-official.ts";

/**
 * The book after these answers: official over forecast, later over earlier. What says nothing new changes nothing, so
 * an answer heard before gives the very same book.
 */
export function learn(
  knownDays: KnownDays,
  answers: readonly Answer[],
  now: Instant,
  tariff: Tariff,
): KnownDays {
  const moment = { now, tariff, update: newestUpdate(knownDays, answers, now) };
  const days = learnDays(knownDays.days, sayings(answers, moment), moment);
  const seasons = learnSeasons(knownDays.seasons, answers, moment);
  const news = days !== knownDays.days || seasons !== knownDays.seasons;
  const updated_at = learnUpdate(knownDays, answers, now, news);
  return news || updated_at !== knownDays.updated_at ? { days, seasons, updated_at } : knownDays;
}

interface Moment {
  now: Instant;
  tariff: Tariff;
  /** The newest update of the forecasts that is known of. */
  update: Instant | null;
}

/** What an answer says of one date. */
interface Saying {
  date: IsoDate;
  apply: (day: KnownDay) => KnownDay;
}

/** Forecasts by their age, then the rest as it came: within one batch only the order of official words matters. */
function sayings(answers: readonly Answer[], moment: Moment): Saying[] {
  const age = (answer: Answer) =>
    answer.kind === "forecasts" ? (answer.updated_at ?? moment.now) : Number.POSITIVE_INFINITY;
  const sorted = answers.toSorted((one, other) =>
    age(one) < age(other) ? -1 : age(one) > age(other) ? 1 : 0,
  );
  return sorted.flatMap((answer) => sayingsOf(answer, moment));
}

function sayingsOf(answer: Answer, { now, tariff, update }: Moment): Saying[] {
  const official = (date: IsoDate) => ({ seen_at: now, final: isBeyondCorrection(date, now, tariff) });
  switch (answer.kind) {
    case "forecasts": {
      const said = { said_at: clampTo(now, answer.updated_at), seen_at: now };
      return answer.days.map((day) => ({
        date: day.date,
        apply: (known) => learnForecast(known, day, said),
      }));
    }
    case "date": {
      const { date, color, rates } = answer.day;
      const isOfficial = answer.is_official === true && color !== null;
      const apply = (known: KnownDay) =>
        isOfficial
          ? learnOfficial(known, { color, rates, ...official(date) })
          : learnDate(known, answer.day, { said_at: update, seen_at: now });
      return [{ date, apply }];
    }
    case "history":
      return answer.entries.map(({ date, color, rates, predicted_color, prediction_confidence }) => {
        const prediction = { color: predicted_color, confidence: prediction_confidence };
        const apply = (known: KnownDay) => {
          const day = color === null ? known : learnOfficial(known, { color, rates, ...official(date) });
          const silent = prediction.color === null && prediction.confidence === null;
          return silent || isEqual(day.prediction, prediction) ? day : { ...day, prediction };
        };
        return { date, apply };
      });
    case "season":
      return [];
  }
}

function learnDays(known: KnownDays["days"], said: Saying[], { now, tariff }: Moment): KnownDays["days"] {
  const today = civilDate(now, tariff.time_zone);
  const latest = addDays(today, DAYS_AHEAD);
  const heard = new Map<IsoDate, KnownDay>();
  for (const { date, apply } of said) {
    if (date <= latest) heard.set(date, apply(heard.get(date) ?? known[date] ?? {}));
  }
  const changed = new Map<IsoDate, KnownDay>();
  const note = (date: IsoDate, day: KnownDay) => {
    const begun = begin(day, date, now, tariff);
    if (begun !== known[date] && Object.keys(begun).length > 0) changed.set(date, begun);
  };
  for (const [date, day] of heard) note(date, settle(known[date], day));
  const { dates, open } = outline(known, null);
  for (const date of open) if (!heard.has(date)) note(date, known[date] ?? {});
  const earliest = addDays(earlier(today, newestDate([...dates, ...changed.keys()], today)), -DAYS_BACK);
  const isOld = (date: IsoDate) => date < earliest;
  for (const date of changed.keys()) if (isOld(date)) changed.delete(date);
  if (changed.size === 0 && !dates.some(isOld)) return known;
  return inOrder(new Map([...Object.entries(known), ...changed].filter(([date]) => !isOld(date))));
}

/** The dates of a book, and those of them whose official colour can still be corrected. */
const outline = memoizeFor((days: KnownDays["days"], _: null): { dates: IsoDate[]; open: IsoDate[] } => {
  const dates = Object.keys(days);
  return { dates, open: dates.filter((date) => days[date]?.official?.final === false) };
});

/** Judges a batch by what it comes to: words that were taken back within it have not been said. */
function settle(before: KnownDay | undefined, after: KnownDay): KnownDay {
  if (before === after) return after;
  const day = { ...after };
  if (after.forecast) day.forecast = settleForecast(before?.forecast, after.forecast);
  if (after.official) day.official = settleOfficial(before?.official, after.official);
  return before && isEqual(before, day) ? before : day;
}

/** A day that has begun is beyond correction, also when nobody confirmed it. */
function begin(day: KnownDay, date: IsoDate, now: Instant, tariff: Tariff): KnownDay {
  if (!day.official || day.official.final || now < dayStart(date, tariff)) return day;
  return { ...day, official: { ...day.official, final: true } };
}

function learnSeasons(
  known: KnownDays["seasons"],
  answers: readonly Answer[],
  moment: Moment,
): KnownDays["seasons"] {
  const today = civilDate(moment.now, moment.tariff.time_zone);
  const seasons = new Map(Object.entries(known));
  for (const answer of answers) {
    if (answer.kind !== "season" || answer.season.start > addDays(today, DAYS_AHEAD)) continue;
    const season: KnownSeason = { ...answer.season, seen_at: moment.now };
    const before = known[season.label];
    const same = before && isEqual(before, { ...season, seen_at: before.seen_at });
    seasons.set(season.label, same ? before : season);
  }
  const newest = newestDate(
    [...seasons.values()].map(({ end }) => end),
    today,
  );
  const earliest = addDays(earlier(today, newest), -DAYS_BACK);
  for (const [label, { end }] of seasons) if (end < earliest) seasons.delete(label);
  return sameEntries(known, seasons) ? known : inOrder(seasons);
}

/** An update "in the future" is one of now; that now is our own, so it moves the book's only beside real news. */
function learnUpdate(
  knownDays: KnownDays,
  answers: readonly Answer[],
  now: Instant,
  news: boolean,
): Instant | null {
  const credible = answers.filter(
    (answer) =>
      answer.kind === "forecasts" &&
      (news || knownDays.updated_at === null || (answer.updated_at ?? 0) <= now),
  );
  return newestUpdate(knownDays, credible, now);
}

function newestUpdate(knownDays: KnownDays, answers: readonly Answer[], now: Instant): Instant | null {
  let newest = knownDays.updated_at;
  for (const answer of answers) {
    const said = answer.kind === "forecasts" ? clampTo(now, answer.updated_at) : null;
    if (said !== null && (newest === null || said > newest)) newest = said;
  }
  return newest;
}

function clampTo(now: Instant, said: Instant | null): Instant | null {
  return said === null ? null : Math.min(said, now);
}

function newestDate(dates: Iterable<IsoDate>, least: IsoDate): IsoDate {
  let newest: IsoDate | undefined;
  for (const date of dates) if (newest === undefined || date > newest) newest = date;
  return newest ?? least;
}

function earlier(one: IsoDate, other: IsoDate): IsoDate {
  return one < other ? one : other;
}

function sameEntries<T>(record: Record<string, T>, entries: ReadonlyMap<string, T>): boolean {
  const keys = Object.keys(record);
  return keys.length === entries.size && keys.every((key) => entries.get(key) === record[key]);
}

/** By date, so that equal books are written alike. */
function inOrder<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** No service knows a day so far ahead: a date beyond it is a slip, and would stay for ever. */
const DAYS_AHEAD = 400;

/**
 * Two seasons and some weeks. What is older is dropped, counted from the newest day known where the clock is ahead of
 * it: a clock that is wrong by years must not empty the book.
 */
const DAYS_BACK = 800;
