import { Temporal } from "temporal-polyfill";

/** Days and instants in Paris, and the laws of the tariff. Nothing of it is from `src`: what vigie works out is judged by it. */

export type Color = "bleu" | "blanc" | "rouge";
export type Period = "hp" | "hc";
/** `2026-01-05`. */
export type Day = string;

export const COLORS: readonly Color[] = ["bleu", "blanc", "rouge"];
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What is other in some tariffs. */
export interface Tariff {
  timeZone?: string;
  /** Minutes since midnight. */
  dayStarts?: number;
  /** false: each colour is allowed on each date. */
  hasLaws?: boolean;
}

/** What the wall clock shows: the date, and the minutes since midnight. */
export function wallClock(at: number, zone = PARIS): { date: Day; minutes: number } {
  const minute = Math.floor(at / MINUTE);
  const key = zone === PARIS ? minute : `${minute} ${zone}`;
  let shown = shownAt.get(key);
  if (!shown) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(minute * MINUTE).toZonedDateTimeISO(zone);
    shown = { date: zoned.toPlainDate().toString(), minutes: zoned.hour * 60 + zoned.minute };
    if (shownAt.size > 20_000) shownAt.clear();
    shownAt.set(key, shown);
  }
  return shown;
}

const shownAt = new Map<number | string, { date: Day; minutes: number }>();

export function addDays(date: Day, days: number): Day {
  const found = daysFound.get(date) ?? new Map<number, Day>();
  daysFound.set(date, found);
  const other = found.get(days) ?? new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
  found.set(days, other);
  return other;
}

const daysFound = new Map<Day, Map<number, Day>>();

/** When the wall clock shows this time on this date: twice if the clocks go back then. */
export function instantsOf(date: Day, minutes: number): number[] {
  const found = instantsFound.get(date) ?? new Map<number, number[]>();
  instantsFound.set(date, found);
  const instants = found.get(minutes) ?? findInstants(date, minutes);
  found.set(minutes, instants);
  return instants;
}

const instantsFound = new Map<Day, Map<number, number[]>>();

function findInstants(date: Day, minutes: number): number[] {
  const plain = Temporal.PlainDate.from(date).toPlainDateTime({
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
  });
  const both = (["earlier", "later"] as const).map(
    (disambiguation) => plain.toZonedDateTime(PARIS, { disambiguation }).epochMilliseconds,
  );
  return [...new Set(both)];
}

/** When the wall clock first shows this time, such as 10:30, on this date. */
export function instantInParis(date: Day, time: string): number {
  return instantsOf(date, readTime(time))[0]!;
}

export function dayStart(date: Day, { dayStarts = DAY_STARTS }: Tariff = {}): number {
  const [first] = instantsOf(date, dayStarts);
  // A time that a night in March does not have is when the clocks are moved.
  return wallClock(first!).minutes < dayStarts ? instantsOf(date, 3 * 60)[0]! : first!;
}

/** The tariff day in force: until 06:00 yesterday's. Some tariffs have other days. */
export function tariffDay(at: number, { timeZone = PARIS, dayStarts = DAY_STARTS }: Tariff = {}): Day {
  const { date, minutes } = wallClock(at, timeZone);
  const hasBegun = timeZone === PARIS ? at >= dayStart(date, { dayStarts }) : minutes >= dayStarts;
  return hasBegun ? date : addDays(date, -1);
}

/** As rules and topics name single days. */
export const DAY_WORDS = ["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"];

/** The date of the day of this name; undefined: no such name. */
export function dateOf(name: string, at: number, tariff: Tariff): Day | undefined {
  const today = wallClock(at).date;
  if (name === "now") return tariffDay(at, tariff);
  if (name === "next") return addDays(tariffDay(at, tariff), 1);
  if (name === "today") return today;
  if (name === "tomorrow") return addDays(today, 1);
  const [, ahead] = /^d([2-7])$/.exec(name) ?? [];
  return ahead === undefined ? undefined : addDays(today, Number(ahead));
}

/** The colours that the tariff allows on this date. */
export function possibleColors(date: Day, { hasLaws = true }: Tariff = {}): readonly Color[] {
  if (!hasLaws) return COLORS;
  const found = possibleOn.get(date) ?? findPossibleColors(date);
  possibleOn.set(date, found);
  return found;
}

const possibleOn = new Map<Day, Color[]>();

function findPossibleColors(date: Day): Color[] {
  const { dayOfWeek, month } = Temporal.PlainDate.from(date);
  if (dayOfWeek === 7) return ["bleu"];
  const isRougeSeason = month >= 11 || month <= 3;
  return isRougeSeason && dayOfWeek <= 5 && !isHoliday(date) ? [...COLORS] : ["bleu", "blanc"];
}

/** French public holidays from November to March; Easter Monday is never in March before 2027. */
function isHoliday(date: Day): boolean {
  return ["01-01", "11-01", "11-11", "12-25"].includes(date.slice(5)) || date === "2027-03-29";
}

export function weekdayOf(date: Day): string {
  return WEEKDAYS[new Date(date).getUTCDay()]!;
}

export function monthOf(date: Day): number {
  return Number(date.slice(5, 7));
}

export function readMonth(given: string | number): number {
  return typeof given === "number" ? given : MONTHS.indexOf(given) + 1;
}

/** Minutes since midnight. */
export function readTime(text: string): number {
  const [hours, minutes] = text.split(":").map(Number);
  return hours! * 60 + minutes!;
}

/** From 1 September to 31 August. */
export function seasonOf(date: Day): { label: string; start: Day; length: number } {
  const year = Number(date.slice(0, 4)) - (monthOf(date) >= 9 ? 0 : 1);
  const start = `${year}-09-01`;
  const length = (Date.parse(`${year + 1}-09-01`) - Date.parse(start)) / (24 * HOUR);
  return { label: `${year}-${year + 1}`, start, length };
}

const PARIS = "Europe/Paris";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Minutes since midnight. */
export const DAY_STARTS = 6 * 60;
