import { type Color, type Day, type Period, possibleColors, tariffDay } from "../../calendar.ts";
import type { House } from "../house.ts";
import { type Book, factsOf, type KnownDays, unique } from "./known-days.ts";
import type { PriceRow } from "./price-rows.ts";

/** What a number may be; null: it is not known. */
type Numbers = readonly (number | null)[];

/** By what prices are found. */
interface Known {
  book: { days: KnownDays };
  house: House;
}

/** What a kilowatt-hour may cost in this period of a day that is shown with this colour. */
export function ratesOf({ book, house }: Known, date: Day, color: Color | null, period: Period): Numbers {
  if (color === null) {
    const [only, ...others] = possibleColors(date, house);
    // By the laws alone the price is the owner's.
    return only === undefined || others.length > 0 ? [null] : [ofTable(house, date, only, period)];
  }
  const { said, isSure } = ofService(book, date, color, period);
  return preferred(house, isSure ? said : [...said, null], ofTable(house, date, color, period));
}

/** The price of this colour in force now: of the newest day that has begun, else of the first one ahead. */
export function pricesOf(
  { book, house }: Known & { book: Book },
  at: number,
  color: Color,
  period: Period,
): Numbers {
  const now = tariffDay(at, house);
  const from = rowOf(house, now)?.from ?? now;
  const until =
    house.rates
      .map((row) => row.from)
      .filter((one) => one > now)
      .sort()[0] ?? "9999";
  const dates = [...book.days.keys()].sort().filter((date) => date >= from && date < until);
  const begun = dates.filter((date) => date <= now).reverse();
  const found: (number | null)[] = [];
  for (const date of [...begun, ...dates.filter((one) => one > now)]) {
    const facts = factsOf(book, date, { at, house });
    if (!facts.some((fact) => fact.color === color)) continue;
    const { said, isSure } = ofService(book, date, color, period);
    found.push(...said);
    // A day that has no price says nothing of it, such as one whose price came in cents.
    const isPriced = isSure && said.every((price) => price !== null);
    if (isPriced && facts.every((fact) => fact.color === color))
      return preferred(house, found, ofTable(house, now, color, period));
  }
  return preferred(house, [...found, null], ofTable(house, now, color, period));
}

/** `isSure`: what the service says of this day now has this colour, so that one of these prices counts. */
function ofService({ days }: Known["book"], date: Day, color: Color, period: Period) {
  const day = days.get(date);
  const said = (day?.rates ?? []).filter((one) => one.color === color).map((one) => one[period]);
  const isSaid = [day?.service, day?.forecast].some((list) => list?.every((one) => one?.color === color));
  return { said, isSure: isSaid && said.length > 0 };
}

function preferred({ isOwnerFirst }: Known["house"], said: Numbers, owner: number | null): Numbers {
  return unique(said.map((one) => (isOwnerFirst ? (owner ?? one) : (one ?? owner))));
}

function ofTable(house: Known["house"], date: Day, color: Color, period: Period): number | null {
  return rowOf(house, date)?.[color][period] ?? null;
}

/** The newest of all rows that have begun. */
function rowOf({ rates }: Known["house"], date: Day): PriceRow | undefined {
  return rates
    .filter(({ from }) => from <= date)
    .sort((one, other) => (one.from < other.from ? -1 : 1))
    .at(-1);
}
