import { addDays } from "./dates.ts";
import type { IsoDate } from "./tariff.ts";

/** A season runs from 1 September to 31 August and is labelled `2025-2026`. */
export interface Season {
  label: string;
  start: IsoDate;
  end: IsoDate;
}

export function seasonOf(date: IsoDate): Season {
  const year = Number(date.slice(0, 4));
  return seasonFrom(date.slice(5) >= "09-01" ? year : year - 1);
}

/** The season of a label; undefined where the label is none (`2025-2027`). */
export function seasonLabelled(label: string): Season | undefined {
  const [, from, to] = /^(\d{4})-(\d{4})$/.exec(label) ?? [];
  if (from === undefined || Number(to) !== Number(from) + 1) return undefined;
  return seasonFrom(Number(from));
}

/** Every date of a season, in order. */
export function datesBetween(start: IsoDate, end: IsoDate): IsoDate[] {
  const dates: IsoDate[] = [];
  for (let date = start; date <= end; date = addDays(date, 1)) dates.push(date);
  return dates;
}

function seasonFrom(year: number): Season {
  return { label: `${year}-${year + 1}`, start: `${year}-09-01`, end: `${year + 1}-08-31` };
}
