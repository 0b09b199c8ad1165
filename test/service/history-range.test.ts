import fc from "fast-check";
import { expect, it } from "vitest";
import { addDays, daysBetween } from "../../src/core/calendar/dates.ts";
import { cutRange } from "../../src/service/history-range.ts";

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
])("%s to %s is asked in pieces of at most 365 days", (start, end, pieces) => {
  expect(cutRange({ start, end }).map((piece) => [piece.start, piece.end])).toEqual(pieces);
});

it("every date of a range is asked once, in order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 3_000 }), (from, length) => {
      const start = addDays("2014-09-01", from);
      const end = addDays(start, length);
      const pieces = cutRange({ start, end });
      expect(pieces[0]?.start).toBe(start);
      expect(pieces.at(-1)?.end).toBe(end);
      for (const piece of pieces) {
        expect(daysBetween(piece.start, piece.end)).toBeGreaterThanOrEqual(0);
        expect(daysBetween(piece.start, piece.end)).toBeLessThan(365);
      }
      for (const [index, piece] of pieces.slice(1).entries())
        expect(piece.start).toBe(addDays(pieces[index]?.end ?? "", 1));
    }),
  );
});
