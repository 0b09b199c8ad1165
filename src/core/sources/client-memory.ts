import { z } from "zod";
import type { Instant } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { NO_REQUESTS, requestMemorySchema } from "./request-memory.ts";

/** What the client has learnt of one forecast service, and how much it sent to it. Plain data, kept in the state file. */
export const clientMemorySchema = requestMemorySchema.extend({
  /** A confidence over 1 was seen: this service sends percent. */
  percent: z.boolean(),
  /** The parameter names that this service understood in a request for history. */
  history_parameters: z.object({ start: z.string(), end: z.string() }).nullable(),
  /** Answers of the date endpoint that did not say `is_official`: since when, how many, the last one. */
  official_missing: z
    .object({ since: instantSchema, answers: z.number().int(), last: instantSchema })
    .nullable(),
});

export type ClientMemory = z.output<typeof clientMemorySchema>;

/**
 * Whether the service never sends `is_official`: three days of answers without it. After a week the date endpoint is
 * requested again, in case the service has begun to send it.
 */
export function isOfficialSilent(
  { official_missing: missing }: Partial<Pick<ClientMemory, "official_missing">>,
  now: Instant,
): boolean {
  if (!missing || missing.answers < ENOUGH_ANSWERS) return false;
  return missing.last - missing.since >= SILENT_AFTER && now - missing.last < REQUESTED_AGAIN_AFTER;
}

/** The memory after an answer of the date endpoint. */
export function noteOfficial(memory: ClientMemory, official: boolean | null, now: Instant): ClientMemory {
  if (official !== null) return { ...memory, official_missing: null };
  const before = memory.official_missing ?? { since: now, answers: 0 };
  const official_missing = { since: before.since, answers: before.answers + 1, last: now };
  return { ...memory, official_missing };
}

export const EMPTY_MEMORY: ClientMemory = {
  ...NO_REQUESTS,
  percent: false,
  history_parameters: null,
  official_missing: null,
};

const DAY = 86_400_000;
const SILENT_AFTER = 3 * DAY;
const REQUESTED_AGAIN_AFTER = 7 * DAY;
/** Two answers are not enough: the clock may have been set between them. */
const ENOUGH_ANSWERS = 24;
