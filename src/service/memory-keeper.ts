import type { ClientMemory } from "../core/sources/source-kept.ts";

/** Holds the memory: `run` saves it, a command does not. `set` is called after every request. */
export interface MemoryKeeper {
  get(): ClientMemory;
  set(memory: ClientMemory): void;
}

export function keepMemory(memory: ClientMemory): MemoryKeeper {
  let kept = memory;
  return {
    get: () => kept,
    set: (next) => {
      kept = next;
    },
  };
}
