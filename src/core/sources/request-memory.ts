import { z } from "zod";
import { instantSchema } from "../calendar/time-schemas.ts";

/** How much was sent to a source. Plain data, kept in the state file. */
export const requestMemorySchema = z.object({
  /** Requests sent on a day (UTC). */
  spent: z.object({ day: z.iso.date(), count: z.number().int().nonnegative() }),
  /** When requests were sent within the last minute: the limit holds also for a vigie that is killed again and again. */
  recent: z.array(instantSchema).default([]),
  /** When the last request was sent, by this machine's clock. Absent in the state file of an older vigie. */
  sent_at: instantSchema.nullable().default(null),
  /** The pause after a 429; `turns` counts the 429s in a row. */
  pause: z.object({ until: instantSchema, turns: z.number().int() }).nullable(),
});

export type RequestMemory = z.output<typeof requestMemorySchema>;

/** Of the official source also since when it does not answer: a restart must not hide that it died. */
export const officialMemorySchema = requestMemorySchema.extend({
  failing_since: instantSchema.nullable().default(null),
});

export type OfficialMemory = z.output<typeof officialMemorySchema>;

export const NO_REQUESTS: RequestMemory = {
  spent: { day: "1970-01-01", count: 0 },
  recent: [],
  sent_at: null,
  pause: null,
};

export const NO_OFFICIAL_MEMORY: OfficialMemory = { ...NO_REQUESTS, failing_since: null };
