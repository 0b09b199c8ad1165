import { afterEach, describe, expect, test, vi } from "vitest";
import { pollCron } from "../../src/app/poll-cron.ts";

describe("the poll's cron", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ["the first installation", 0, "2026-01-05T10:01:00.000Z"],
    ["another in its own second", 0.5, "2026-01-05T10:00:30.000Z"],
    ["the last", 0.999, "2026-01-05T10:00:59.000Z"],
  ])("looks once a minute, %s", (_case, offset, next) => {
    vi.useFakeTimers({ now: Date.parse("2026-01-05T10:00:00Z"), toFake: ["Date"] });
    expect(new Date(pollCron(offset).next()).toISOString()).toBe(next);
  });

  test("no minute of the hour that comes twice in October is lost", () => {
    vi.useFakeTimers({ now: Date.parse("2026-10-25T00:59:30Z"), toFake: ["Date"] });
    expect(new Date(pollCron(0).next()).toISOString()).toBe("2026-10-25T01:00:00.000Z");
  });
});
