import { z } from "zod";
import { COLORS } from "../core/calendar/tariff.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { renewContent, versionOf } from "./upgrade-state.ts";

/** All that survives a restart. When it was written is no part of it. */
export interface State {
  version: typeof VERSION;
  /** Names this state folder for ever. */
  installation: string;
  /** Names the last start that wrote to the broker. */
  incarnation: string | null;
  /** Where something of ours may be on the broker, the place of now at the end. */
  published: { base_topic: string; instance: string; prefix: string }[];
  /** One a source, the one used last at the end; never mixed. */
  books: Record<string, KnownDays>;
  /** What the service client learned of a source; its own room reads it. */
  clients: Record<string, Record<string, unknown>>;
  /** What rules, their settings, outputs and a pretended colour have to remember; each room reads its own. */
  rules?: unknown;
  settings?: unknown;
  outputs?: unknown;
  simulation?: unknown;
}

export function emptyState(installation: string): State {
  return { version: VERSION, installation, incarnation: null, published: [], books: {}, clients: {} };
}

/** Reads what a state file holds, an older one too; throws DamagedState or NewerState. */
export function parseState(text: string): State {
  const content = parseJson(text);
  const version = versionOf(content) ?? 0;
  if (version > VERSION) throw new NewerState(version);
  const state = stateSchema.safeParse(renewContent(content, VERSION));
  if (!state.success) throw new DamagedState(z.prettifyError(state.error).replaceAll(/\s+/g, " "));
  return state.data;
}

export function serialiseState(state: State): string {
  return `${JSON.stringify(state)}\n`;
}

export function knownDaysOf(state: State, source: string): KnownDays {
  return (Object.hasOwn(state.books, source) ? state.books[source] : undefined) ?? NO_KNOWN_DAYS;
}

/** Keeps these known days and what the client learned as those of the source now in use; the oldest source gives way. */
export function withSource(
  state: State,
  source: string,
  { knownDays, client }: { knownDays: KnownDays; client: Record<string, unknown> },
): State {
  if (
    Object.keys(state.books).at(-1) === source &&
    state.books[source] === knownDays &&
    state.clients[source] === client
  ) {
    return state;
  }
  return {
    ...state,
    books: moveToEnd(state.books, source, knownDays),
    clients: moveToEnd(state.clients, source, client),
  };
}

/** The file is not what vigie wrote. */
export class DamagedState extends Error {
  override name = "DamagedState";
}

/** The file was written by a newer vigie: it is left as it is. */
export class NewerState extends Error {
  override name = "NewerState";
  readonly version: number;

  constructor(version: number) {
    super(
      `Expected the version of the state file to be at most ${VERSION}, got ${version}: a newer vigie wrote it`,
    );
    this.version = version;
  }
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

function moveToEnd<T>(record: Record<string, T>, key: string, value: T): Record<string, T> {
  const others = Object.entries(record).filter(([other]) => other !== key);
  return Object.fromEntries([...others.slice(1 - SOURCES_KEPT), [key, value]]);
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
