import { LONGEST_PAUSE_WAITED } from "../core/sources/request-limits.ts";
import { AnswerUnreadable, ServiceBusy, ServiceFailed, ServiceUnreachable } from "./service-errors.ts";

/**
 * How long to wait before a request is tried again; null where that is of no use. Exponential with full jitter, so that
 * many installations do not come back at once. `attempt` counts from 1, `random` is from 0 to 1.
 */
export function retryDelay(error: unknown, attempt: number, random: number): number | null {
  const delay = Math.round(random * Math.min(LONGEST_DELAY, FIRST_DELAY * 3 ** (attempt - 1)));
  if (error instanceof ServiceUnreachable || error instanceof ServiceFailed) return delay;
  if (error instanceof AnswerUnreadable) return error.cut ? delay : null;
  // The pause is kept by `requestAllowance`; one that is longer than a poll is left to the next poll.
  if (error instanceof ServiceBusy) return (error.retryAfter ?? 0) > LONGEST_PAUSE_WAITED ? null : 0;
  return null;
}

const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 300_000;
