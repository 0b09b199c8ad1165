import { describe, expect, it } from "vitest";
import { NO_REAL_DAYS, readRealDays } from "../support/real-days.ts";
import { runSeason, type SeasonOptions } from "./season-run.ts";

/**
 * A year in virtual time, with outages, 429s, garbage, revised colours, broker losses, deaths and a clock that is set wrong
 * thrown in: while vigie runs, what the broker holds is what the wall clock and the answers so far say, at every boundary
 * at once. Ten of them: npm run soak.
 */
const LONG = Boolean(process.env["VIGIE_TEST_LONG"]);
const LIMIT = 600_000;

async function expectTrueSeason(options: SeasonOptions): Promise<void> {
  const outcome = await runSeason(options);
  expect(outcome.wrong).toEqual([]);
  expect(outcome.missedRouge).toBe(0);
  // Much went wrong in it, and its rouge days were on the broker.
  expect(outcome.rougeMornings).toBeGreaterThan(10);
  expect(outcome.starts).toBeGreaterThan(5);
  expect(outcome.connections).toBeGreaterThan(outcome.starts);
  expect(outcome.clockSteps).toBeGreaterThan(20);
  expect(outcome.checks).toBeGreaterThan(365 * 24 * 3);
}

describe("a season of 365 days", () => {
  it(
    "says nothing but what was announced by then, and nothing late",
    async () => {
      await expectTrueSeason({ seed: 1, from: "2026-09-01" });
    },
    LIMIT,
  );

  it.skipIf(!LONG)(
    "does so when it is asked as often as vigie asks (long: VIGIE_TEST_LONG=1)",
    async () => {
      await expectTrueSeason({ seed: 11, from: "2027-09-01", inFull: true });
    },
    LIMIT,
  );
});

describe.skipIf(NO_REAL_DAYS)("a real season (skipped unless VIGIE_REAL_DAYS names the file)", () => {
  const years = [2014, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024];

  it.each(LONG ? years : years.slice(0, 1))(
    "that began in %i is published as it was",
    async (year) => {
      const days = new Map(readRealDays().map(({ date, color }) => [date, color]));
      await expectTrueSeason({ seed: year, from: `${year}-09-01`, days });
    },
    LIMIT,
  );
});
