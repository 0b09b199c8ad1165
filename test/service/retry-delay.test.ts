import { describe, expect, it } from "vitest";
import { FORECAST_SERVICE } from "../../src/core/sources/service-source.ts";
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

describe("another try", () => {
  const summary = { status: 500, contentType: null, location: null, beginning: "" };
  const tryAgain = [
    new ServiceUnreachable(FORECAST_SERVICE, "GET /v1/public", "example.org", "it broke the connection"),
    new ServiceFailed(FORECAST_SERVICE, "GET /v1/public", summary),
    new AnswerUnreadable("GET /v1/public", "it broke off", { cut: true }),
  ];
  const never = [
    new AnswerUnreadable("GET /v1/public", "a redirect"),
    new RangeIgnored("GET /v1/public/history", "other dates"),
    new RequestRefused(
      FORECAST_SERVICE,
      { operation: "GET /v1/public", address: "http://service/v1/public" },
      { ...summary, status: 422 },
      [],
    ),
    new BudgetSpent("GET /v1/public", 150),
    new ServiceBusy(FORECAST_SERVICE, "GET /v1/public", 3_600_000),
    new Error("a fault of the program"),
  ];

  it.each(tryAgain)("$name is tried again, later each time, at most five minutes later", (error) => {
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
      expect(retryDelay(new ServiceBusy(FORECAST_SERVICE, "GET /v1/public", retryAfter), 1, 0.5)).toBe(0);
    },
  );
});
