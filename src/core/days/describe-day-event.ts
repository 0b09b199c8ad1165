import { Temporal } from "temporal-polyfill";
import type { IsoDate } from "../calendar/tariff.ts";
import type { DayEvent } from "./day-events.ts";

/** A notice as its owner reads it in the log. */
export function describeDayEvent(notice: DayEvent): string {
  const day = describeDate(notice.date);
  switch (notice.kind) {
    case "announced":
      return `${day} is announced as ${notice.color}`;
    case "final":
      return `${day} is ${notice.color} for good: no correction comes any more`;
    case "revised":
      return `${day} was corrected: it is ${notice.color}, no longer ${notice.from}`;
  }
}

/** A notice as the `event` topic says it. */
export function dayEventPayload({ kind, ...rest }: DayEvent): Record<string, string> {
  return { event_type: kind, ...rest };
}

function describeDate(date: IsoDate): string {
  return Temporal.PlainDate.from(date).toLocaleString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
  });
}
