import type { Clock } from "../../src/runtime/clock.ts";

/** The clock of the machine on which vigie runs: the true one, but while somebody has set it wrong. */
export interface MachineClock extends Clock {
  skew: () => number;
  set: (skew: number) => void;
  /** A new process, which has heard nothing yet. */
  born: () => void;
  /** An answer came, with the true time in its `Date`. */
  heard: () => void;
  belief: () => Belief;
}

/**
 * What vigie may say of the moment: `own`, all of it, by its own clock; `nothing`, for that clock is known to be wrong;
 * `either`, while nothing or not enough has shown that it is.
 */
export type Belief = "own" | "nothing" | "either";

export function createMachineClock(time: Clock): MachineClock {
  let skew = 0;
  const life = { hasHeard: false, hasHeardSinceStep: false };
  /** The newest instant that an answer may have been noted with. */
  let newest = Number.NEGATIVE_INFINITY;
  const now = () => time.now() + skew;
  const isSmall = () => Math.abs(skew) < TOLERATED;
  return {
    now,
    steady: time.steady,
    skew: () => skew,
    set: (wanted) => {
      skew = wanted;
      life.hasHeardSinceStep = false;
    },
    born: () => Object.assign(life, { hasHeard: false, hasHeardSinceStep: false }),
    heard: () => {
      Object.assign(life, { hasHeard: true, hasHeardSinceStep: true });
      newest = Math.max(newest, isSmall() ? now() : time.now());
    },
    belief: () => {
      if (isSmall()) return life.hasHeard || newest - now() < SURELY_NOT_BEHIND ? "own" : "either";
      return life.hasHeardSinceStep ? "nothing" : "either";
    },
  };
}

/** A clock that is set wrong by less than an hour is believed; steps keep clear of the hour itself. */
const TOLERATED = 3_000_000;
const SURELY_NOT_BEHIND = 290_000;
