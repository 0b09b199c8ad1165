import { describe, expect, test } from "vitest";
import { pollCron } from "../../src/app/poll-cron.ts";

describe("the poll's cron", () => {
  test.each([
    ["the first installation", 0, "2026-01-05T10:00:00Z", "2026-01-05T10:01:00.000Z"],
    ["another in its own second", 0.5, "2026-01-05T10:00:00Z", "2026-01-05T10:00:30.000Z"],
    ["another after that second", 0.5, "2026-01-05T10:00:30.001Z", "2026-01-05T10:01:30.000Z"],
    ["the last", 0.999, "2026-01-05T10:00:00Z", "2026-01-05T10:00:59.000Z"],
    ["in the hour that comes twice in October", 0, "2026-10-25T00:59:30Z", "2026-10-25T01:00:00.000Z"],
  ])("looks once a minute, %s", (_case, offset, after, next) => {
    expect(new Date(pollCron(offset).next(Date.parse(after))).toISOString()).toBe(next);
  });
});
