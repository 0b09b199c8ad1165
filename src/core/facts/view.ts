import { addDays, civilDate, tariffDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "../days/known-days.ts";
import { dayFacts } from "./day-facts.ts";
import type { DayFacts } from "./facts.ts";

/** The known days as they are at one instant. */
export interface View {
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
}

export function viewAt(knownDays: KnownDays, at: Instant, tariff: Tariff): View {
  const now = tariffDate(at, tariff);
  const today = civilDate(at, tariff.time_zone);
  const days = new Map<IsoDate, DayFacts>();
  const day = (date: IsoDate) => {
    const facts = days.get(date) ?? dayFacts(date, knownDays.days[date], at, tariff);
    days.set(date, facts);
    return facts;
  };
  return { at, knownDays, tariff, now, next: addDays(now, 1), today, last: addDays(today, HORIZON), day };
}

const HORIZON = 7;
