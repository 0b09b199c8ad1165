import type { RequestMemory } from "../core/sources/request-memory.ts";

/** Holds the memory: `run` saves it, a command does not. `set` is called after every request. */
export interface MemoryKeeper<Memory extends RequestMemory> {
  get(): Memory;
  set(memory: Memory): void;
}

export function keepMemory<Memory extends RequestMemory>(memory: Memory): MemoryKeeper<Memory> {
  let kept = memory;
  return {
    get: () => kept,
    set: (next) => {
      kept = next;
    },
  };
}
