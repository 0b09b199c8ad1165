import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  civilDate,
  duration,
  idWord,
  optionalText,
  topic,
  wallTime,
} from "../../src/config/value-schemas.ts";

describe("a duration", () => {
  const grace = duration("0s", "168h");

  test.each([
    ["0s", 0],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["168h", 604_800_000],
  ])("%s is %i milliseconds", (text, length) => {
    expect(grace.parse(text)).toBe(length);
  });

  test.each(["", "5", "5 m", "-5m", "1.5h", "1d", "5M", "1h30m", "169h", "99999999999s", 5])(
    "%j is none",
    (text) => {
      expect(grace.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
        "a duration from 0s to 168h in s, m or h, such as 5m",
      ]);
    },
  );

  test("every whole number of a unit is read", () => {
    fc.assert(
      fc.property(fc.nat({ max: 168 }), fc.constantFrom("s", "m", "h"), (count, unit) => {
        const length = { s: 1000, m: 60_000, h: 3_600_000 }[unit];
        expect(grace.parse(`${count}${unit}`)).toBe(count * Number(length));
      }),
    );
  });
});

describe("times and dates", () => {
  test.each(["00:00", "06:30", "23:59"])("%s is a time", (text) => {
    expect(wallTime.parse(text)).toBe(text);
  });

  test.each(["24:00", "6:30", "06:60", "06:30:00", "", 630])("%j is no time", (text) => {
    expect(wallTime.safeParse(text).success).toBe(false);
  });

  test.each([
    ["2026-08-01", true],
    ["2028-02-29", true],
    ["2026-02-29", false],
    ["2026-8-1", false],
    ["01/08/2026", false],
  ])("%s is a date: %j", (text, isDate) => {
    expect(civilDate.safeParse(text).success).toBe(isDate);
  });
});

describe("names and topics", () => {
  test.each(["vigie", "house_2", "0", "a_b_c", "a".repeat(40)])("%s is a name", (text) => {
    expect(idWord.safeParse(text).success).toBe(true);
  });

  test.each(["", "Vigie", "_a", "a_", "a__b", "a-b", "a/b", "é", "a".repeat(41), 7])(
    "%j is no name",
    (text) => {
      expect(idWord.safeParse(text).success).toBe(false);
    },
  );

  test.each(["vigie", "house/vigie", "007", "été/vigie", "with space", "a$b"])("%s is a topic", (text) => {
    expect(topic.safeParse(text).success).toBe(true);
  });

  test.each([
    "",
    "/a",
    "a/",
    "a//b",
    "a/+",
    "#",
    "a#",
    "$SYS",
    "a\nb",
    "a\u0000b",
    "\ud800",
    "a".repeat(201),
  ])("%j is no topic to publish on", (text) => {
    expect(topic.safeParse(text).success).toBe(false);
  });

  test("an optional text that is empty is none", () => {
    const name = optionalText("a name");
    expect([name.parse(""), name.parse(null), name.parse(undefined), name.parse("0")]).toEqual([
      undefined,
      undefined,
      undefined,
      "0",
    ]);
  });
});
