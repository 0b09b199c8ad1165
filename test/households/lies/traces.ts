import { generateScenario } from "../generate-scenario.ts";
import { runHousehold } from "../household.ts";
import type { Trace } from "../trace.ts";

/** A household to lie about. */
export interface Told {
  name: string;
  live: () => Promise<Trace>;
}

/** Days. */
const HALF_A_DAY = 0.5;

/** In `npm test`. Together they have a place for each lie. */
export const FEW_TRACES: readonly Told[] = [3, 4, 10, 12].map(randomHousehold);

export const TRACES: readonly Told[] = [
  ...FEW_TRACES,
  ...[1, 2, 5, 6, 7, 8, 9, 11, 13, 14, 15, 16, 17, 18, 19, 20].map(randomHousehold),
];

function randomHousehold(seed: number): Told {
  return {
    name: `random household ${seed}`,
    live: async () => runHousehold(await generateScenario(seed, { days: HALF_A_DAY })),
  };
}
