import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, diffTopics } from "../../../src/core/topics/diff-topics.ts";
import type { Topic, Topics } from "../../../src/core/topics/topic.ts";

const anyTopic = fc.record(
  { payload: fc.constantFrom("bleu", "rouge", "None"), expires: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: ["payload"] },
);
const anyTopics: fc.Arbitrary<Topics> = fc
  .dictionary(fc.constantFrom("a", "b", "c", "now/color", "now"), anyTopic)
  .map((all) => new Map(Object.entries(all)));

describe("diffTopics", () => {
  test.each<[what: string, sent: Record<string, Topic>, wanted: Record<string, Topic>, plan: Change[]]>([
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
  ])("%s", (_what, sent, wanted, plan) => {
    expect(diffTopics(new Map(Object.entries(sent)), new Map(Object.entries(wanted)))).toEqual(plan);
  });

  test("applied, it gives what is wanted, and then there is nothing to do", () => {
    fc.assert(
      fc.property(anyTopics, anyTopics, (sent, wanted) => {
        const after = apply(diffTopics(sent, wanted), sent);
        expect(new Map(after)).toEqual(new Map(wanted));
        expect(diffTopics(after, wanted)).toEqual([]);
      }),
    );
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
