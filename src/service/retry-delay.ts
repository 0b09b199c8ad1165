import { LONGEST_PAUSE_WAITED } from "./politeness.ts";
import { AnswerUnreadable, ServiceBusy, ServiceFailed, ServiceUnreachable } from "./service-errors.ts";

/**
 * How long to wait before another try, or null where another try is no use. Exponential with full jitter, so that a
 * thousand houses do not come back at once. `attempt` counts from 1, `random` is from 0 to 1.
 */
export function retryDelay(error: unknown, attempt: number, random: number): number | null {
  if (error instanceof ServiceUnreachable || error instanceof ServiceFailed) return backoff(attempt, random);
  if (error instanceof AnswerUnreadable) return error.cut ? backoff(attempt, random) : null;
  // The pause itself is kept by politeness; one that outlasts a poll is left to the next poll.
  if (error instanceof ServiceBusy) return (error.retryAfter ?? 0) > LONGEST_PAUSE_WAITED ? null : 0;
  return null;
}

function backoff(attempt: number, random: number): number {
  return Math.round(random * Math.min(LONGEST, FIRST * 3 ** (attempt - 1)));
}

const FIRST = 5_000;
const LONGEST = 300_000;
