import { describe, expect, it } from "vitest";
import { memoize, memoizeFor } from "../../../src/core/calendar/memoize.ts";

describe("a remembered function", () => {
  it("computes each answer once, and tells questions apart", () => {
    const asked: string[] = [];
    const join = memoize((one: string, other: number) => {
      asked.push(one);
      return `${one}${other}`;
    });
    expect([join("a", 1), join("a", 2), join("a", 1)]).toEqual(["a1", "a2", "a1"]);
    expect(asked).toHaveLength(2);
  });

  it("forgets when the answers grow many, and still answers", () => {
    let computed = 0;
    const double = memoize((number: number, times: number) => {
      computed += 1;
      return number * times;
    }, 2);
    for (const number of [1, 2, 3, 1]) expect(double(number, 2)).toBe(number * 2);
    expect(computed).toBe(4);
  });

  it("keeps the answers about one object apart from another's", () => {
    const read = memoizeFor((subject: { name: string }, question: string) => `${subject.name} ${question}`);
    expect([read({ name: "a" }, "x"), read({ name: "b" }, "x")]).toEqual(["a x", "b x"]);
  });
});
