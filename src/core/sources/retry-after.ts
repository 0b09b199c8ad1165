import type { Instant } from "../calendar/tariff.ts";

/** After a 429 nothing is sent until then; `turns` counts the 429s in a row. */
export interface Pause {
  until: Instant;
  turns: number;
}

/** The pause after a 429: as long as the service asks for, else a minute; with each further 429 it doubles. */
export function pauseAfter(before: Pause | null, retryAfter: number | null, now: Instant): Pause {
  const turns = (before?.turns ?? 0) + 1;
  const doubled = FIRST_PAUSE * 2 ** Math.min(turns - 1, 10);
  const length = retryAfter === null ? doubled : Math.max(retryAfter, turns > 1 ? doubled / 2 : 0);
  return { until: now + Math.min(length, LONGEST_PAUSE), turns };
}

/** A pause that ends later than any pause can was noted while the clock was wrong: it does not count. */
export function pauseLeft(pause: Pause | null, now: Instant): number {
  if (pause === null) return 0;
  const left = pause.until - now;
  return left > LONGEST_PAUSE ? 0 : Math.max(0, left);
}

export const LONGEST_PAUSE = 3_600_000;
const FIRST_PAUSE = 60_000;
