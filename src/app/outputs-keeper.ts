import type { OutputsKeeper } from "../core/outputs/outputs-memory.ts";
import { readOutputsMemory } from "../core/outputs/outputs-memory.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../state/store.ts";

export function keepOutputs(store: Pick<Store, "state" | "save">): OutputsKeeper {
  let memory = readOutputsMemory(store.state().outputs);
  return {
    get: () => memory,
    set: (next) => {
      memory = next;
      const state: State = { ...store.state(), outputs: next };
      return store.save(state);
    },
  };
}
