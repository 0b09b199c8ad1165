import type { ClockWithTimers } from "../../src/runtime/clock.ts";

/** The clock of the machine on which vigie runs: the true one, but while somebody has set it wrong. */
interface MachineClock extends ClockWithTimers {
  skew: () => number;
  set: (skew: number) => void;
  /** A new process, which has had no answer yet. */
  restart: () => void;
  /** An answer came, with the true time in its `Date`. */
  answerCame: () => void;
  mayShow: () => MayShow;
}

/**
 * What vigie may publish of the moment: `all`, by its own clock; `nothing`, because that clock is known to be wrong; `either`,
 * while too few answers have shown whether it is wrong.
 */
type MayShow = "all" | "nothing" | "either";

export function createMachineClock(time: ClockWithTimers): MachineClock {
  let skew = 0;
  const run = { hasAnswer: false, hasAnswerSinceStep: false };
  /** The newest instant that an answer may have been noted with. */
  let newest = Number.NEGATIVE_INFINITY;
  const now = () => time.now() + skew;
  const isSmall = () => Math.abs(skew) < TOLERATED;
  return {
    ...time,
    now,
    skew: () => skew,
    set: (wanted) => {
      skew = wanted;
      run.hasAnswerSinceStep = false;
    },
    restart: () => Object.assign(run, { hasAnswer: false, hasAnswerSinceStep: false }),
    answerCame: () => {
      Object.assign(run, { hasAnswer: true, hasAnswerSinceStep: true });
      newest = Math.max(newest, isSmall() ? now() : time.now());
    },
    mayShow: () => {
      if (isSmall()) return run.hasAnswer || newest - now() < SURELY_NOT_BEHIND ? "all" : "either";
      return run.hasAnswerSinceStep ? "nothing" : "either";
    },
  };
}

/** A clock that is set wrong by less than an hour is believed; steps keep clear of the hour itself. */
const TOLERATED = 3_000_000;
const SURELY_NOT_BEHIND = 290_000;
