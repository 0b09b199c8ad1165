import { datesBetween, daysBetween, weekday } from "../core/calendar/dates.ts";
import { isHoliday } from "../core/calendar/holidays.ts";
import { memoize } from "../core/calendar/memoize.ts";
import type { Color, IsoDate } from "../core/calendar/tariff.ts";
import { isColorAllowed } from "../core/calendar/tariff-laws.ts";
import { seasonWithLabel } from "../core/calendar/tariff-season.ts";
import { normal, type Random, randomFrom } from "./random.ts";
import { TEMPO } from "./tempo.ts";

/**
 * An invented season: 22 rouge, 43 blanc, the rest bleu. Demand follows a yearly wave, weather that lasts for
 * days, and the week; the allowed days with the highest demand become rouge, the next ones blanc. A cold spell so makes
 * several rouge days in a row, and at most five, since weekends are never rouge.
 */
export const inventSeason = memoize((label: string, seed: number): ReadonlyMap<IsoDate, Color> => {
  const random = randomFrom(`season/${seed}/${label}`);
  const season = seasonWithLabel(label);
  if (season === undefined) throw new RangeError(`Expected a season like 2025-2026, got ${label}`);
  const demands = demandOf(datesBetween(season.start, season.end), random);
  const days = new Map<IsoDate, Color>(demands.map(({ date }) => [date, "bleu"]));
  const byDemand = demands.toSorted((one, other) => other.demand - one.demand).map(({ date }) => date);
  for (const date of byDemand.filter((date) => isAllowed(date, "rouge")).slice(0, ROUGE))
    days.set(date, "rouge");
  const blancDays = byDemand.filter((date) => days.get(date) === "bleu" && isBlancSeason(date));
  for (const date of blancDays.slice(0, BLANC)) days.set(date, "blanc");
  return days;
}, 64);

function demandOf(dates: IsoDate[], random: Random): { date: IsoDate; demand: number }[] {
  let weather = 0;
  return dates.map((date) => {
    weather = WEATHER_LASTS * weather + WEATHER * Math.sqrt(1 - WEATHER_LASTS ** 2) * normal(random);
    return { date, demand: WAVE * yearlyWave(date) + weather - weekendDrop(date) };
  });
}

/** 1 in the coldest time of the year, about 20 January, -1 in July. */
function yearlyWave(date: IsoDate): number {
  const days = daysBetween(`${date.slice(0, 4)}-01-20`, date);
  return Math.cos((2 * Math.PI * days) / 365.25);
}

function weekendDrop(date: IsoDate): number {
  return weekday(date) === SATURDAY || isHoliday(date) ? WEEKEND_DROP : 0;
}

function isAllowed(date: IsoDate, color: Color): boolean {
  return isColorAllowed(date, color, TEMPO.laws);
}

function isBlancSeason(date: IsoDate): boolean {
  const month = date.slice(5, 7);
  return isAllowed(date, "blanc") && (month >= "10" || month <= "05");
}

const ROUGE = 22;
const BLANC = 43;
const SATURDAY = 6;
const WAVE = 8;
const WEATHER = 3;
const WEATHER_LASTS = 0.85;
const WEEKEND_DROP = 2.5;
