import { addDays, weekday } from "./dates.ts";
import { isHoliday } from "./holidays.ts";
import { memoize } from "./memoize.ts";
import { COLORS, type Color, type IsoDate, type Tariff } from "./tariff.ts";
import { seasonOf } from "./tariff-season.ts";

/** The colours that the tariff's laws allow on this date. Quotas are no law: 2019-2020 had 18 rouge. */
export function allowedColors(date: IsoDate, laws: Tariff["laws"]): readonly Color[] {
  return laws === "off" ? COLORS : COLORS.filter((color) => allows(date, color));
}

export function isColorAllowed(date: IsoDate, color: Color, laws: Tariff["laws"]): boolean {
  return laws === "off" || allows(date, color);
}

/** Whether the laws allow this colour on any date from this one to the end of its season. */
export function isColorAllowedInRestOfSeason(date: IsoDate, color: Color, laws: Tariff["laws"]): boolean {
  return laws === "off" || date <= lastPossible(seasonOf(date).end, color);
}

/** EDF Tempo, without an exception on 4,268 real days. */
function allows(date: IsoDate, color: Color): boolean {
  switch (color) {
    case "bleu":
      return true;
    case "blanc":
      return weekday(date) !== SUNDAY;
    case "rouge":
      return inRougeMonths(date) && weekday(date) < SATURDAY && !isHoliday(date);
  }
}

function inRougeMonths(date: IsoDate): boolean {
  const monthAndDay = date.slice(5);
  return monthAndDay >= "11-01" || monthAndDay <= "03-31";
}

/** Every season allows every colour somewhere, so there is a last date. */
const lastPossible = memoize((seasonEnd: IsoDate, color: Color): IsoDate => {
  let date = seasonEnd;
  while (!allows(date, color)) date = addDays(date, -1);
  return date;
}, 64);

const SATURDAY = 6;
const SUNDAY = 7;
