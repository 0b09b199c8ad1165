import { expect, test } from "vitest";
import { reportBudget, reportPoll } from "../../src/app/report.ts";
import { createProblemLog } from "../../src/runtime/problem-log.ts";
import { isBudgetSpent } from "../../src/service/request-limits.ts";
import { FORECAST_SERVICE } from "../../src/service/sources.ts";
import { logTo } from "../support/logs.ts";

const NOON = Date.parse("2026-01-05T12:00:00Z");
const DAY = 24 * 3_600_000;

test("requests may be sent again when the next day begins, not when an hourly poll succeeds", () => {
  const lines: string[] = [];
  const problemLog = createProblemLog(logTo(lines), { now: () => NOON, steady: () => 0 });
  const spent = { day: "2026-01-05", count: FORECAST_SERVICE.budget };
  const reportAt = (now: number) => {
    reportPoll({ failures: [], answers: 2 }, FORECAST_SERVICE, problemLog);
    reportBudget(isBudgetSpent(spent, now, FORECAST_SERVICE.budget), FORECAST_SERVICE, problemLog);
  };
  reportAt(NOON);
  reportAt(NOON + 3_600_000);
  const said = "vigie has sent all requests that it may send today: only the hourly poll goes on";
  expect(lines).toEqual([said]);
  reportAt(NOON + DAY);
  expect(lines).toEqual([said, "vigie may send requests to the service again, after 0 s"]);
});
