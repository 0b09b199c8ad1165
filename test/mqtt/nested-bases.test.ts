import { describe, expect, test } from "vitest";
import { isOrphan, nestedBase } from "../../src/mqtt/nested-bases.ts";

describe("isOrphan", () => {
  const wanted = new Map([["now/color", { payload: "bleu" }]]);
  test.each<[topic: string, orphan: boolean]>([
    ["now/color", false],
    ["now/colour", true],
    ["owner", false],
    ["availability", false],
    ["refresh/set", true],
    ["annexe/now/color", false],
    ["annexe/owner", false],
    ["annexes/now/color", true],
  ])("%s beside a nested annexe: %s", (topic, orphan) => {
    expect(isOrphan(topic, wanted, ["annexe"])).toBe(orphan);
  });

  test("a nested base is recognized by its owner", () => {
    const topics = ["annexe/owner", "a/b/owner", "owner", "annexe/x"];
    expect(topics.map(nestedBase)).toEqual(["annexe", "a/b", undefined, undefined]);
  });
});
