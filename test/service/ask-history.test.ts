import fc from "fast-check";
import { expect, it } from "vitest";
import { addDays, daysBetween } from "../../src/core/calendar/dates.ts";
import { candidateNames, namesWanted, splitRange } from "../../src/service/ask-history.ts";

it.each([
  ["2026-01-05", "2026-01-05", [["2026-01-05", "2026-01-05"]]],
  ["2025-01-01", "2025-12-31", [["2025-01-01", "2025-12-31"]]],
  [
    "2024-01-01",
    "2024-12-31",
    [
      ["2024-01-01", "2024-12-30"],
      ["2024-12-31", "2024-12-31"],
    ],
  ],
])("%s to %s is requested in parts of at most 365 days", (start, end, parts) => {
  expect(splitRange({ start, end }).map((part) => [part.start, part.end])).toEqual(parts);
});

it("every date of a range is requested once, in order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 3_000 }), (from, length) => {
      const start = addDays("2014-09-01", from);
      const end = addDays(start, length);
      const parts = splitRange({ start, end });
      expect(parts[0]?.start).toBe(start);
      expect(parts.at(-1)?.end).toBe(end);
      for (const part of parts) {
        expect(daysBetween(part.start, part.end)).toBeGreaterThanOrEqual(0);
        expect(daysBetween(part.start, part.end)).toBeLessThan(365);
      }
      for (const [index, part] of parts.slice(1).entries())
        expect(part.start).toBe(addDays(parts[index]?.end ?? "", 1));
    }),
  );
});

const SENT = { start: "start_date", end: "end_date" };
const missing = (...names: string[]) =>
  names.map((name) => ({ loc: ["query", name], msg: "Field required", type: "missing" }));

it("names that worked come first, names that are configured come alone", () => {
  const known = [SENT, { start: "start", end: "end" }, { start: "from", end: "to" }];
  expect(candidateNames("auto", null)).toEqual(known);
  expect(candidateNames("auto", { start: "from", end: "to" })).toEqual([known[2], known[0], known[1]]);
  expect(candidateNames("auto", { start: "du", end: "au" })).toEqual([{ start: "du", end: "au" }, ...known]);
  expect(candidateNames({ start: "a", end: "b" }, { start: "c", end: "d" })).toEqual([
    { start: "a", end: "b" },
  ]);
});

it.each([
  ["the missing names are wanted", missing("date_from", "date_to"), { start: "date_from", end: "date_to" }],
  ["the end may be named first", missing("until", "since"), { start: "since", end: "until" }],
  ["names that say nothing keep their order", missing("a", "b"), { start: "a", end: "b" }],
  ["one name alone is not enough", missing("day"), "unknown"],
  ["no details say nothing", [], "unknown"],
  ["a place that is no query says nothing", [{ loc: ["path", "x"], msg: "m", type: "t" }], "unknown"],
  [
    "a wrong value shows that the name was understood",
    [{ loc: ["query", "start_date"], msg: "Input should be a valid date", type: "date_parsing" }],
    "understood",
  ],
  [
    "names that are not permitted are unknown",
    [{ loc: ["query", "start_date"], msg: "Extra inputs are not permitted", type: "extra_forbidden" }],
    "unknown",
  ],
])("%s", (_title, details, wanted) => {
  expect(namesWanted(details, SENT)).toEqual(wanted);
});
