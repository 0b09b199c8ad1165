import { z } from "zod";
import { COLORS } from "../calendar/tariff.ts";
import { instantSchema } from "../calendar/time-schemas.ts";
import { BYS } from "./truth.ts";

const truth = z.boolean().nullable();

const keptSpan = z.object({
  start: instantSchema,
  end: instantSchema,
  truth,
  by: z.enum(BYS),
  /** The day that it saw, if it is ON and saw one. */
  date: z.iso.date().nullable(),
});
export type KeptSpan = z.infer<typeof keptSpan>;

const keptHold = z.object({
  /** When a forecast or a value last turned the rule. */
  turned: instantSchema,
  /** Until then none turns it again. */
  until: instantSchema,
  /** A hash of the rule, of those that it refers to, and of what commands had set. If it is another now, nothing is held. */
  identity: z.string(),
  /** What is known by now would give something else. */
  isHeld: z.boolean(),
  /** What the rule is while nothing but time changes it. */
  plan: z.array(keptSpan),
});
export type KeptHold = z.infer<typeof keptHold>;

// The names of the keys are those of the state file.
const ruleState = z.object({
  /** true is ON, false OFF, null unknown. */
  state: truth,
  /** When this state began. */
  since: instantSchema,
  hold: keptHold.exactOptional(),
});

const rulesState = z.object({
  /** When the rules were evaluated last. */
  at: instantSchema.nullable(),
  /** The official colours that were known then, from the day before on. */
  official: z.record(z.iso.date(), z.enum(COLORS)).prefault({}),
  /** What each condition on a value found. */
  truths: z.record(z.string(), truth).prefault({}),
  rules: z.record(z.string(), ruleState),
});

/** What the next evaluation needs of the last one, also after a restart: the state file holds it with these keys. */
export type RulesState = z.infer<typeof rulesState>;
export type RuleState = z.infer<typeof ruleState>;

export const NO_RULES_STATE: RulesState = { at: null, official: {}, truths: {}, rules: {} };

/** As the state file kept it; what cannot be read is as if there were none. */
export function readRulesState(kept: unknown): RulesState {
  return rulesState.safeParse(kept).data ?? NO_RULES_STATE;
}

/** The entry of an id; an id may be the name of an object property (`constructor`). */
export function entryOf<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}
