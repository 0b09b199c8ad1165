import { setImmediate } from "node:timers/promises";

/** Lets the event loop turn so many times: what needs no time has run then. */
export async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}
