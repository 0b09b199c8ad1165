import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";

interface WithHeaders {
  /** By name, in small letters. */
  headers: ReadonlyMap<string, string>;
}

/** Of a header that came several times the first counts. */
export function firstValues(headers: Record<string, string | string[] | undefined>): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values.set(name.toLowerCase(), first);
  }
  return values;
}

/** Milliseconds that an answer asks to wait; a date is measured by the server's own clock if it sends that. null: it does not say. */
export function retryAfterOf(response: WithHeaders, now: Instant): number | null {
  const text = response.headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const at = readHttpDate(text);
  return at === null ? null : Math.max(0, at - (serverTime(response) ?? now));
}

/** The server's clock, if it sends it. */
export function serverTime({ headers }: WithHeaders): Instant | null {
  return readHttpDate(headers.get("date") ?? "");
}

/** The instant of `Sun, 06 Nov 1994 08:49:37 GMT`, the form of RFC 9110, 5.6.7; null for anything else. */
function readHttpDate(text: string): Instant | null {
  const { data: at } = instantSchema.safeParse(Date.parse(text));
  return at !== undefined && new Date(at).toUTCString() === text.trim() ? at : null;
}
