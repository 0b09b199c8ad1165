import { easter } from "date-easter";
import { Temporal } from "temporal-polyfill";
import { memoize } from "./memoize.ts";
import type { IsoDate } from "./tariff.ts";

/** French national public holidays; those of Alsace and Moselle only (Good Friday, 26 December) are none. */
export function isHoliday(date: IsoDate): boolean {
  return FIXED.has(date.slice(5)) || movable(Number(date.slice(0, 4)), null).has(date);
}

const FIXED = new Set(["01-01", "05-01", "05-08", "07-14", "08-15", "11-01", "11-11", "12-25"]);

/** Days after Easter Sunday: Easter Monday, Ascension, Whit Monday. */
const AFTER_EASTER = [1, 39, 50];

const movable = memoize((year: number, _: null): Set<IsoDate> => {
  const sunday = Temporal.PlainDate.from(easter(year));
  return new Set(AFTER_EASTER.map((days) => sunday.add({ days }).toString()));
}, 64);
