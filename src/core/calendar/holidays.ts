import { easter } from "date-easter";
import { addDays } from "./dates.ts";
import type { IsoDate } from "./tariff.ts";

/** French national public holidays. Those of Alsace and Moselle only (Good Friday, 26 December) are not among them. */
export function isHoliday(date: IsoDate): boolean {
  if (FIXED.has(date.slice("2026-".length))) return true;
  const sunday = easter(Number(date.slice(0, "2026".length))).toString();
  return AFTER_EASTER.some((days) => addDays(sunday, days) === date);
}

const FIXED = new Set(["01-01", "05-01", "05-08", "07-14", "08-15", "11-01", "11-11", "12-25"]);

/** Easter Monday, Ascension and Whit Monday, in days after Easter Sunday. */
const AFTER_EASTER = [1, 39, 50];
