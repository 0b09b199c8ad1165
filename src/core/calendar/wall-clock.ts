import { wallTime } from "./dates.ts";
import type { Instant } from "./tariff.ts";

/** What the wall clock shows at an instant, in milliseconds since midnight. */
export function wallClock(at: Instant, timeZone: string): number {
  return sinceMidnight(wallTime(at, timeZone).slice(TIME_FROM)) + (((at % SECOND) + SECOND) % SECOND);
}

/** `06:30` or `06:30:15` as milliseconds since midnight. */
export function sinceMidnight(time: string): number {
  const [hours, minutes, seconds] = [time.slice(0, 2), time.slice(3, 5), time.slice(6, 8)];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
}

const SECOND = 1000;
const TIME_FROM = "2026-01-05T".length;
