import { describe, expect, it } from "vitest";
import { LONG } from "../support/long.ts";
import { runSeason } from "./season-run.ts";
import { expectTrueSeason } from "./true-season.ts";

describe.skipIf(!LONG)("a season of 365 days (long: VIGIE_TEST_LONG=1)", () => {
  it("says nothing but what was announced by then, and nothing late", async () => {
    await expectTrueSeason({ seed: 1, from: "2026-09-01" });
  });

  it("does so when it is asked as often as vigie asks", async () => {
    await expectTrueSeason({ seed: 11, from: "2027-09-01", inFull: true });
  });
});

it("two weeks in which the page is rendered each minute say nothing but what was announced by then, whatever goes wrong meanwhile", async () => {
  const outcome = await runSeason({ seed: 4, from: "2027-01-04", length: 14, page: true });
  expect(outcome.wrong).toEqual([]);
  expect(outcome.missedRouge).toBe(0);
  expect(outcome.rougeMornings).toBeGreaterThan(0);
  expect(outcome.pages).toBeGreaterThan(13 * 24 * 60);
});
