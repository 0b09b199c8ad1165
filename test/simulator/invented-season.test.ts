import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { weekday } from "../../src/core/calendar/dates.ts";
import { allowedColors } from "../../src/core/calendar/tariff-laws.ts";
import { seasonWithLabel } from "../../src/core/calendar/tariff-season.ts";
import { inventSeason } from "../../src/simulator/invented-season.ts";

const seasons = fc.tuple(fc.integer({ min: 2000, max: 2099 }), fc.integer());
const labelOf = (year: number) => `${year}-${year + 1}`;

describe("an invented season", () => {
  test("obeys every law of the tariff, whatever the seed and the year", () => {
    fc.assert(
      fc.property(seasons, ([year, seed]) => {
        const days = [...inventSeason(labelOf(year), seed)];
        const count = (wanted: string) => days.filter(([, color]) => color === wanted).length;
        const isLeap = new Date(Date.UTC(year + 1, 1, 29)).getUTCMonth() === 1;
        expect(days.filter(([date, color]) => !allowedColors(date, "tempo").includes(color))).toEqual([]);
        expect([count("rouge"), count("blanc"), count("bleu")]).toEqual([22, 43, isLeap ? 301 : 300]);
        expect(days[0]?.[0]).toBe(`${year}-09-01`);
        expect(days.at(-1)?.[0]).toBe(`${year + 1}-08-31`);
        expect(longestRun(days.map(([, color]) => color === "rouge"))).toBeLessThanOrEqual(5);
        expect(days.some(([date, color]) => color === "blanc" && weekday(date) === 7)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  test("puts most rouge days in December, January and February, and blanc days from October to May only", () => {
    const days = Array.from({ length: 40 }, (_, seed) => [...inventSeason("2025-2026", seed)]).flat();
    const rouge = days.filter(([, color]) => color === "rouge").map(([date]) => date.slice(5, 7));
    const blanc = days.filter(([, color]) => color === "blanc").map(([date]) => date.slice(5, 7));
    const deep = rouge.filter((month) => ["12", "01", "02"].includes(month)).length;
    expect(deep / rouge.length).toBeGreaterThan(0.7);
    expect(new Set(rouge).size).toBeGreaterThan(3);
    expect(blanc.filter((month) => month > "05" && month < "10")).toEqual([]);
  });

  test("has rouge days in spells", () => {
    const days = Array.from({ length: 40 }, (_, seed) =>
      [...inventSeason("2025-2026", seed)].map(([, color]) => color),
    );
    const pairs = days.flatMap((colors) =>
      colors.filter((color, day) => color === "rouge" && colors[day + 1] === "rouge"),
    );
    expect(pairs.length / (40 * 22)).toBeGreaterThan(0.35);
  });

  test("is the same for the same seed, and another for another seed or season", () => {
    const rouge = (label: string, seed: number) =>
      [...inventSeason(label, seed)]
        .filter(([, color]) => color === "rouge")
        .map(([date]) => date.slice(5))
        .join();
    // Long enough a walk for the remembered seasons to be forgotten and made again.
    const first = rouge("2025-2026", 7);
    for (let year = 2000; year < 2080; year += 1) inventSeason(labelOf(year), 7);
    expect(rouge("2025-2026", 7)).toBe(first);
    expect(rouge("2025-2026", 8)).not.toBe(first);
    expect(rouge("2026-2027", 7)).not.toBe(first);
  });

  test("keeps its days: a seed names the same season in every version", () => {
    const rouge = [...inventSeason("2025-2026", 1)]
      .filter(([, color]) => color === "rouge")
      .map(([date]) => date);
    expect(rouge).toMatchInlineSnapshot(`
      [
        "2025-12-08",
        "2025-12-09",
        "2025-12-10",
        "2025-12-11",
        "2025-12-12",
        "2025-12-29",
        "2026-01-02",
        "2026-01-12",
        "2026-01-13",
        "2026-01-14",
        "2026-01-15",
        "2026-01-16",
        "2026-01-21",
        "2026-01-26",
        "2026-01-27",
        "2026-01-28",
        "2026-02-05",
        "2026-02-06",
        "2026-02-09",
        "2026-02-10",
        "2026-03-09",
        "2026-03-13",
      ]
    `);
  });

  test("asks for a season's name", () => {
    expect(seasonWithLabel("2025-2027")).toBeUndefined();
    expect(() => inventSeason("2025-2027", 1)).toThrow("Expected a season like 2025-2026, got 2025-2027");
  });
});

function longestRun(flags: boolean[]): number {
  let [longest, current] = [0, 0];
  for (const flag of flags) {
    current = flag ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
