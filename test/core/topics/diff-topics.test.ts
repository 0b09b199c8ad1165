import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, isOrphan, nestedBase, planChanges } from "../../../src/core/topics/diff-topics.ts";
import type { Topic, Topics } from "../../../src/core/topics/topic.ts";

const anyTopic = fc.record(
  { payload: fc.constantFrom("bleu", "rouge", "None"), expires: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: ["payload"] },
);
const anyTopics: fc.Arbitrary<Topics> = fc
  .dictionary(fc.constantFrom("a", "b", "c", "now/color", "now"), anyTopic)
  .map((all) => new Map(Object.entries(all)));

describe("planChanges", () => {
  test.each<[what: string, sent: Record<string, Topic>, desired: Record<string, Topic>, plan: Change[]]>([
    [
      "sends what is new",
      {},
      { a: { payload: "1" } },
      [{ kind: "publish", topic: "a", value: { payload: "1" } }],
    ],
    ["sends nothing that is equal", { a: { payload: "1" } }, { a: { payload: "1" } }, []],
    [
      "sends an equal value that lives longer",
      { a: { payload: "1", expires: 1 } },
      { a: { payload: "1", expires: 2 } },
      [{ kind: "publish", topic: "a", value: { payload: "1", expires: 2 } }],
    ],
    ["clears what is wanted no more", { a: { payload: "1" } }, {}, [{ kind: "clear", topic: "a" }]],
  ])("%s", (_what, sent, desired, plan) => {
    expect(planChanges(new Map(Object.entries(sent)), new Map(Object.entries(desired)))).toEqual(plan);
  });

  test("applied, it gives what is desired, and then there is nothing to do", () => {
    fc.assert(
      fc.property(anyTopics, anyTopics, (sent, desired) => {
        const after = apply(planChanges(sent, desired), sent);
        expect(new Map(after)).toEqual(new Map(desired));
        expect(planChanges(after, desired)).toEqual([]);
      }),
    );
  });
});

describe("isOrphan", () => {
  const desired = new Map([["now/color", { payload: "bleu" }]]);
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
    expect(isOrphan(topic, desired, ["annexe"])).toBe(orphan);
  });

  test("a subtree is another's by its owner", () => {
    expect([
      nestedBase("annexe/owner"),
      nestedBase("a/b/owner"),
      nestedBase("owner"),
      nestedBase("annexe/x"),
    ]).toEqual([...["annexe", "a/b", undefined, undefined]]);
  });
});

function apply(changes: readonly Change[], sent: Topics): Topics {
  const after = new Map(sent);
  for (const change of changes) {
    if (change.kind === "publish") after.set(change.topic, change.value);
    else after.delete(change.topic);
  }
  return after;
}
