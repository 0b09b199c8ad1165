import type { Instant } from "../../src/core/calendar/tariff.ts";

/** What can be wrong in a season; each must not happen at all. */
export const WRONGS = ["colour", "boundary", "orphan", "rule", "clock"] as const;
export type Wrong = (typeof WRONGS)[number];

/** Counts what was wrong, and keeps the sentences. */
interface Tally {
  complain: (kind: Wrong, what: readonly string[]) => void;
  counts: Readonly<Record<Wrong, number>>;
  sentences: readonly string[];
}

export function createTally(now: () => Instant): Tally {
  const counts: Record<Wrong, number> = { colour: 0, boundary: 0, orphan: 0, rule: 0, clock: 0 };
  const sentences: string[] = [];
  return {
    counts,
    sentences,
    complain: (kind, what) => {
      counts[kind] += what.length;
      sentences.push(...what.map((one) => `${new Date(now()).toISOString()} ${kind}: ${one}`));
    },
  };
}
