import { daysBetween, weekday } from "../core/calendar/dates.ts";
import { isHoliday } from "../core/calendar/holidays.ts";
import { memoize } from "../core/calendar/memoize.ts";
import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import { datesBetween, seasonLabelled } from "../core/calendar/tariff-season.ts";
import { bell, type Random, randomFrom } from "./random.ts";
import { TEMPO } from "./tempo.ts";

/**
 * An invented season: 22 rouge, 43 blanc, the rest bleu. A cold spell is worth several days, as in life: demand follows
 * a yearly wave, weather that lasts, and the week; the dearest lawful days become rouge, the next ones blanc. At most
 * five rouge in a row follows from the weekends.
 */
export const inventSeason = memoize((label: string, seed: number): ReadonlyMap<IsoDate, Color> => {
  const random = randomFrom(`season/${seed}/${label}`);
  const season = seasonLabelled(label);
  if (season === undefined) throw new RangeError(`Expected a season like 2025-2026, got ${label}`);
  const demands = demandOf(datesBetween(season.start, season.end), random);
  const days = new Map<IsoDate, Color>(demands.map(({ date }) => [date, "bleu"]));
  const dearest = demands.toSorted((one, other) => other.demand - one.demand).map(({ date }) => date);
  for (const date of dearest.filter((date) => allows(date, "rouge")).slice(0, ROUGE)) days.set(date, "rouge");
  const left = dearest.filter((date) => days.get(date) === "bleu" && isBlancTime(date));
  for (const date of left.slice(0, BLANC)) days.set(date, "blanc");
  return days;
}, 64);

function demandOf(dates: IsoDate[], random: Random): { date: IsoDate; demand: number }[] {
  let weather = 0;
  return dates.map((date) => {
    weather = WEATHER_LASTS * weather + WEATHER * Math.sqrt(1 - WEATHER_LASTS ** 2) * bell(random);
    return { date, demand: WAVE * wave(date) + weather - restful(date) };
  });
}

/** 1 in the coldest time of the year, about 20 January, -1 in July. */
function wave(date: IsoDate): number {
  const days = daysBetween(`${date.slice(0, 4)}-01-20`, date);
  return Math.cos((2 * Math.PI * days) / 365.25);
}

function restful(date: IsoDate): number {
  return weekday(date) === SATURDAY || isHoliday(date) ? REST : 0;
}

function allows(date: IsoDate, color: Color): boolean {
  return isColorAllowed(date, color, TEMPO.laws);
}

function isBlancTime(date: IsoDate): boolean {
  const month = date.slice(5, 7);
  return allows(date, "blanc") && (month >= "10" || month <= "05");
}

const ROUGE = 22;
const BLANC = 43;
const SATURDAY = 6;
const WAVE = 8;
const WEATHER = 3;
const WEATHER_LASTS = 0.85;
const REST = 2.5;
