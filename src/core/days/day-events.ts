import { addDays, tariffDate } from "../calendar/dates.ts";
import { dayInWords } from "../calendar/day-in-words.ts";
import type { Color, Instant, IsoDate, Tariff } from "../calendar/tariff.ts";
import type { KnownDays } from "./known-days.ts";
import { type OfficialColor, officialColor } from "./official-color.ts";

/** What happened to the official colour of a day. */
export type DayEvent =
  | { kind: "announced"; date: IsoDate; color: Color }
  | { kind: "final"; date: IsoDate; color: Color }
  | { kind: "revised"; date: IsoDate; color: Color; from: Color };

/**
 * What became official, final or another colour between two states of the known days, by date. The colours compared are
 * those shown, whichever source named them. Past days are not
 * announced, or else the first history answer would announce a year. But a revision of yesterday is an event.
 */
export function findDayEvents(before: KnownDays, after: KnownDays, now: Instant, tariff: Tariff): DayEvent[] {
  if (before.days === after.days) return [];
  const inForce = tariffDate(now, tariff);
  const yesterday = addDays(inForce, -1);
  return Object.keys(after.days)
    .filter((date) => date >= yesterday && before.days[date] !== after.days[date])
    .sort()
    .flatMap((date) => {
      const isOver = date < inForce;
      return eventsOf(
        date,
        officialColor(before.days[date], isOver),
        officialColor(after.days[date], isOver),
      );
    })
    .filter(({ kind, date }) => kind === "revised" || date >= inForce);
}

/** The sentence for the log. */
export function describeDayEvent(event: DayEvent): string {
  const day = dayInWords(event.date, "en");
  switch (event.kind) {
    case "announced":
      return `${day} is announced as ${event.color}`;
    case "final":
      return `The colour of ${day} is final: ${event.color}`;
    case "revised":
      return `${day} was corrected: it is ${event.color}, no longer ${event.from}`;
  }
}

/** The payload of the `event` topic. */
export function dayEventPayload({ kind, ...rest }: DayEvent): Record<string, string> {
  return { event_type: kind, ...rest };
}

function eventsOf(
  date: IsoDate,
  before: OfficialColor | undefined,
  after: OfficialColor | undefined,
): DayEvent[] {
  if (!after) return [];
  const { color } = after;
  const isNewColor = before?.color !== color;
  const events: DayEvent[] = [];
  if (!before) events.push({ kind: "announced", date, color });
  else if (isNewColor) events.push({ kind: "revised", date, color, from: before.color });
  if (after.confirmed && (isNewColor || !before?.confirmed)) events.push({ kind: "final", date, color });
  return events;
}
