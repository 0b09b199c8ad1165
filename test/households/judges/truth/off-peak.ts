import {
  addDays,
  type Day,
  dayStart,
  instantsOf,
  monthOf,
  type Period,
  readMonth,
  readTime,
  type Tariff,
  tariffDay,
  wallClock,
  weekdayOf,
} from "../../calendar.ts";

/** The off-peak hours as their owner wrote them. */
export interface OffPeak {
  /** Minutes since midnight at which the period may change. */
  times: readonly number[];
  rows: readonly Row[];
}

interface Row {
  fits: (date: Day) => boolean;
  windows: readonly (readonly [from: number, to: number])[];
}

interface RowText {
  from?: string;
  months?: string | number | (string | number)[];
  weekdays?: string | string[];
  windows: "none" | string[];
}

/** `tariff.off_peak` of a configuration: windows, or rows. */
export function readOffPeak(given: (string | RowText)[] = ["22:00-06:00"]): OffPeak {
  const windows = given.filter((one) => typeof one === "string");
  const rows = given.filter((one) => typeof one === "object");
  const read = (rows.length > 0 ? rows : [{ windows }]).map(readRow);
  return { rows: read, times: [...new Set([0, ...read.flatMap((row) => row.windows).flat()])] };
}

function readRow({ from = "0000-01-01", months, weekdays, windows }: RowText): Row {
  const inMonths = months === undefined ? null : [months].flat().map(readMonth);
  const onDays = weekdays === undefined ? null : [weekdays].flat();
  const begins = Date.parse(from);
  return {
    fits: (date) =>
      Date.parse(date) >= begins &&
      (inMonths === null || inMonths.includes(monthOf(date))) &&
      (onDays === null || onDays.includes(weekdayOf(date))),
    windows: windows === "none" ? [] : windows.map(readWindow),
  };
}

/** One that ends at 24:00 ends at the 00:00 of the next date. */
function readWindow(text: string): [number, number] {
  const [from = "", to = ""] = text.split("-");
  return [readTime(from), readTime(to) % (24 * 60)];
}

export function periodAt(at: number, { rows }: OffPeak): Period {
  const { date, minutes } = wallClock(at);
  const row = rows.find(({ fits }) => fits(date));
  const isWithin = ([from, to]: readonly [number, number]) =>
    from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  return row?.windows.some(isWithin) ? "hc" : "hp";
}

/** When the period changes next: in the tariff day in force or the seven after it, else null. */
export function nextPeriodChange(at: number, house: Tariff & { offPeak: OffPeak }): number | null {
  const { offPeak } = house;
  const { date: first } = wallClock(at);
  const end = dayStart(addDays(tariffDay(at, house), 8), house);
  const now = periodAt(at, offPeak);
  // The clocks are moved at 02:00 and 03:00.
  const times = [...offPeak.times, 2 * 60, 3 * 60];
  for (let date = first; date <= wallClock(end).date; date = addDays(date, 1)) {
    const change = times
      .flatMap((time) => instantsOf(date, time))
      .filter((edge) => edge > at && edge < end)
      .sort((one, other) => one - other)
      .find((edge) => periodAt(edge, offPeak) !== now);
    if (change !== undefined) return change;
  }
  return null;
}
