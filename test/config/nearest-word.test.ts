import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonSchema } from "../../src/config/config-schema.ts";
import { NEAR_WORDS } from "../../src/config/near-words.ts";
import { countDifferences, nearest } from "../../src/config/nearest-word.ts";
import { listKeys } from "../../src/config/option-list.ts";

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
});

test("each word that others are near to is an option, a value or a command", () => {
  const known = new Set<unknown>([
    "true",
    "false",
    "run",
    "once",
    "check",
    "show",
    "explain",
    "purge",
    "simulator",
    "simulate",
    "none",
    "rte",
    "watch",
    "to",
  ]);
  for (const path of listKeys()) known.add(path.at(-1));
  JSON.stringify(jsonSchema(), (_, value: unknown) => {
    known.add(value);
    return value;
  });
  expect(Object.keys(NEAR_WORDS).filter((word) => !known.has(word))).toEqual([]);
});

test.each([
  ["and", ["all", "any"], "all"],
  ["Heures-Creuses", ["hp", "hc"], "hc"],
  ["host", ["url", "username"], "url"],
  ["host", ["base_url", "poll"], "base_url"],
  ["fuseau horaire", ["time_zone", "laws"], "time_zone"],
  ["Français", ["fr", "en"], "fr"],
  ["baseUrl", ["base_url"], "base_url"],
  ["d8", ["d2", "d7"], undefined],
  ["45m", ["15m", "20m"], undefined],
  ["hx", ["hp", "hc"], undefined],
])("%s among %j is %j", (word, among, meant) => {
  expect(nearest(word, among)).toBe(meant);
});
