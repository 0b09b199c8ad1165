import { describe, expect, test } from "vitest";
import { atLeast, both, either, opposite, type Truth } from "../../../src/core/rules/truth.ts";

const [ON, OFF, UNKNOWN]: Truth[] = [true, false, null];

describe("the connectives", () => {
  test.each([
    [ON, ON, ON, ON],
    [ON, OFF, OFF, ON],
    [ON, UNKNOWN, UNKNOWN, ON],
    [OFF, ON, OFF, ON],
    [OFF, OFF, OFF, OFF],
    [OFF, UNKNOWN, OFF, UNKNOWN],
    [UNKNOWN, ON, UNKNOWN, ON],
    [UNKNOWN, OFF, OFF, UNKNOWN],
    [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
  ])("%s and %s: both %s, either %s", (one, other, all, any) => {
    expect([both(one ?? null, other ?? null), either(one ?? null, other ?? null)]).toEqual([all, any]);
  });

  test("not turns ON and OFF around and leaves unknown", () => {
    expect([ON, OFF, UNKNOWN].map((truth) => opposite(truth ?? null))).toEqual([OFF, ON, UNKNOWN]);
  });

  test.each([
    [2, 0, 2, ON],
    [1, 1, 2, UNKNOWN],
    [1, 0, 2, OFF],
    [0, 7, 1, UNKNOWN],
    [3, 4, 7, UNKNOWN],
    [3, 3, 7, OFF],
    [7, 0, 7, ON],
  ])("%i ON and %i unknown, at least %i asked: %s", (on, unknown, least, truth) => {
    const truths = [...Array(on).fill(true), ...Array(unknown).fill(null), false];
    expect(atLeast(least, truths)).toBe(truth);
  });
});
