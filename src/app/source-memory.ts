import { z } from "zod";
import type { KnownDays } from "../core/days/known-days.ts";
import {
  type ClientMemory,
  clientMemorySchema,
  EMPTY_MEMORY,
  type MemoryKeeper,
} from "../service/client-memory.ts";
import type { Asked } from "../service/plan-requests.ts";
import { knownDaysOf, type State, withSource } from "../state/state.ts";
import type { Store } from "../state/store.ts";

/** What is known from one source, and its place in the state file. Invented days never stand in for real ones. */
export interface Source {
  /** `service.base_url`. */
  key: string;
  client: MemoryKeeper;
  recall: () => Kept;
  /** Remembers at once; written when it is worth a write. */
  keep: (part: Partial<Kept>) => void;
  save: () => void;
}

export interface Kept {
  knownDays: KnownDays;
  asked: Asked;
  client: ClientMemory;
}

export function openSource(store: Store, key: string): Source {
  let kept = recallSource(store.state(), key);
  // What cannot be written is said by the store, and kept in memory.
  const save = () => void store.save(retainSource(store.state(), key, kept));
  const keep = (part: Partial<Kept>) => {
    const before = kept;
    kept = { ...kept, ...part };
    if (isWorthKeeping(before, kept)) save();
  };
  return {
    key,
    recall: () => kept,
    keep,
    save,
    client: { get: () => kept.client, set: (client) => keep({ client }) },
  };
}

/** What was learned is worth a write; how many requests were sent goes along with the next one (SD cards). */
function isWorthKeeping(before: Kept, after: Kept): boolean {
  return (
    before.knownDays !== after.knownDays ||
    before.asked !== after.asked ||
    before.client.percent !== after.client.percent ||
    before.client.history_parameters !== after.client.history_parameters
  );
}

function recallSource(state: State, key: string): Kept {
  const kept = keptSchema.safeParse(state.clients[key]);
  const { asked, ...client } = kept.success ? kept.data : { ...EMPTY_MEMORY, asked: NEVER_ASKED };
  return { knownDays: knownDaysOf(state, key), asked, client };
}

function retainSource(state: State, key: string, { knownDays, asked, client }: Kept): State {
  return withSource(state, key, { knownDays, client: { ...client, asked } });
}

const NEVER_ASKED: Asked = { season: null, history: null };
const keptSchema = clientMemorySchema.extend({
  asked: z.object({ season: z.iso.date().nullable(), history: z.iso.date().nullable() }),
});
