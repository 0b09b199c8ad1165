import type { Instant } from "./tariff.ts";

/** What both clocks of this machine showed when something happened. */
export interface Clocks {
  /** The wall clock, which may be set. */
  now: Instant;
  /** Milliseconds that only go forward: durations are counted by it. */
  steady: number;
}
