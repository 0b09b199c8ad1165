import { z } from "zod";
import { COLORS, type Instant } from "../calendar/tariff.ts";
import type { Beliefs } from "./beliefs.ts";
import type { Truth } from "./truth.ts";

/** What rules remember from one refresh to the next, and over a restart. Plain data. */
export interface RulesMemory {
  /** When they were evaluated last. */
  at: Instant | null;
  /** The forecasts as they were then; kept only where a rule holds. */
  heard: Beliefs;
  rules: Record<string, RuleMemory>;
}

export interface RuleMemory {
  state: Truth;
  /** When this state began. */
  since: Instant;
  /** When a forecast that changed its mind last turned this rule. */
  moved?: Instant;
  /** The forecasts that it goes by while it holds. */
  believed?: Beliefs;
}

export const EMPTY_MEMORY: RulesMemory = { at: null, heard: {}, rules: {} };

/** What an owner set while vigie runs; what is absent is as configured. */
export interface RuleSetting {
  enabled?: boolean;
  /** Percent. */
  threshold?: number;
}

/** By rule id. */
export type RuleSettings = Readonly<Record<string, RuleSetting>>;

/** As the state file kept it; what cannot be read is forgotten. */
export function readRulesMemory(kept: unknown): RulesMemory {
  return memorySchema.safeParse(kept).data ?? EMPTY_MEMORY;
}

const beliefsSchema = z.record(
  z.iso.date(),
  z.object({
    color: z.enum(COLORS).nullable(),
    confidence: z.number().nullable(),
    hp: z.number().nullable(),
    hc: z.number().nullable(),
  }),
);

const memorySchema: z.ZodType<RulesMemory> = z.object({
  at: z.number().nullable(),
  heard: beliefsSchema,
  rules: z.record(
    z.string(),
    z.object({
      state: z.boolean().nullable(),
      since: z.number(),
      moved: z.number().exactOptional(),
      believed: beliefsSchema.exactOptional(),
    }),
  ),
});
