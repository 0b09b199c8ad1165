import { addDays, weekday } from "./dates.ts";
import { isHoliday } from "./holidays.ts";
import { memoize } from "./memoize.ts";
import { COLORS, type Color, type IsoDate, type Tariff } from "./tariff.ts";
import { seasonOf } from "./tariff-season.ts";

/**
 * The colours that the tariff allows on this date. How many days a season has of each is not fixed by the tariff: 2019-2020
 * had 18 rouge.
 */
export const allowedColors = memoize((date: IsoDate, laws: Tariff["laws"]): readonly Color[] =>
  laws === "off" ? COLORS : COLORS.filter((color) => isAllowedByTempo(date, color)),
);

export function isColorAllowed(date: IsoDate, color: Color, laws: Tariff["laws"]): boolean {
  return allowedColors(date, laws).includes(color);
}

/** Whether the laws alone say that a day has one of these colours: they rule out all others. */
export function isSaidByLaws(colors: readonly Color[], allowed: readonly Color[]): boolean {
  return allowed.length < COLORS.length && allowed.every((color) => colors.includes(color));
}

/** Whether the tariff allows this colour on any date from this one to the end of its season. */
export function isColorAllowedInRestOfSeason(date: IsoDate, color: Color, laws: Tariff["laws"]): boolean {
  const { end } = seasonOf(date);
  for (let day = date; day <= end; day = addDays(day, 1)) if (isColorAllowed(day, color, laws)) return true;
  return false;
}

/** EDF Tempo. None of 4,268 real days was an exception. */
function isAllowedByTempo(date: IsoDate, color: Color): boolean {
  switch (color) {
    case "bleu":
      return true;
    case "blanc":
      return weekday(date) !== SUNDAY;
    case "rouge":
      return isRougeMonth(date) && weekday(date) < SATURDAY && !isHoliday(date);
  }
}

function isRougeMonth(date: IsoDate): boolean {
  const monthAndDay = date.slice("2026-".length);
  return monthAndDay >= "11-01" || monthAndDay <= "03-31";
}

const SATURDAY = 6;
const SUNDAY = 7;
