import { PATIENCE } from "../support/patience.ts";

export interface State {
  entity_id: string;
  state: string;
  attributes: Record<string, unknown>;
  last_changed: string;
}

export type Wanted = string | RegExp | ((state: State) => boolean) | null;

/** Resolves when these entities are so; gives up after a while, and says how they are. */
export async function untilStates(
  states: () => Promise<State[]>,
  wanted: Record<string, Wanted>,
): Promise<void> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const all = new Map((await states()).map((state) => [state.entity_id, state]));
    const names = Object.entries(wanted);
    if (names.every(([id, value]) => fits(all.get(id), value))) return;
    if (Date.now() > end) {
      const held = names.map(([id, value]) => `${id} is ${all.get(id)?.state}, not ${value}`);
      throw new Error(`Waited in vain: ${held.join("; ")}`);
    }
    await pause(50);
  }
}

function fits(state: State | undefined, wanted: Wanted): boolean {
  if (wanted === null || !state) return wanted === null && !state;
  if (typeof wanted === "function") return wanted(state);
  return typeof wanted === "string" ? state.state === wanted : wanted.test(state.state);
}

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
