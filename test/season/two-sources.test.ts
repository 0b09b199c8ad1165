// Two sources in virtual time, which tell the same, or one of them late, something else, or nothing: what is shown is what
// a second decision makes of the words that went out, at every boundary and after every answer.
import { describe, expect, it } from "vitest";
import { addDays, wallInstant } from "../../src/core/calendar/dates.ts";
import type { Instant, IsoDate } from "../../src/core/calendar/tariff.ts";
import { LONG } from "../support/long.ts";
import type { SourceName } from "./said-words.ts";
import { type Behaviour, inventReplays, WELL, writeScript } from "./scripted-sources.ts";
import { runTwoSources, type TwoSourcesOutcome } from "./two-sources-run.ts";

const MINUTE = 60_000;
const at = (date: IsoDate, time = "00:00"): Instant => wallInstant(date, time, "Europe/Paris");
const away = (from: Instant, until: Instant): Behaviour => ({
  ...WELL,
  isAway: (now) => from <= now && now < until,
});
const SOURCES = ["service", "rte"] as const;
const others = { service: "rte", rte: "service" } as const satisfies Record<SourceName, SourceName>;
const MONTHS = Array.from({ length: 12 }, (_, index): [IsoDate, IsoDate] => {
  const month = (number: number) => new Date(Date.UTC(2025, number, 1)).toISOString().slice(0, 10);
  return [month(8 + index), month(9 + index)];
});

function expectWell({ wrong, checks, mostRequests }: TwoSourcesOutcome): void {
  expect(wrong).toEqual([]);
  expect(checks).toBeGreaterThan(20);
  // 80 a day, and beyond them the hourly ones, 18:00 and 05:50.
  expect(mostRequests).toBeLessThanOrEqual(80 + 26);
}

describe.each(SOURCES)("with %s dead", (source) => {
  const months = LONG ? MONTHS : MONTHS.slice(4, 5);

  it.each(months)(
    "what-if: The official source is down · from %s to %s, what the other one says is shown",
    async (first, last) => {
      const outcome = await runTwoSources({
        script: writeScript(1, true),
        seed: 1,
        from: at(addDays(first, -7)),
        until: at(addDays(last, 3)),
        behaviour: { ...{ service: WELL, rte: WELL }, [source]: away(at(first), at(last)) },
      });
      expectWell(outcome);
      if (["2025-12-01", "2026-01-01", "2026-02-01"].includes(first)) {
        expect(outcome.rougeMornings).toBeGreaterThan(3);
      }
      expect(outcome.words.wordOf(others[source], addDays(last, -1))?.confirmed).toBe(true);
    },
  );
});

describe("with both telling late, withdrawn, corrected and different colours, and caches that replay old answers", () => {
  it.each(LONG ? [1, 2, 3, 4] : [1])("a season is shown as it was said (%i)", async (seed) => {
    const from = at(LONG ? "2025-09-20" : "2025-12-20");
    const until = at(LONG ? "2026-04-10" : "2026-02-10");
    const replaying = (source: SourceName): Behaviour => ({
      ...away(from + seed * 20 * 1440 * MINUTE, from + seed * 20 * 1440 * MINUTE + 5 * 1440 * MINUTE),
      replay: inventReplays(`${source}/${seed}`, from, until),
    });
    const outcome = await runTwoSources({
      script: writeScript(seed),
      seed,
      from,
      until,
      behaviour: { service: replaying("service"), rte: replaying("rte") },
      restarts: Array.from({ length: 40 }, (_, index) => from + index * 3.7 * 1440 * MINUTE),
    });
    expectWell(outcome);
    expect(outcome.contradicted).toBeGreaterThan(20);
    expect(outcome.rougeMornings).toBeGreaterThan(5);
  });
});

describe("on the eve of a rouge day", () => {
  const script = writeScript(1);
  const rouge = Array.from({ length: 60 }, (_, days) => addDays("2026-01-05", days)).find((date) =>
    SOURCES.every((source) => script.said(source, date, at(date, "05:00")) === "rouge"),
  );
  const minutes = Array.from({ length: 361 }, (_, minute) => minute).filter(
    (minute) => LONG || minute % 30 === 5,
  );

  it.each(SOURCES)(
    "with %s away, a restart at any minute from 06:00 to 12:00 changes nothing",
    async (source) => {
      if (!rouge) throw new Error("Expected a rouge day in the script, got none");
      const eve = addDays(rouge, -1);
      for (const minute of minutes) {
        const outcome = await runTwoSources({
          script,
          seed: minute,
          from: at(eve, "05:30"),
          until: at(rouge, "06:01"),
          behaviour: { ...{ service: WELL, rte: WELL }, [source]: away(0, Number.POSITIVE_INFINITY) },
          restarts: [at(eve, "06:00") + minute * MINUTE],
        });
        expectWell(outcome);
        expect(outcome.rougeMornings).toBe(1);
      }
    },
  );
});

describe.each([
  ["two sources", false],
  ["RTE alone, service.base_url: none", true],
])("with %s", (_, withoutService) => {
  it.each([
    ["a weekend on which the clock goes back", "2025-10-24", "2025-10-28", 0],
    ["the year's end and a rouge day after it", "2025-12-29", "2026-01-08", 1],
    ["a weekend on which the clock goes forward", "2026-03-27", "2026-03-31", 0],
  ])(
    "%s is shown as it was said, with restarts and old answers from a cache",
    async (_name, first, last, rougeMornings) => {
      const [from, until] = [at(first), at(last)];
      const replay = inventReplays(first, from, until);
      const outcome = await runTwoSources({
        script: writeScript(1),
        seed: 1,
        from,
        until,
        behaviour: { service: { ...WELL, replay }, rte: { ...WELL, replay } },
        withoutService,
        restarts: [at(first, "10:40"), at(addDays(first, 2), "02:30"), at(addDays(first, 2), "05:59")],
      });
      expectWell(outcome);
      expect(outcome.rougeMornings).toBeGreaterThanOrEqual(rougeMornings);
    },
  );
});

it("RTE away for a week without a service: what it named stays right, then the days are unknown", async () => {
  const outcome = await runTwoSources({
    script: writeScript(1),
    seed: 1,
    from: at("2026-01-05"),
    until: at("2026-01-20"),
    behaviour: { service: WELL, rte: away(at("2026-01-08", "12:00"), at("2026-01-15", "10:45")) },
    withoutService: true,
  });
  expectWell(outcome);
  // Six days with two boundaries, and today, tomorrow, now and next at each of them.
  expect(outcome.unknown).toBeGreaterThan(40);
});

it("both sources back at once after a week: everything is right again", async () => {
  const outcome = await runTwoSources({
    script: writeScript(2),
    seed: 2,
    from: at("2026-01-05"),
    until: at("2026-01-20"),
    behaviour: {
      service: away(at("2026-01-08", "10:00"), at("2026-01-15", "10:45")),
      rte: away(at("2026-01-08", "10:00"), at("2026-01-15", "10:45")),
    },
  });
  expectWell(outcome);
});
