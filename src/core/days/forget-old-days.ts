import { addDays } from "../calendar/dates.ts";
import type { IsoDate } from "../calendar/tariff.ts";

/**
 * The entries that are recent enough, in the order of their keys, so that equal content is written alike; the same
 * record if nothing changed.
 */
export function withoutOld<Entry>(
  known: Record<string, Entry>,
  entries: ReadonlyMap<string, Entry>,
  lastDate: (key: string, entry: Entry) => IsoDate,
  today: IsoDate,
): Record<string, Entry> {
  const dates = Array.from(entries, ([key, entry]) => lastDate(key, entry)).sort();
  const newest = dates.at(-1) ?? today;
  const earliest = addDays(newest < today ? newest : today, -DAYS_KEPT);
  const recent = [...entries].filter(([key, entry]) => lastDate(key, entry) >= earliest);
  const isSame =
    recent.length === Object.keys(known).length && recent.every(([key, entry]) => known[key] === entry);
  return isSame ? known : Object.fromEntries(recent.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Two seasons and some weeks. They are counted back from today, or from the newest known day if that is earlier: a
 * clock that is years ahead must not drop everything.
 */
const DAYS_KEPT = 800;
