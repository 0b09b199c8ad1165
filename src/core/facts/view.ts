import { addDays, civilDate, tariffDate } from "../calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { Book } from "../days/known-days.ts";
import { dayFacts } from "./day-facts.ts";
import type { DayFacts, Known } from "./facts.ts";

/** The book as it looks from one instant. */
export interface View {
  at: Instant;
  book: Book;
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

export function viewBook({ book, clock: { at } }: Known, tariff: Tariff): View {
  return viewAt(book, at, tariff);
}

export function viewAt(book: Book, at: Instant, tariff: Tariff): View {
  const days = new Map<IsoDate, DayFacts>();
  const day = (date: IsoDate) => {
    const known = days.get(date);
    if (known) return known;
    const facts = dayFacts(date, book.days[date], at, tariff);
    days.set(date, facts);
    return facts;
  };
  const now = tariffDate(at, tariff);
  const today = civilDate(at, tariff.time_zone);
  return { at, book, tariff, now, next: addDays(now, 1), today, last: addDays(today, HORIZON), day };
}

const HORIZON = 7;
