import { describe, expect, test } from "vitest";
import { isoInstant, wallInstant } from "../../src/core/calendar/dates.ts";
import { offPeakRow } from "../../src/core/calendar/period.ts";
import type { Tariff } from "../../src/core/calendar/tariff.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import type { DayFacts, MomentFacts } from "../../src/core/facts/facts.ts";
import { sayOldPrices } from "../../src/core/loop/price-problems.ts";
import { loadText } from "../config/folder.ts";
import { blocksOf, readPage, sectionsOf } from "../support/guide.ts";
import { factsInputAt, knownDaysOf, official } from "../support/known-days.ts";
import { UNPRICED } from "../support/tariff.ts";

const PAGES = ["docs/tariff.md", "docs/fr/tariff.md"];
const ROUGE = knownDaysOf({ "2026-01-05": official("rouge"), "2026-01-06": official("rouge") });

describe.each(PAGES)("the worked cases of %s are so", (path) => {
  const [day, hours] = sectionsOf(readPage(path));

  test.each(rowsOf(day?.text))("%s: now, period, next, today and tomorrow", (time, ...cells) => {
    const { now, next, days } = momentAt(time, UNPRICED);
    const shown = [now, next, days.today, days.tomorrow].map(sayDay);
    expect(cells).toEqual([shown[0], now.period, ...shown.slice(1)]);
  });

  test.each(rowsOf(hours?.text))(
    "%s: the row %s, the period %s until %s",
    async (time, row, period, until) => {
      const { config } = await loadText(blocksOf(hours?.text ?? "")[0]?.text ?? "");
      const { now } = momentAt(time, config.tariff);
      const counts = offPeakRow(time.slice(0, 10), config.tariff.off_peak);
      expect(counts?.months ? "months" : counts?.weekdays ? "weekdays" : "last").toBe(row);
      expect(now.period).toBe(period);
      expect(isoInstant(now.period_until ?? 0)).toBe(isoInstant(instantOf(until ?? "")));
    },
  );
});

test.each(PAGES)("%s quotes what the log says of old prices", (path) => {
  const quoted = blocksOf(readPage(path)).filter(({ language }) => language === "log");
  expect(quoted.map(({ text }) => text.trim())).toEqual([sayOldPrices("2026-08-01")]);
});

/** The cells of the table of a section. */
function rowsOf(section = ""): [time: string, ...cells: string[]][] {
  const rows = section
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line): [string, ...string[]] => {
      const [time = "", ...cells] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [time, ...cells];
    });
  if (rows.length === 0) throw new Error("Expected a table of worked cases");
  return rows;
}

function momentAt(time: string, tariff: Tariff): MomentFacts {
  const { moment } = deriveFacts(factsInputAt(instantOf(time), ROUGE), tariff);
  if (!moment) throw new Error(`Expected facts of the moment at ${time}`);
  return moment;
}

/** What stands behind the minutes is for people. */
function instantOf(time: string): number {
  return wallInstant(time.slice(0, 10), time.slice(11, 16), "Europe/Paris");
}

function sayDay({ date, color }: DayFacts): string {
  return `${date.slice(5)}${color === null ? "" : ` ${color}`}`;
}
