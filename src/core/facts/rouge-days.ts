import { addDays, datesBetween } from "../calendar/dates.ts";
import type { Color, IsoDate, Tariff } from "../calendar/tariff.ts";
import { type Season, seasonOf } from "../calendar/tariff-season.ts";
import { usualTotal } from "./season-facts.ts";

/** The rouge days of one season, to be compared with those of another one. */
export interface RougeDays {
  /** That can be rouge. */
  dates: readonly IsoDate[];
  /** The date of this season that is as far in it as the day in force is in its own. */
  sameDate: IsoDate;
  /** How many of the dates have an official colour, are rouge, and are rouge up to `sameDate`. */
  known: number;
  all: number;
  soFar: number;
  /** The colour of a date that is over is not known, and it may be one more rouge day. */
  hasGap: boolean;
}

/** `now`: the tariff day in force. */
export function countRougeDays(
  season: Season,
  colors: ReadonlyMap<IsoDate, Color>,
  now: IsoDate,
  laws: Tariff["laws"],
): RougeDays {
  const { start, end } = season;
  const isWinterOnly = laws === "tempo";
  const from = isWinterOnly ? `${start.slice(0, 4)}-11-01` : start;
  const to = isWinterOnly ? addDays(`${end.slice(0, 4)}-04-01`, -1) : end;
  const dates = datesBetween(from, to);
  const yearsAgo = Number(seasonOf(now).start.slice(0, 4)) - Number(start.slice(0, 4));
  // In another year 29 February is no date, and still lies between the 28th and 1 March.
  const sameDate = `${Number(now.slice(0, 4)) - yearsAgo}${now.slice(4)}`;
  const total = usualTotal(start, { laws })?.rouge;
  const rouges = dates.filter((date) => colors.get(date) === "rouge");
  return {
    dates,
    sameDate,
    known: dates.filter((date) => colors.has(date)).length,
    all: rouges.length,
    soFar: rouges.filter((date) => date <= sameDate).length,
    hasGap: rouges.length !== total && dates.some((date) => date <= now && !colors.has(date)),
  };
}
