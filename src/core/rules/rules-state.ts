import { z } from "zod";
import { instantSchema } from "../calendar/time-schemas.ts";
import { believedSchema, heldForecastsSchema } from "./held-forecasts.ts";

// The names of the keys are those of the state file.
const ruleState = z.object({
  /** true is ON, false OFF, null unknown. */
  state: z.boolean().nullable(),
  /** When this state began. */
  since: instantSchema,
  /** When the verdict last followed a forecast that had changed. */
  moved: instantSchema.exactOptional(),
  /** The forecasts that decide while the rule holds its verdict. */
  believed: heldForecastsSchema.exactOptional(),
  /** Beside `believed`: those that decide the rules that it refers to, where these are others. */
  believed_of: z.record(z.string(), believedSchema).exactOptional(),
  /** What each condition on a value found; while a hold lasts, at the turn that began it. */
  values: z.record(z.string(), z.boolean().nullable()).exactOptional(),
  /** When a value last made the rule ON or OFF. */
  turned: instantSchema.exactOptional(),
});

const rulesState = z.object({
  /** When the rules were evaluated last. */
  at: instantSchema.nullable(),
  /** The forecasts that were known then; empty where no rule has a hold. */
  heard: heldForecastsSchema,
  rules: z.record(z.string(), ruleState),
});

/** What the next evaluation needs of the last one, also after a restart: the state file holds it with these keys. */
export type RulesState = z.infer<typeof rulesState>;
export type RuleState = z.infer<typeof ruleState>;

export const NO_RULES_STATE: RulesState = { at: null, heard: {}, rules: {} };

/** As the state file kept it; what cannot be read is as if there were none. */
export function readRulesState(kept: unknown): RulesState {
  return rulesState.safeParse(kept).data ?? NO_RULES_STATE;
}

/** The entry of an id; an id may be the name of an object property (`constructor`). */
export function entryOf<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}
