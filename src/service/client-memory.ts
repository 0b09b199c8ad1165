import { z } from "zod";
import type { Instant } from "../core/calendar/tariff.ts";

/** What the client has learned of one service and spent on it: plain data, kept in the state file, one a source. */
export const clientMemorySchema = z.object({
  /** Confidence was seen over 1: this service counts in percent. */
  percent: z.boolean(),
  /** The names of the history parameters that worked. */
  history_parameters: z.object({ start: z.string(), end: z.string() }).nullable(),
  spent: z.object({ day: z.iso.date(), count: z.number().int().nonnegative() }),
  pause: z.object({ until: z.number(), turns: z.number().int() }).nullable(),
  /** Answers of the date endpoint that did not say `is_official`: since when, how many, the last one. */
  official_missing: z.object({ since: z.number(), answers: z.number().int(), last: z.number() }).nullable(),
});

export type ClientMemory = z.output<typeof clientMemorySchema>;

/** Where the memory lives: the daemon persists it, a command forgets it. `set` is called after every request. */
export interface MemoryKeeper {
  get(): ClientMemory;
  set(memory: ClientMemory): void;
}

export function keepMemory(memory: ClientMemory = EMPTY_MEMORY): MemoryKeeper {
  let kept = memory;
  return {
    get: () => kept,
    set: (next) => {
      kept = next;
    },
  };
}

/**
 * True for a service that never says `is_official`: three days of answers without it. It is asked again after a week, so
 * that a service that learns to say it is noticed.
 */
export function isOfficialSilent(memory: ClientMemory, now: Instant): boolean {
  const missing = memory.official_missing;
  if (missing === null || missing.answers < ENOUGH_ANSWERS) return false;
  return missing.last - missing.since >= SILENT_AFTER && now - missing.last < ASKED_AGAIN_AFTER;
}

/** The memory after an answer of the date endpoint. */
export function noteOfficial(memory: ClientMemory, official: boolean | null, now: Instant): ClientMemory {
  if (official !== null) return { ...memory, official_missing: null };
  const before = memory.official_missing ?? { since: now, answers: 0 };
  const official_missing = { since: before.since, answers: before.answers + 1, last: now };
  return { ...memory, official_missing };
}

export const EMPTY_MEMORY: ClientMemory = {
  percent: false,
  history_parameters: null,
  spent: { day: "1970-01-01", count: 0 },
  pause: null,
  official_missing: null,
};

const DAY = 86_400_000;
const SILENT_AFTER = 3 * DAY;
const ASKED_AGAIN_AFTER = 7 * DAY;
/** A clock set right between two answers makes no silence of three days. */
const ENOUGH_ANSWERS = 24;
