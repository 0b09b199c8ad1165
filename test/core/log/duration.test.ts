import { expect, it } from "vitest";
import { describeDuration, describeLength } from "../../../src/core/log/duration.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it.each([
  [0, "0 s"],
  [-5000, "0 s"],
  [40_000, "40 s"],
  [59_400, "59 s"],
  [59_600, "1 min"],
  [5 * MINUTE, "5 min"],
  [HOUR, "1 h"],
  [3 * HOUR + 20 * MINUTE, "3 h 20 min"],
  [24 * HOUR, "1 day"],
  [52 * HOUR, "2 days 4 h"],
])("%d ms is %s", (milliseconds, words) => {
  expect(describeDuration(milliseconds)).toBe(words);
});

it.each([
  [40_000, "40 s"],
  [90_000, "90 s"],
  [5 * MINUTE, "5 min"],
  [90 * MINUTE, "90 min"],
  [2 * HOUR, "2 h"],
])("a configured length of %d ms is exactly %s", (milliseconds, words) => {
  expect(describeLength(milliseconds)).toBe(words);
});
