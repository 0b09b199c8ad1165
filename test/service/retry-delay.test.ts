import { expect, it } from "vitest";
import { retryDelay } from "../../src/service/retry-delay.ts";
import {
  AnswerUnreadable,
  BudgetSpent,
  RangeIgnored,
  RequestRefused,
  ServiceBusy,
  ServiceFailed,
  ServiceUnreachable,
} from "../../src/service/service-errors.ts";

const came = { status: 500, contentType: null, beginning: "" };
const again = [
  new ServiceUnreachable("GET /v1/public", "example.org", "it broke the connection"),
  new ServiceFailed("GET /v1/public", came),
  new AnswerUnreadable("GET /v1/public", "it broke off", { cut: true }),
];
const never = [
  new AnswerUnreadable("GET /v1/public", "a redirect"),
  new RangeIgnored("GET /v1/public/history", "other dates"),
  new RequestRefused("GET /v1/public", { ...came, status: 422 }, []),
  new BudgetSpent("GET /v1/public", 150),
  new ServiceBusy("GET /v1/public", 3_600_000),
  new Error("a fault of the program"),
];

it.each(again)("$name is tried again, later each time, at most five minutes later", (error) => {
  expect([1, 2, 3, 4, 5, 50].map((attempt) => retryDelay(error, attempt, 1))).toEqual([
    5_000, 15_000, 45_000, 135_000, 300_000, 300_000,
  ]);
  expect(retryDelay(error, 3, 0.5)).toBe(22_500);
  expect(retryDelay(error, 3, 0)).toBe(0);
});

it.each(never)("$name is not tried again", (error) => {
  expect(retryDelay(error, 1, 0.5)).toBeNull();
});

it.each([null, 1_000, 120_000])(
  "a 429 that asks for %s ms is tried again when its pause is over",
  (retryAfter) => {
    expect(retryDelay(new ServiceBusy("GET /v1/public", retryAfter), 1, 0.5)).toBe(0);
  },
);
