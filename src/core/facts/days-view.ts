import { addDays, civilDate, tariffDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import { dayFacts } from "./day-facts.ts";
import type { DayFacts, SeasonFacts } from "./facts.ts";
import { seasonFacts } from "./season-facts.ts";

/** The known days as they are at one instant. A day and the season are derived when they are first read. */
export interface DaysView {
  at: Instant;
  knownDays: KnownDays;
  tariff: Tariff;
  /** The tariff day in force, and the one after it. */
  now: IsoDate;
  next: IsoDate;
  /** The civil date. */
  today: IsoDate;
  /** The last date of the horizon, `d7`. */
  last: IsoDate;
  day: (date: IsoDate) => DayFacts;
  season: () => SeasonFacts;
}

export function daysAt(knownDays: KnownDays, at: Instant, tariff: Tariff): DaysView {
  const now = tariffDate(at, tariff);
  const today = civilDate(at, tariff.time_zone);
  const days = new Map<IsoDate, DayFacts>();
  const day = (date: IsoDate) => {
    let facts = days.get(date);
    if (!facts) {
      facts = dayFacts(date, knownDays.days[date], at, tariff);
      days.set(date, facts);
    }
    return facts;
  };
  let kept: SeasonFacts | undefined;
  const season = () => {
    kept ??= seasonFacts(knownDays, now, tariff);
    return kept;
  };
  const last = addDays(today, HORIZON);
  return { at, knownDays, tariff, now, next: addDays(now, 1), today, last, day, season };
}

const HORIZON = 7;
