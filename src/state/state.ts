import { z } from "zod";
import { COLORS } from "../core/calendar/tariff.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { forgetAcknowledgements, readOutputsState } from "../core/outputs/outputs-state.ts";

/** All that survives a restart, as the state file holds it. The names of its keys are part of the file's format. */
export interface State {
  version: typeof VERSION;
  /** A random id of this state folder; never changes. */
  installation: string;
  /** A random id of the last start that wrote to the broker. */
  incarnation: string | null;
  /** Where retained messages of this vigie may be on the broker; the last entry is where it publishes now. */
  published: { base_topic: string; instance: string; prefix: string }[];
  /** The known days of each source (`simulator` or an address), never mixed; the source used last is the last key. */
  books: Record<string, KnownDays>;
  /** What the service client learnt about each source; the client reads and checks its own part. */
  clients: Record<string, Record<string, unknown>>;
  /** What rules, their settings, outputs and the simulation remember; each of them reads and checks its own part. */
  rules?: unknown;
  settings?: unknown;
  outputs?: unknown;
  simulation?: unknown;
}

export function emptyState(installation: string): State {
  return { version: VERSION, installation, incarnation: null, published: [], books: {}, clients: {} };
}

/**
 * What counts of a state when the one saved after it is lost. Known days stay true, but:
 * - Another payload may have been sent since. Were `on` of 22:00 trusted although the lost state said `off` of 06:00, the
 *   next `on` would never be sent. So each payload in force is sent once more.
 * - A simulation may have been ended since. So none goes on.
 */
export function recoverState({ simulation, outputs, ...rest }: State): State {
  return { ...rest, outputs: forgetAcknowledgements(readOutputsState(outputs)) };
}

export function knownDaysOf(state: State, source: string): KnownDays {
  return (Object.hasOwn(state.books, source) ? state.books[source] : undefined) ?? NO_KNOWN_DAYS;
}

/** The state with this as what is known of the source now in use; only the sources used last are kept. */
export function withSource(
  state: State,
  source: string,
  { knownDays, client }: { knownDays: KnownDays; client: Record<string, unknown> },
): State {
  return {
    ...state,
    books: moveToEnd(state.books, source, knownDays),
    clients: moveToEnd(state.clients, source, client),
  };
}

function moveToEnd<T>(record: Record<string, T>, key: string, value: T): Record<string, T> {
  const others = Object.entries(record).filter(([other]) => other !== key);
  return Object.fromEntries([...others.slice(1 - SOURCES_KEPT), [key, value]]);
}

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

const VERSION = 2;
const SOURCES_KEPT = 3;

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
  rules: z.unknown().exactOptional(),
  settings: z.unknown().exactOptional(),
  outputs: z.unknown().exactOptional(),
  simulation: z.unknown().exactOptional(),
});
