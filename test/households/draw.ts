import { pick, type Random } from "./random.ts";

/** Draws at random, with a few words that make a generator readable. */
export interface Draw {
  random: Random;
  chance: (of: number) => boolean;
  /** A whole number, both included. */
  whole: (low: number, high: number) => number;
  one: <T>(from: readonly [T, ...T[]]) => T;
  /** So many, each drawn anew. */
  times: <T>(low: number, high: number, make: () => T) => T[];
}

export function drawFrom(random: Random): Draw {
  const whole = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  return {
    random,
    chance: (of) => random() < of,
    whole,
    one: (from) => pick(from, random),
    times: (low, high, make) => Array.from({ length: whole(low, high) }, make),
  };
}
