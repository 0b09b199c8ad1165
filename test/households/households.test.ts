import { expect, test } from "vitest";
import { generateScenario } from "./generate-scenario.ts";
import { findViolation } from "./run-households.ts";

/** Days: three hours. */
const SHORT = 1 / 8;

/** Among them each kind of event happens at least once. New seeds live for longer: `npm run households`. */
test.each([28, 51, 75, 90, 92, 99, 101, 103, 116, 120, 130, 137, 155, 161])(
  "nothing is wrong in random household %i",
  async (seed) => {
    expect(await findViolation(await generateScenario(seed, { days: SHORT }))).toBeUndefined();
  },
);
