import { describeDuration } from "../runtime/duration.ts";

export function describeJump(by: number): string {
  const length = describeDuration(Math.abs(by));
  return by > 0
    ? `The clock went forward by ${length}: this machine was suspended, or its clock was set`
    : `The clock was set back by ${length}`;
}

/** A smaller jump is a correction of the clock, and is not logged. */
export const WORTH_LOGGING = 60_000;
