import { z } from "zod";
import { COLORS } from "../core/calendar/tariff.ts";
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
  const state = stateSchema.safeParse(version === 1 ? upgradeVersion1(content) : content);
  if (!state.success) throw new DamagedState(z.prettifyError(state.error).replaceAll(/\s+/g, " "));
  return state.data;
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
  return { ...rest, version: VERSION, published: places() };
}

const instant = z.number();
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
  said_at: instant.nullable(),
  seen_at: instant,
  by_date: z.literal(true).exactOptional(),
});

const officialSchema = z.object({
  color,
  rates,
  seen_at: instant,
  final: z.boolean(),
  revised_from: color.exactOptional(),
});

const daySchema = z.object({
  forecast: forecastSchema.exactOptional(),
  official: officialSchema.exactOptional(),
  prediction: z.object({ color: color.nullable(), confidence: share.nullable() }).exactOptional(),
});

const seasonSchema = z.object({
  label: z.string(),
  start: z.iso.date(),
  end: z.iso.date(),
  remaining: quota,
  total: quota,
  days_elapsed: z.int(),
  days_remaining: z.int(),
  seen_at: instant,
});

const knownDaysSchema: z.ZodType<KnownDays> = z.object({
  days: z.record(z.iso.date(), daySchema),
  seasons: z.record(z.string(), seasonSchema),
  updated_at: instant.nullable(),
});

const stateSchema: z.ZodType<State> = z.object({
  version: z.literal(VERSION),
  installation: z.string().min(1),
  incarnation: z.string().nullable(),
  published: z.array(z.object({ base_topic: z.string(), instance: z.string(), prefix: z.string() })),
  books: z.record(z.string(), knownDaysSchema),
  clients: z.record(z.string(), z.record(z.string(), z.unknown())),
  official_clients: z.record(z.string(), z.record(z.string(), z.unknown())).exactOptional(),
  rules: z.unknown().exactOptional(),
  settings: z.unknown().exactOptional(),
  outputs: z.unknown().exactOptional(),
  simulation: z.unknown().exactOptional(),
});
