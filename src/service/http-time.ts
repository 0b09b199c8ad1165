import { Temporal } from "temporal-polyfill";
import type { Instant } from "../core/calendar/tariff.ts";

/** The instant of a header like `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); null for anything else. */
export function readHttpTime(text: string): Instant | null {
  const [, day, month, year, time] = HTTP_TIME.exec(text.trim()) ?? [];
  const number = MONTHS.indexOf(month ?? "none") + 1;
  if (day === undefined || year === undefined || time === undefined || number === 0) return null;
  try {
    const plain = `${year}-${String(number).padStart(2, "0")}-${day}T${time}Z`;
    return Temporal.Instant.from(plain).epochMilliseconds;
  } catch {
    // A day that the calendar does not have: as good as none.
    return null;
  }
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as an instant; null where it is absent or junk. */
export function readRetryAfter(text: string | null, now: Instant): number | null {
  if (text === null) return null;
  if (/^\d{1,12}$/.test(text.trim())) return Number(text) * 1000;
  const at = readHttpTime(text);
  return at === null ? null : Math.max(0, at - now);
}

const HTTP_TIME = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
