import { parse } from "node-cron";
import type { Instant } from "../core/calendar/tariff.ts";

/**
 * When to look whether a poll is due: once a minute, at a second of this installation's own. node-cron reads the
 * expression, and each minute of UTC has that second (a zone with summer time loses an hour each October). The next run is
 * counted here, by vigie's clock, which may run fast: node-cron goes by the machine's own. The loop waits until then, and not
 * node-cron: that does not notice a clock that was set back, and stops working after one that was set forward by years.
 */
export function pollCron(offset: number): { next: (after: Instant) => Instant } {
  const [second = 0] = parse(`${Math.floor(offset * 60)} * * * * *`).second;
  const shift = second * 1000;
  return { next: (after) => Math.floor((after - shift) / MINUTE) * MINUTE + shift + MINUTE };
}

const MINUTE = 60_000;
