import { addDays, COLORS, type Color, seasonOf, tariffDay } from "../../calendar.ts";
import type { House } from "../house.ts";
import { type Book, factsOf, type KnownDays, unique } from "./known-days.ts";

/** All that a number may be; null: it is not known. */
export type Numbers = readonly (number | null)[];

/** By what the counters of a season are found. */
interface Known {
  book: Pick<Book, "season"> & { days: KnownDays };
  house: House;
}

export function daysRemaining(known: Known, at: number): Numbers {
  // When the service's number was said, and whether it is carried on to the next day, is not said.
  return seasonNumbers(known, at, ({ days_remaining }) => [days_remaining]);
}

export function remainingDays(known: Known, at: number, color: Color): Numbers {
  return seasonNumbers(known, at, ({ remaining }) =>
    remaining[color] < 0 ? [remaining[color], null] : [remaining[color]],
  );
}

type Season = NonNullable<Book["season"][number]>;

function seasonNumbers({ book, house }: Known, at: number, read: (season: Season) => Numbers): Numbers {
  const { label } = seasonOf(tariffDay(at, house));
  return unique(book.season.flatMap((said) => (said?.season === label ? read(said) : [null])));
}

export function totalDays(known: Known, at: number, color: Color): Numbers {
  return seasonNumbers(known, at, ({ total }) => [total[color]]);
}

/** vigie's own count of the official days of the season, the one in force among them. */
export function usedDays(known: Known, at: number, color: Color): Numbers {
  const used = countDays(known, at);
  return used === "open" ? UNDECIDED : [used === null ? null : used[color]];
}

/** null: a day is missing. */
function countDays({ book, house }: Known, at: number): Record<Color, number> | null | "open" {
  const now = tariffDay(at, house);
  const used = { bleu: 0, blanc: 0, rouge: 0 };
  for (let date = seasonOf(now).start; date <= now; date = addDays(date, 1)) {
    const facts = factsOf(book, date, { at, house });
    const colors = new Set(facts.map(({ official, color }) => (official ? color : null)));
    const [color] = colors;
    if (colors.size > 1) return "open";
    if (!color) return null;
    used[color] += 1;
  }
  return used;
}

/** The total less the days that are used. */
export function leftDays(known: Known, at: number, color: Color): Numbers {
  const { book, house } = known;
  const { label, length } = seasonOf(tariffDay(at, house));
  const used = countDays(known, at);
  if (used === "open") return UNDECIDED;
  if (used === null) return [null];
  // No colour has a number if one was used more often than the season has it.
  const count = (total: Record<Color, number>) =>
    COLORS.some((one) => used[one] > total[one]) ? null : total[color] - used[color];
  // "With `tariff.laws: off` nothing is assumed."
  const assumed = house.hasLaws ? count({ rouge: 22, blanc: 43, bleu: length - 22 - 43 }) : null;
  return unique(
    book.season.flatMap((said): Numbers => {
      if (said?.season === label) return [count(said.total)];
      // Without the service's word the total is assumed; with a service that has not said it, only perhaps.
      return house.hasService ? [assumed, null] : [assumed];
    }),
  );
}

/** A number that may be all. */
const UNDECIDED: Numbers = [
  Number.NEGATIVE_INFINITY,
  ...Array.from({ length: 367 }, (_, index) => index),
  null,
];
