import { z } from "zod";
import { COLORS } from "../core/calendar/tariff.ts";
import { dateSchema, instantSchema } from "../core/calendar/time-schemas.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import { type State, VERSION } from "./state.ts";

/** The text is not a state that vigie wrote. */
export class DamagedState extends Error {
  override name = "DamagedState";
}

/** The text was written by a newer version of vigie, whose data this one would lose. */
export class NewerState extends Error {
  override name = "NewerState";

  constructor(version: number) {
    super(
      `The state file has version ${version}, and this vigie knows versions up to ${VERSION}: a newer vigie wrote it. ` +
        "Run that one, or give this one a state folder of its own",
    );
  }
}

export function serialiseState(state: State): string {
  return `${JSON.stringify(state)}\n`;
}

/** Reads the text of a state file of this version or an older one; throws DamagedState or NewerState. */
export function parseState(text: string): State {
  const content = parseJson(text);
  const version = z.object({ version: z.int() }).safeParse(content).data?.version ?? 0;
  if (version > VERSION) throw new NewerState(version);
  const ofVersion2 = version === 1 ? upgradeVersion1(content) : content;
  return check(stateSchema, version < VERSION ? upgradeVersion2(ofVersion2) : ofVersion2);
}

function check<T>(schema: z.ZodType<T>, content: unknown): T {
  const { success, data, error } = schema.safeParse(content);
  if (!success) throw new DamagedState(z.prettifyError(error).replaceAll(/\s+/g, " "));
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedState("Expected the state file to be JSON, got something else or only a part of it", {
      cause,
    });
  }
}

/** In version 1 `published` was one place or null, and the first releases did not write the discovery prefix. */
function upgradeVersion1(content: unknown): unknown {
  const { published, ...rest } = z.looseObject({}).parse(content);
  const places = () => {
    if (published === null) return [];
    if (Array.isArray(published) || typeof published !== "object") return published;
    return [{ prefix: "homeassistant", ...published }];
  };
  return { ...rest, version: 2, published: places() };
}

/**
 * In version 2 a day had one official colour, the service's. What was final then stays so: the event was sent, and rules rely
 * on it. It was final also where its day had only begun; RTE's word of such a day counts more in any case.
 */
function upgradeVersion2(content: unknown): unknown {
  const { books, ...rest } = check(stateOfVersion2, content);
  const upgraded = Object.entries(books).map(([source, { days, ...book }]) => {
    const ofVersion3 = Object.entries(days).map(([date, { official, ...day }]) => {
      if (!official) return [date, day];
      const { seen_at, final, revised_from, ...word } = official;
      const service_word = { ...word, first_said: seen_at, confirmed: final };
      return [date, { ...day, service_word, ...(revised_from !== undefined && { revised_from }) }];
    });
    return [source, { ...book, days: Object.fromEntries(ofVersion3) }];
  });
  return {
    ...rest,
    version: VERSION,
    books: Object.fromEntries(upgraded),
    official_words: {},
    official_clients: {},
  };
}

const color = z.enum(COLORS);
const share = z.number().min(0).max(1);
const quota = z.object({ rouge: z.int(), blanc: z.int(), bleu: z.int() });
const rates = z.object({ hp: z.number().nullable(), hc: z.number().nullable() });

const forecastSchema = z.object({
  color: color.nullable(),
  raw: z.string().nullable(),
  confidence: share.nullable(),
  source: z.string().nullable(),
  explanation: z.string().nullable(),
  rates,
  said_at: instantSchema.nullable(),
  seen_at: instantSchema,
  by_date: z.literal(true).exactOptional(),
});

const wordSchema = z.object({ color, first_said: instantSchema, confirmed: z.boolean() });

const rteWordSchema = wordSchema.extend({ no_longer_named: z.literal(true).exactOptional() });

const daySchema = z.object({
  forecast: forecastSchema.exactOptional(),
  service_word: wordSchema.extend({ rates }).exactOptional(),
  revised_from: color.exactOptional(),
  prediction: z.object({ color: color.nullable(), confidence: share.nullable() }).exactOptional(),
});

const dayOfVersion2 = daySchema.omit({ service_word: true, revised_from: true }).extend({
  official: z
    .object({ color, rates, seen_at: instantSchema, final: z.boolean(), revised_from: color.exactOptional() })
    .exactOptional(),
});

const seasonSchema = z.object({
  label: z.string(),
  start: dateSchema,
  end: dateSchema,
  remaining: quota,
  total: quota,
  days_elapsed: z.int(),
  days_remaining: z.int(),
  seen_at: instantSchema,
});

const knownDaysSchema: z.ZodType<KnownDays> = z.object({
  days: z.record(dateSchema, daySchema),
  seasons: z.record(z.string(), seasonSchema),
  updated_at: instantSchema.nullable(),
});

const stateSchema: z.ZodType<State> = z.object({
  version: z.literal(VERSION),
  installation: z.string().min(1),
  incarnation: z.string().nullable(),
  yielded_to: z
    .object({ installation: z.string(), said_at: instantSchema, said_on: z.string() })
    .exactOptional(),
  published: z.array(z.object({ base_topic: z.string(), instance: z.string(), prefix: z.string() })),
  books: z.record(z.string(), knownDaysSchema),
  clients: z.record(z.string(), z.record(z.string(), z.unknown())),
  official_words: z.record(z.string(), z.record(dateSchema, rteWordSchema)),
  official_clients: z.record(z.string(), z.record(z.string(), z.unknown())),
  moved_days: z.record(z.iso.date(), color).exactOptional(),
  rules: z.unknown().exactOptional(),
  settings: z.unknown().exactOptional(),
  outputs: z.unknown().exactOptional(),
  messages: z.unknown().exactOptional(),
  simulation: z.unknown().exactOptional(),
  values: z.unknown().exactOptional(),
  ended_in_order: z.literal(true).exactOptional(),
});

/** What of it has changed since. */
const stateOfVersion2 = z.looseObject({
  version: z.literal(2),
  books: z.record(
    z.string(),
    z.looseObject({
      days: z.record(dateSchema, dayOfVersion2),
    }),
  ),
});
