/**
 * Runs a part; returns whether it ended without an error of vigie itself. The part goes by this name in the log. A name stands
 * for one thing that runs once in a look: if it ran twice, a success would end the problem that the other one began.
 */
export type Protect = (part: string, run: () => void) => boolean;

/** Errors go through. */
export const UNPROTECTED: Protect = (_part, run) => {
  run();
  return true;
};
