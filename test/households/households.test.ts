import { expect, test } from "vitest";
import { generateScenario } from "./generate-scenario.ts";
import { findViolation } from "./run-households.ts";

/** Days: three hours. */
const SHORT = 1 / 8;

/** Among them each kind of event happens at least once. New seeds live for longer: `npm run households`. */
test.each([14, 24, 41, 90, 97, 120, 170, 235, 269, 280, 312, 452, 523, 558])(
  "nothing is wrong in random household %i",
  async (seed) => {
    expect(await findViolation(await generateScenario(seed, { days: SHORT }))).toBeUndefined();
  },
);
