import { describe, expect, test } from "vitest";
import { parseTime } from "../../src/cli/read-time.ts";

describe("a time", () => {
  test.each([
    ["2026-01-04T22:00:00Z", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04T23:00:00+01:00", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04T23:00+01:00", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04T23:00", "2026-01-04T22:00:00.000Z"],
    ["2026-01-04 23:00", "2026-01-04T22:00:00.000Z"],
    ["2026-07-04T23:00:30", "2026-07-04T21:00:30.000Z"],
    ["2026-01-04", "2026-01-03T23:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(parseTime(text, "Europe/Paris")).toBe(Date.parse(expected));
  });

  test.each(["", "yesterday", "2026-02-30", "2026-01-04T25:00", "2026-01-04T23:00T", "1767567600"])(
    "%j is none",
    (text) => {
      expect(parseTime(text, "Europe/Paris")).toBeUndefined();
    },
  );
});
