import { describe, expect, test } from "vitest";
import { isOrphan, nestedBases, noteNestedBase } from "../../src/mqtt/nested-bases.ts";
import { ownerOf } from "../../src/mqtt/owner.ts";
import { identity } from "../support/publisher.ts";

const OWNER = JSON.stringify(ownerOf(identity("z"), "annexe"));

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

  test("a nested base is recognized by its owner; a rule with the id owner is no base", () => {
    const topics = ["annexe/owner", "a/b/owner", "owner", "annexe/x"].map((topic) => [topic, "{}"] as const);
    const rule = ["rules/owner", '{"state":true}'] as const;
    expect([...nestedBases(new Map([...topics, rule]))]).toEqual(["annexe", "a/b"]);
    expect([...nestedBases(new Map([["rules/owner", OWNER]]))]).toEqual(["rules"]);
  });

  test("a nested base ends when its owner is cleared, and by nothing else", () => {
    const nested = new Set<string>();
    const basesAfter = (topic: string, payload: string) => {
      noteNestedBase(topic, payload, nested);
      return [...nested];
    };
    expect(basesAfter("annexe/owner", OWNER)).toEqual(["annexe"]);
    expect(basesAfter("annexe/owner", "other")).toEqual(["annexe"]);
    expect(basesAfter("annexe/color", "")).toEqual(["annexe"]);
    expect(basesAfter("annexe/owner", "")).toEqual([]);
  });
});
