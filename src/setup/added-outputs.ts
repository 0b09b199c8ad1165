import type { WatchedBroker } from "./broker.ts";
import type { Setup } from "./context.ts";
import type { Questions } from "./person.ts";
import type { AddedOutput } from "./rules-for.ts";
import type { Secret, Target } from "./target.ts";
import type { Words } from "./words.ts";

/** The devices and messages that were added so far. */
export interface Added {
  outputs: readonly AddedOutput[];
  /** The devices, as rows of the app's form. */
  rows: readonly object[];
  /** What only files of their own may hold. */
  secrets: readonly Secret[];
  /** Each one that was tried has confirmed, as far as it reports. */
  areSure: boolean;
}

export const NOTHING_ADDED: Added = { outputs: [], rows: [], secrets: [], areSure: true };

/** Where one is added. */
export interface Place {
  setup: Setup;
  broker: WatchedBroker;
  target: Target;
}

/**
 * Whether one that was added belongs into the configuration: after a try that goes well, or if the person keeps it all the
 * same. `question` is asked after one that does not.
 */
export async function tryUntilDecided(
  ask: Questions,
  words: Words,
  question: string,
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    if (await attempt()) return true;
    const next = await ask.choose(question, [
      { value: "again", label: words.again },
      { value: "keep", label: words.keep_output },
      { value: "drop", label: words.drop_output },
    ]);
    if (next !== "again") return next === "keep";
  }
}

/** `boiler`, `boiler_2` */
export function freeId(usual: string, { outputs }: Added): string {
  const isTaken = (one: string) => outputs.some((output) => output.id === one);
  let free = usual;
  for (let number = 2; isTaken(free); number += 1) free = `${usual}_${number}`;
  return free;
}
