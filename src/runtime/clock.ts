/** The only place that reads the clock. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970-01-01T00:00Z. */
  now(): number;
  /** Milliseconds that only go forward: to measure durations, and to notice that the wall clock was set. */
  steady(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
};
