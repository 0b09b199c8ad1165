/** The only place that reads the clock. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970-01-01T00:00Z. */
  now(): number;
  /** Milliseconds that only go forward: to measure durations, and to notice that the wall clock was set. */
  steady(): number;
}

/**
 * What vigie plans waits by its clock, which may run fast: the next look, a retry, a repetition. How long another program
 * may take to answer is real time (`wait.ts`).
 */
export interface ClockWithTimers extends Clock {
  /** Calls back when this many milliseconds have passed by this clock. Returns how to cancel. */
  after(milliseconds: number, run: () => void): () => void;
  /** Resolves as this promise does. While another program is awaited so, a fast clock runs no faster than the real one. */
  atRealPace<T>(answer: Promise<T>): Promise<T>;
}

/** What both clocks show at this moment. */
export function readClocks(clock: Clock): { now: number; steady: number } {
  return { now: clock.now(), steady: clock.steady() };
}

/** Milliseconds: the two may differ by as much without a jump of one of them. */
export const TOLERATED_JUMP = 2_000;

export const systemClock: ClockWithTimers = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  atRealPace: (answer) => answer,
};
