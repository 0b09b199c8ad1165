import { expect, test } from "vitest";
import { FOUND } from "./found.ts";
import { findViolation } from "./run-households.ts";

// `$what` would be cut off after forty characters.
test.each(FOUND.map(({ what, scenario }) => [what, scenario] as const))(
  "not again: %s",
  async (_, scenario) => {
    expect(await findViolation(scenario)).toBeUndefined();
  },
);
