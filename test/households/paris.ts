import { instantsOf, readTime } from "./calendar.ts";

/** When the wall clock in Paris first shows this time, such as 10:30, on this date. */
export function instantInParis(date: string, time: string): number {
  return instantsOf(date, readTime(time))[0]!;
}
