import type { State } from "../../src/state/state.ts";
import type { Store } from "../../src/state/store.ts";

/** A store without a disk: the next run reads what was saved last. */
export function createMemoryStore(first: State): Store & { writes: () => number } {
  let kept = first;
  let writes = 0;
  return {
    state: () => kept,
    save: async (state) => {
      kept = state;
      writes += 1;
    },
    flush: async () => undefined,
    problem: () => null,
    writes: () => writes,
  };
}
