import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutToFit, payloadOf, percent, rate, text } from "../../../src/core/facts/format-value.ts";

describe("formats", () => {
  test.each<[value: Parameters<typeof payloadOf>[0], shown: string]>([
    [null, "None"],
    ["", "None"],
    [true, "ON"],
    [false, "OFF"],
    [0, "0"],
    [0.1575, "0.1575"],
    ["rouge", "rouge"],
  ])("%j is shown as %s", (value, shown) => {
    expect(payloadOf(value)).toBe(shown);
  });

  test.each<[said: string | null, shown: string | null]>([
    [null, null],
    ["", null],
    [" \u0000\n ", null],
    ["two\nlines\tand a tab", "two lines and a tab"],
    ["half \ud83d a pair", "half \ufffd a pair"],
    ["x".repeat(300), "x".repeat(255)],
    ["x".repeat(254) + "\u{1F534}".repeat(2), "x".repeat(254)],
  ])("the text %j becomes %j", (said, shown) => {
    expect(text(said)).toBe(shown);
  });

  test("a text comes back from the broker as it was sent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (said) => {
        const shown = text(said) ?? "";
        expect(Buffer.from(shown).toString()).toBe(shown);
        expect(shown.length).toBeLessThanOrEqual(255);
      }),
    );
  });

  test("confidence is a whole percent, rates have five decimals at most", () => {
    expect([0, 0.005, 0.994, 1, 1.2, null].map(percent)).toEqual([0, 1, 99, 100, 100, null]);
    expect([0.1, 0.123456789, 1e-7, null].map(rate)).toEqual([0.1, 0.12346, 0, null]);
  });

  test("a list is cut at its end where it would be too large", () => {
    const items = Array.from({ length: 2_000 }, (_, n) => `item ${n}`);
    const shown: string[] = JSON.parse(cutToFit(items, (kept) => JSON.stringify(kept)));
    expect(shown).toEqual(items.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(1_000);
  });
});
