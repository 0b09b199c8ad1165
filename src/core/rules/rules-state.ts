import { z } from "zod";
import { COLORS, type Instant } from "../calendar/tariff.ts";
import type { HeldForecasts } from "./held-forecasts.ts";
import type { Truth } from "./truth.ts";

/** What the next evaluation needs of the last one, also after a restart: the state file holds it with these keys. */
export interface RulesState {
  /** When the rules were evaluated last. */
  at: Instant | null;
  /** The forecasts that were known then; empty where no rule has a hold. */
  heard: HeldForecasts;
  rules: Record<string, RuleState>;
}

export interface RuleState {
  state: Truth;
  /** When this state began. */
  since: Instant;
  /** When the verdict last followed a forecast that had changed. */
  moved?: Instant;
  /** The forecasts that decide while the rule holds its verdict. */
  believed?: HeldForecasts;
}

export const NO_RULES_STATE: RulesState = { at: null, heard: {}, rules: {} };

/** As the state file kept it; what cannot be read is as if there were none. */
export function readRulesState(kept: unknown): RulesState {
  return stateSchema.safeParse(kept).data ?? NO_RULES_STATE;
}

/** The entry of an id; an id may be a word that every object knows (`constructor`). */
export function entryOf<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}

const forecastsSchema = z.record(
  z.iso.date(),
  z.object({
    color: z.enum(COLORS).nullable(),
    confidence: z.number().nullable(),
    hp: z.number().nullable(),
    hc: z.number().nullable(),
  }),
);

const stateSchema: z.ZodType<RulesState> = z.object({
  at: z.number().nullable(),
  heard: forecastsSchema,
  rules: z.record(
    z.string(),
    z.object({
      state: z.boolean().nullable(),
      since: z.number(),
      moved: z.number().exactOptional(),
      believed: forecastsSchema.exactOptional(),
    }),
  ),
});
