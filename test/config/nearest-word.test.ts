import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countDifferences, nearest } from "../../src/config/nearest-word.ts";

describe("countDifferences", () => {
  test.each([
    ["", "", 0],
    ["url", "url", 0],
    ["ulr", "url", 1],
    ["paswd", "password", 3],
    ["gracee", "grace", 1],
    ["grce", "grace", 1],
    ["grade", "grace", 1],
    ["", "abc", 3],
  ])("counts from %j to %j: %i", (one, other, slips) => {
    expect(countDifferences(one, other)).toBe(slips);
  });

  test("is symmetric, zero only for equal words, and at most the length of the longer word", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const slips = countDifferences(one, other);
        expect(slips).toBe(countDifferences(other, one));
        expect(slips === 0).toBe(one === other);
        expect(slips).toBeLessThanOrEqual(Math.max(one.length, other.length));
      }),
    );
  });
});

describe("nearest", () => {
  const known = ["url", "username", "password", "grace", "tls"];

  test.each([
    ["pasword", "password"],
    ["user_name", "username"],
    ["GRACE", "grace"],
    ["ulr", "url"],
    ["zigbee", undefined],
    ["", undefined],
  ])("of %j is %j", (word, meant) => {
    expect(nearest(word, known)).toBe(meant);
  });

  test("has no limit where the caller says so", () => {
    expect(nearest("zigbee", known, Number.POSITIVE_INFINITY)).toBeDefined();
  });
});
