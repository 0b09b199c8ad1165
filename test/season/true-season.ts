import { describe, expect, it } from "vitest";
import { NO_REAL_DAYS, readRealDays } from "../support/real-days.ts";
import { runSeason, type SeasonOptions } from "./season-run.ts";

/**
 * A year in virtual time, with outages, 429s, garbage, revised colours, broker losses, deaths and a clock that is set wrong
 * thrown in: while vigie runs, what the broker holds is what the wall clock and the answers so far say, at every boundary
 * at once. Ten of them: npm run soak.
 */
export async function expectTrueSeason(options: SeasonOptions): Promise<void> {
  const outcome = await runSeason(options);
  expect(outcome.wrong).toEqual([]);
  expect(outcome.missedRouge).toBe(0);
  // Much went wrong in it, and its rouge days were on the broker.
  expect(outcome.rougeMornings).toBeGreaterThan(10);
  expect(outcome.starts).toBeGreaterThan(5);
  expect(outcome.connections).toBeGreaterThan(outcome.starts);
  expect(outcome.clockSteps).toBeGreaterThan(20);
  // At each poll, each boundary and each mishap: vigie wakes for nothing else.
  expect(outcome.checks).toBeGreaterThan(365 * 24 * 2);
}

/** Two files test them, as each file runs on one core. */
export function describeRealSeasons(years: readonly number[]): void {
  describe.skipIf(NO_REAL_DAYS)("a real season (skipped unless VIGIE_REAL_DAYS names the file)", () => {
    it.each(years)("that began in %i is published as it was", async (year) => {
      const days = new Map(readRealDays().map(({ date, color }) => [date, color]));
      await expectTrueSeason({ seed: year, from: `${year}-09-01`, days });
    });
  });
}
