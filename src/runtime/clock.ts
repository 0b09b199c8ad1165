import type { Instant } from "../core/calendar/tariff.ts";

/** The only place that reads the clock. */
export interface Clock {
  /** The wall clock. */
  now(): Instant;
  /** Milliseconds that only ever go forward, for how long something took and to notice that the wall clock was set. */
  steady(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
};
