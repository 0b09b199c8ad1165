import { z } from "zod";
import type { IsoDate } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { NEVER_ASKED, type Seldom, type SourceRecord } from "../facts/source-record.ts";

const memorySchema = z.object({
  /** Requests sent on a day (UTC). */
  spent: z.object({ day: z.iso.date(), count: z.number().int().nonnegative() }),
  /** When requests were sent within the last minute: the limit holds also for a vigie that is killed again and again. */
  recent: z.array(instantSchema).default([]),
  /** When the last request was sent, by this machine's clock. Absent in the state file of an older vigie. */
  sent_at: instantSchema.nullable().default(null),
  /** The pause after a 429; `turns` counts the 429s in a row. */
  pause: z.object({ until: instantSchema, turns: z.number().int() }).nullable(),
  /** A confidence over 1 was seen: this service sends percent. */
  percent: z.boolean().default(false),
  /** The parameter names that this service understood in a request for history. */
  history_parameters: z.object({ start: z.string(), end: z.string() }).nullable().default(null),
});

/** What the client of a source has counted and learnt. Only a forecast service teaches the last two. */
export type ClientMemory = z.output<typeof memorySchema>;

/** What the state file holds of a source beside the days. Plain data. */
export interface SourceKept extends ClientMemory, SourceRecord {
  asked: LastAnswered;
}

/** When what is asked once a day was last answered: the tariff day of the season, as a service counts those, and the civil date of the history. */
export type LastAnswered = Readonly<Record<Seldom, IsoDate | null>>;

const failure = z.object({ at: instantSchema, count: z.int(), sentence: z.string() });
const keptSchema: z.ZodType<SourceKept> = memorySchema.extend({
  answered_at: instantSchema.nullable().default(null),
  failing: z.object({ since: instantSchema, sentence: z.string() }).nullable().default(null),
  asked: z
    .object({ season: z.iso.date().nullable(), history: z.iso.date().nullable() })
    .default({ season: null, history: null }),
  // Those of an older vigie had no sentence, and count as none.
  failures: z.object({ season: failure.exactOptional(), history: failure.exactOptional() }).catch({}),
});

/** What cannot be read counts as nothing. */
export function readSource(kept: unknown): SourceKept {
  return keptSchema.safeParse(kept).data ?? NEW_SOURCE;
}

export function clientMemoryOf(kept: SourceKept): ClientMemory {
  return memorySchema.parse(kept);
}

export const EMPTY_MEMORY: ClientMemory = {
  spent: { day: "1970-01-01", count: 0 },
  recent: [],
  sent_at: null,
  pause: null,
  percent: false,
  history_parameters: null,
};

export const NEW_SOURCE: SourceKept = {
  ...EMPTY_MEMORY,
  ...NEVER_ASKED,
  asked: { season: null, history: null },
};
