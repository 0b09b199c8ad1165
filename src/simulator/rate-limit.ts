import type { Instant } from "../core/calendar/tariff.ts";

/** Counts requests by client and minute of the given clock; false from the first one too many on (section 8). */
export function rateLimit(perMinute: number): (client: string, at: Instant) => boolean {
  let minute = 0;
  let counts = new Map<string, number>();
  return (client, at) => {
    const current = Math.floor(at / 60_000);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    const count = (counts.get(client) ?? 0) + 1;
    counts.set(client, count);
    return count <= perMinute;
  };
}
