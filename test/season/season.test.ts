import { describe, it } from "vitest";
import { expectTrueSeason, SEASON_LIMIT } from "./true-season.ts";

describe("a season of 365 days", () => {
  it(
    "says nothing but what was announced by then, and nothing late",
    async () => {
      await expectTrueSeason({ seed: 1, from: "2026-09-01" });
    },
    SEASON_LIMIT,
  );

  it.skipIf(!process.env["VIGIE_TEST_LONG"])(
    "does so when it is asked as often as vigie asks (long: VIGIE_TEST_LONG=1)",
    async () => {
      await expectTrueSeason({ seed: 11, from: "2027-09-01", inFull: true });
    },
    SEASON_LIMIT,
  );
});
