import { addDays, civilDate, wallInstant } from "../core/calendar/dates.ts";
import type { Color, Instant, IsoDate } from "../core/calendar/tariff.ts";
import { TEMPO } from "./tempo.ts";
import { trueColor, type World } from "./world.ts";

/**
 * The official colour of a day as it stands at this instant; undefined while nothing is official. Binding at
 * `official_at` of the day before. With `revised`, days that are not bleu are announced as bleu from the first
 * indication on and get their true colour at the correction.
 */
export function officialColor(date: IsoDate, at: Instant, world: World): Color | undefined {
  const color = trueColor(date, world);
  if (!isRevised(color, world)) return at >= eveWallTime(date, world.official_at) ? color : undefined;
  if (at >= eveWallTime(date, CORRECTION_AT)) return color;
  return at >= eveWallTime(date, INDICATION_AT) ? "bleu" : undefined;
}

/** The newest official word at this instant: when the colour of tomorrow, or else of today, was said or corrected. */
export function lastOfficialWord(at: Instant, world: World): Instant {
  const today = civilDate(at, TEMPO.time_zone);
  const words = [addDays(today, 1), today].flatMap((date) => wordsOn(date, world));
  return Math.max(...words.filter((word) => word <= at));
}

/** The wall clock of the day before a date: when its colour is indicated, made official, corrected. */
export function eveWallTime(date: IsoDate, time: string): Instant {
  return wallInstant(addDays(date, -1), time, TEMPO.time_zone);
}

/** The next day's colour is seen from about this hour as an indication, and has been corrected as late as this. */
export const INDICATION_AT = "06:35";
const CORRECTION_AT = "11:00";

function wordsOn(date: IsoDate, world: World): Instant[] {
  const times = isRevised(trueColor(date, world), world)
    ? [INDICATION_AT, CORRECTION_AT]
    : [world.official_at];
  return times.map((time) => eveWallTime(date, time));
}

function isRevised(color: Color, world: World): boolean {
  return world.revised && color !== "bleu";
}
