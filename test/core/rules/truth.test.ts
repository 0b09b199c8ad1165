import { describe, expect, test } from "vitest";
import {
  allOf,
  anyOf,
  atLeast,
  type By,
  both,
  either,
  type Judged,
  opposite,
  type Truth,
} from "../../../src/core/rules/truth.ts";

const [ON, OFF, UNKNOWN]: Truth[] = [true, false, null];

const by = (truth: Truth, one: By): Judged => ({ truth, by: one });

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
    const parts = [...Array(on).fill(true), ...Array(unknown).fill(null), false].map((one) =>
      by(one, "sure"),
    );
    expect(atLeast(least, parts).truth).toBe(truth);
  });

  const FIVE = [
    by(true, "sure"),
    by(true, "forecast"),
    by(false, "laws"),
    by(false, "value"),
    by(null, "forecast"),
  ];
  test.each<[string, Judged, Judged]>([
    ["all of them: the surest that is OFF", allOf(FIVE), by(false, "laws")],
    ["any of them: the surest that is ON", anyOf(FIVE), by(true, "sure")],
    ["all of those that are ON: the least sure", allOf(FIVE.slice(0, 2)), by(true, "forecast")],
    ["any of those that are OFF: the least sure", anyOf(FIVE.slice(2, 4)), by(false, "value")],
    [
      "all, one of them unknown: the least sure",
      allOf([by(true, "value"), by(null, "forecast")]),
      by(null, "value"),
    ],
    ["one: the surest that is ON", atLeast(1, FIVE), by(true, "sure")],
    ["two: the second that is ON", atLeast(2, FIVE), by(true, "forecast")],
    ["three, with one unknown: the least sure", atLeast(3, FIVE), by(null, "value")],
    ["four: of two that are OFF the second", atLeast(4, FIVE), by(false, "value")],
    ["five: of two that are OFF the first", atLeast(5, FIVE), by(false, "laws")],
  ])("what decides %s", (_title, found, expected) => {
    expect(found).toEqual(expected);
  });
});
