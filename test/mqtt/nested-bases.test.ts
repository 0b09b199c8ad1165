import { describe, expect, test } from "vitest";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { OWN_LEVELS } from "../../src/core/topics/topic.ts";
import { isOrphan, nestedBases, noteNestedBase } from "../../src/mqtt/nested-bases.ts";
import { rougeFacts } from "../support/facts.ts";
import { ownerNamed } from "../support/publisher.ts";

const OWNER = JSON.stringify(ownerNamed("z"));

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
    expect(isOrphan(topic, wanted, new Set(["annexe"]))).toBe(orphan);
  });

  test.each<[what: string, topic: string, payload: string, bases: string[]]>([
    ["its owner's word", "annexe/owner", OWNER, ["annexe"]],
    ["its owner's word on a deeper level", "a/b/owner", OWNER, ["a/b"]],
    ["anything else on owner", "annexe/owner", "{}", []],
    ["its own owner", "owner", OWNER, []],
    ["another topic", "annexe/x", OWNER, []],
    ["a rule with the id owner", "rules/owner", OWNER, []],
    ["a topic of vigie's own", "simulation/owner", OWNER, []],
    ["a topic above vigie's own", "now/owner", OWNER, []],
    ["a topic below vigie's own", "rules/week/owner", OWNER, []],
    ["a command", "refresh/owner", OWNER, []],
  ])("a nested base is recognized by its owner's word alone: %s", (_, topic, payload, bases) => {
    expect([...nestedBases(new Map([[topic, payload]]))]).toEqual(bases);
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

  test("at most 32 are kept; then what is not vigie's own may be of another one, and is not cleared", () => {
    const nested = nestedBases(new Map(Array.from({ length: 40 }, (_, n) => [`house${n}/owner`, OWNER])));
    expect(nested.size).toBe(32);
    expect(isOrphan("house39/now/color", wanted, nested)).toBe(false);
    expect(isOrphan("now/colour", wanted, nested)).toBe(true);
  });

  test("when one of the most is cleared, there may still be more", () => {
    const nested = nestedBases(new Map(Array.from({ length: 40 }, (_, n) => [`house${n}/owner`, OWNER])));
    noteNestedBase("house0/owner", "", nested);
    expect(isOrphan("house39/now/color", wanted, nested)).toBe(false);
  });
});

test("the first levels of vigie's own topics are those that it publishes", () => {
  const published = [
    ...renderTopics(rougeFacts(), { grace: 0, laws: "off" }).keys(),
    ...["availability", "owner", "event", "refresh/set", "rules/week", "outputs/boiler"],
  ];
  expect([...OWN_LEVELS].sort()).toEqual([...new Set(published.map((topic) => topic.split("/")[0]))].sort());
});
