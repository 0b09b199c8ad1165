import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DaysUnreadable, parseDays } from "../../src/simulator/days-file.ts";

describe("a file of days", () => {
  test("is read line by line, with either line end and with gaps", () => {
    const days = parseDays(
      "\uFEFFdate,color\r\n2026-01-05,rouge\r\n\r\n 2026-01-06 , blanc \n2026-02-01,bleu",
    );
    expect([...days]).toEqual([
      ["2026-01-05", "rouge"],
      ["2026-01-06", "blanc"],
      ["2026-02-01", "bleu"],
    ]);
  });

  test.each([
    ["", 'line 1: Expected the header "date,color", got ""'],
    ["2026-01-05,rouge", 'line 1: Expected the header "date,color", got "2026-01-05,rouge"'],
    ["date,color\n2026-02-30,rouge", 'line 2: Expected a date like 2026-01-05, got "2026-02-30"'],
    ["date,color\n2026-01-05,red", 'line 2: Expected one of bleu, blanc, rouge, got "red"'],
    ["date,color\n2026-01-05", 'line 2: Expected one of bleu, blanc, rouge, got ""'],
    ["date,color\n\n2026-01-05,rouge,x", 'line 3: Expected two cells, got "2026-01-05,rouge,x"'],
    [
      "date,color\n2026-01-05,rouge\n2026-01-05,bleu",
      'line 3: Expected a date not given before, got "2026-01-05"',
    ],
  ])("that says %j is refused with its line", (text, message) => {
    expect(() => parseDays(text)).toThrow(new DaysUnreadable(message));
  });

  test("never breaks anything but itself", () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, headed) => {
        try {
          parseDays(headed ? `date,color\n${text}` : text);
        } catch (error) {
          expect(error).toBeInstanceOf(DaysUnreadable);
        }
      }),
    );
  });
});
