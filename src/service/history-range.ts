import { addDays, daysBetween } from "../core/calendar/dates.ts";
import type { IsoDate } from "../core/calendar/tariff.ts";

export interface Range {
  start: IsoDate;
  end: IsoDate;
}

/** A range of dates, both ends included, in pieces that the service takes: in order, without overlap or gap. */
export function cutRange({ start, end }: Range): Range[] {
  const pieces: Range[] = [];
  for (let from = start; from <= end; from = addDays(from, LONGEST)) {
    const last = daysBetween(from, end) < LONGEST ? end : addDays(from, LONGEST - 1);
    pieces.push({ start: from, end: last });
  }
  return pieces;
}

/** The interface, section 8: at most 365 days a request. */
const LONGEST = 365;
