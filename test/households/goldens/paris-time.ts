import { instantsOf, wallClock } from "../calendar.ts";

/** `2026-01-05 06:00`, to the nearest minute: vigie counts in seconds what ends at a whole minute. */
export function nearestMinute(at: number): string {
  const minute = Math.round(at / MINUTE) * MINUTE;
  const { date, minutes } = wallClock(minute);
  // In the night in which an hour comes twice.
  const again = instantsOf(date, minutes)[1] === minute ? " again" : "";
  return `${date} ${clockTime(minutes)}${again}`;
}

/** `06:00:07`. */
export function secondOfDay(at: number): string {
  const { minutes } = wallClock(at);
  return `${clockTime(minutes)}:${String(Math.floor((at % MINUTE) / 1000)).padStart(2, "0")}`;
}

function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

const MINUTE = 60_000;
