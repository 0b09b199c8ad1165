import { describe, expect, it } from "vitest";
import { memoize } from "../../../src/core/calendar/memoize.ts";

describe("a memoized function", () => {
  it("computes each result once, for each key and context", () => {
    const computed: string[] = [];
    const join = memoize((key: string, context: { name: string }) => {
      computed.push(key);
      return `${key} of ${context.name}`;
    });
    const [one, other] = [{ name: "one" }, { name: "other" }];
    expect([join("a", one), join("a", other), join("a", one)]).toEqual([
      "a of one",
      "a of other",
      "a of one",
    ]);
    expect(computed).toHaveLength(2);
  });

  it("drops the results at the limit, and computes them again", () => {
    let computed = 0;
    const double = memoize((number: number, times: number) => {
      computed += 1;
      return number * times;
    }, 2);
    for (const number of [1, 2, 3, 1]) expect(double(number, 2)).toBe(number * 2);
    expect(computed).toBe(4);
  });
});
