import { describe, expect, it } from "vitest";
import { POLL_LIMIT } from "../../src/core/sources/poll.ts";
import { openTestLoop, settled } from "../support/test-loop.ts";

const NOON = Date.parse("2026-07-07T12:00:00+02:00");
const HOUR = 3_600_000;

describe("when the loop wakes next", () => {
  it("is the end of a poll that has begun since the last look, and not that of one that is over", async () => {
    const clock = { at: NOON };
    let isHanging = false;
    const { loop } = openTestLoop({
      clock,
      polls: "when due",
      ask: () => (isHanging ? new Promise(() => undefined) : Promise.reject(new Error("no answer"))),
    });
    expect(loop.view().boundary.steady).toBe(NOON + POLL_LIMIT);
    await settled();
    expect(loop.view().boundary.steady).toBe(Number.POSITIVE_INFINITY);

    isHanging = true;
    clock.at += HOUR;
    loop.refresh();
    expect(loop.view().boundary.steady).toBe(clock.at + POLL_LIMIT);
  });
});
