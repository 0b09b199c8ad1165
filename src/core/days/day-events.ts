import { addDays, tariffDate } from "../calendar/dates.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays, OfficialColor } from "./known-days.ts";

/** What happened to the official colour of a day. */
export type DayEvent =
  | { kind: "announced"; date: IsoDate; color: Color }
  | { kind: "final"; date: IsoDate; color: Color }
  | { kind: "revised"; date: IsoDate; color: Color; from: Color };

/**
 * What became official, final or another colour between two books, by date. Days gone by are not announced: a year of
 * history is no news. That yesterday was corrected is.
 */
export function findDayEvents(before: KnownDays, after: KnownDays, now: Instant, tariff: Tariff): DayEvent[] {
  if (before.days === after.days) return [];
  const inForce = tariffDate(now, tariff);
  const yesterday = addDays(inForce, -1);
  return Object.keys(after.days)
    .filter((date) => date >= yesterday && before.days[date] !== after.days[date])
    .sort()
    .flatMap((date) => compareDays(date, before.days[date]?.official, after.days[date]?.official))
    .filter(({ kind, date }) => kind === "revised" || date >= inForce);
}

function compareDays(
  date: IsoDate,
  before: OfficialColor | undefined,
  after: OfficialColor | undefined,
): DayEvent[] {
  if (!after) return [];
  const { color } = after;
  const isNew = before?.color !== color;
  const notices: DayEvent[] = [];
  if (!before) notices.push({ kind: "announced", date, color });
  else if (isNew) notices.push({ kind: "revised", date, color, from: before.color });
  if (after.final && (isNew || !before?.final)) notices.push({ kind: "final", date, color });
  return notices;
}
