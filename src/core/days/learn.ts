import { addDays, civilDate, dayStart } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { Answer } from "../contract/answer.ts";
import { withoutOld } from "./forget-old-days.ts";
import { isEqual } from "./is-equal.ts";
import type { KnownDay, KnownDays } from "./known-days.ts";
import { learnDateForecast, learnForecast, learnHistoryDay, learnOfficial } from "./learn-day.ts";

/**
 * What is known after an answer. An official colour counts more than a forecast, and a later answer more than an
 * earlier one. An answer without anything new gives the same object back: the caller compares with `===`.
 */
export function learn(known: KnownDays, answer: Answer, now: Instant, tariff: Tariff): KnownDays {
  const days = learnDays(known, answer, now, tariff);
  const seasons = learnSeason(known.seasons, answer, now, tariff);
  const isNew = days !== known.days || seasons !== known.seasons;
  const updated_at = learnUpdate(known.updated_at, answer, now, isNew);
  return isNew || updated_at !== known.updated_at ? { days, seasons, updated_at } : known;
}

function learnDays(known: KnownDays, answer: Answer, now: Instant, tariff: Tariff): KnownDays["days"] {
  const today = civilDate(now, tariff.time_zone);
  const days = new Map(Object.entries(known.days));
  for (const [date, day] of daysOfAnswer(known, answer, now, tariff)) {
    if (date <= addDays(today, DAYS_AHEAD) && Object.keys(day).length > 0) days.set(date, day);
  }
  for (const [date, day] of days) days.set(date, finalOnceBegun(day, date, now, tariff));
  return withoutOld(known.days, days, (date) => date, today);
}

/** The days that an answer names, as they are known after it. */
function daysOfAnswer(
  { days, updated_at }: KnownDays,
  answer: Answer,
  now: Instant,
  tariff: Tariff,
): [IsoDate, KnownDay][] {
  switch (answer.kind) {
    case "forecasts": {
      const said_at = answer.updated_at === null ? null : Math.min(answer.updated_at, now);
      const times = { said_at, seen_at: now };
      return answer.days.map((day) => [day.date, learnForecast(days[day.date] ?? {}, day, times)]);
    }
    case "date": {
      const { date, color, rates } = answer.day;
      const before = days[date] ?? {};
      if (answer.is_official && color !== null) {
        return [[date, learnOfficial(before, date, { color, rates }, now, tariff)]];
      }
      // The date endpoint has no `updated_at`: the newest update known so far stands for it.
      return [[date, learnDateForecast(before, answer.day, { said_at: updated_at, seen_at: now })]];
    }
    case "history":
      return answer.entries.map((entry) => [
        entry.date,
        learnHistoryDay(days[entry.date] ?? {}, entry, now, tariff),
      ]);
    case "season":
      return [];
  }
}

/** The colour of a day that has begun is final, also when no answer from 11:30 on confirmed it. */
function finalOnceBegun(day: KnownDay, date: IsoDate, now: Instant, tariff: Tariff): KnownDay {
  if (!day.official || day.official.final || now < dayStart(date, tariff)) return day;
  return { ...day, official: { ...day.official, final: true } };
}

function learnSeason(
  known: KnownDays["seasons"],
  answer: Answer,
  now: Instant,
  tariff: Tariff,
): KnownDays["seasons"] {
  const today = civilDate(now, tariff.time_zone);
  const seasons = new Map(Object.entries(known));
  if (answer.kind === "season" && answer.season.start <= addDays(today, DAYS_AHEAD)) {
    const { season } = answer;
    const before = known[season.label];
    const isSame = before !== undefined && isEqual(before, { ...season, seen_at: before.seen_at });
    if (!isSame) seasons.set(season.label, { ...season, seen_at: now });
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
