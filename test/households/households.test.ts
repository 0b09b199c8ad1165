import { expect, test } from "vitest";
import { generateScenario } from "./generate-scenario.ts";
import { findViolation } from "./run-households.ts";

/** Days: three hours. */
const SHORT = 1 / 8;

/** Among them each kind of event happens at least once. New seeds live for longer: `npm run households`. */
test.each([13, 14, 28, 75, 120, 201, 277, 280, 316, 387, 409, 425, 450, 550])(
  "nothing is wrong in random household %i",
  async (seed) => {
    expect(await findViolation(await generateScenario(seed, { days: SHORT }))).toBeUndefined();
  },
);
