import { civilDate, daysBetween } from "../core/calendar/dates.ts";
import { COLORS, type Color, type Instant, type IsoDate } from "../core/calendar/tariff.ts";
import { allowedColors } from "../core/calendar/tariff-laws.ts";
import { dayBeforeAt, trueColor, type World } from "./official-colors.ts";
import { between, pick, type Random, randomFrom } from "./random.ts";
import { TEMPO } from "./tempo.ts";

interface Forecast {
  color: Color;
  /** 0 to 1. */
  confidence: number;
}

/**
 * The error model: the confidence of a forecast is exactly its chance of being right,
 *
 *     confidence = 1 - (1 - RIGHT[lead]) * doubt     rounded to 1 %
 *
 * `lead` is the days from the forecast's issue to its day, 0 once the colour is indicated (06:35 of the day before).
 * `doubt` is drawn once for each date: 0.6 to 1.4 from October to April, a twentieth of that in the warm months. One
 * more number from 0 to 1 is drawn for each date: below the confidence the forecast is right, otherwise it names
 * another allowed colour. So confidence never falls as the day nears, a wrong forecast turns right once and for good,
 * and of all forecasts given at 80 %, 80 % are right. Where only one colour is allowed the forecast is certain.
 */
export function forecastFor(date: IsoDate, at: Instant, world: World): Forecast {
  return makeForecast(date, leadOf(date, lastUpdate(at)), world);
}

/** The prediction in the history: the last forecast before the indication. */
export function predictionFor(date: IsoDate, world: World): Forecast {
  return makeForecast(date, 1, world);
}

/** Forecasts change once an hour, on the minute at which the indication comes. */
export function lastUpdate(at: Instant): Instant {
  return Math.floor((at - UPDATE_MINUTE) / HOUR) * HOUR + UPDATE_MINUTE;
}

function leadOf(date: IsoDate, issued: Instant): number {
  return issued >= dayBeforeAt(date, INDICATION_AT)
    ? 0
    : daysBetween(civilDate(issued, TEMPO.time_zone), date);
}

function makeForecast(date: IsoDate, lead: number, world: World): Forecast {
  const truth = trueColor(date, world);
  const others = allowedColors(date, TEMPO.laws).filter((color) => color !== truth);
  const [first, ...rest] = others;
  if (first === undefined) return { color: truth, confidence: 1 };
  const random = randomFrom(`forecast/${world.seed}/${date}`);
  const confidence = confidenceAt(lead, doubtOn(date, random));
  const right = world.moved?.[date] !== undefined || random() < confidence;
  return { color: right ? truth : wrongColor(truth, [first, ...rest], random), confidence };
}

function confidenceAt(lead: number, doubt: number): number {
  const right = RIGHT[lead] ?? 0;
  return Math.round((1 - (1 - right) * doubt) * 100) / 100;
}

function doubtOn(date: IsoDate, random: Random): number {
  const month = date.slice(5, 7);
  const isWarm = month >= "05" && month <= "09";
  return between(0.6, 1.4, random) * (isWarm ? 0.05 : 1);
}

/** Taken for the neighbouring colour more often than for the far one. */
function wrongColor(truth: Color, others: [Color, ...Color[]], random: Random): Color {
  const [near, ...more] = others.filter((color) => distance(color, truth) === 1);
  return near !== undefined && random() < NEAR_MISTAKES
    ? pick([near, ...more], random)
    : pick(others, random);
}

function distance(one: Color, other: Color): number {
  return Math.abs(COLORS.indexOf(one) - COLORS.indexOf(other));
}

/** The next day's colour is seen from about this hour as an indication. */
export const INDICATION_AT = "06:35";

/** By lead, from the indication to D+7 as it was issued on the day before. */
const RIGHT = [0.98, 0.92, 0.87, 0.82, 0.77, 0.72, 0.68, 0.64, 0.6];
const NEAR_MISTAKES = 0.7;

const HOUR = 3_600_000;
const UPDATE_MINUTE = 35 * 60_000;
