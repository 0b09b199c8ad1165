import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/core/contract/answer.ts";
import type { KnownDays } from "../../../src/core/days/known-days.ts";
import { recordAnswer, recordPollOutcome, startPollRecord } from "../../../src/core/facts/poll-record.ts";
import { isShownAlike } from "../../../src/core/facts/source-record.ts";
import { knownDaysOf, official } from "../../support/known-days.ts";

const AT = Date.parse("2026-01-05T10:00:00Z");
const HOUR = 3_600_000;
const answer: Answer = { kind: "forecasts", updated_at: AT, days: [] };
const before = knownDaysOf({ "2026-01-05": official("bleu") }, { updated_at: AT });

/** The same days in a later update of the service. */
function updatedAfter(hours: number): KnownDays {
  return { ...before, updated_at: AT + hours * HOUR };
}

describe("a record of polls", () => {
  const first = recordAnswer(startPollRecord(AT, before, "real"), { answer, at: AT, before, after: before });

  it("publishes the first success after a start at once", () => {
    expect(first).toMatchObject({ last_success: AT, shown_success: AT, shown_update: AT });
  });

  it.each([
    [1, 0],
    [3, 0],
    [4, 4],
    [5, 5],
  ])("after %i h of the same days publishes the times of %i h later", (hours, shown) => {
    const at = AT + hours * HOUR;
    const next = recordAnswer(first, { answer, at, before, after: updatedAfter(hours) });
    expect(next).toMatchObject({ last_success: at, shown_success: AT + shown * HOUR });
    expect(next.shown_update).toBe(AT + shown * HOUR);
    expect(isShownAlike(first, next)).toBe(shown === 0);
  });

  it("publishes the update together with each change of a day", () => {
    const after = knownDaysOf({ "2026-01-05": official("rouge") }, { updated_at: AT + HOUR });
    const next = recordAnswer(first, { answer, at: AT + HOUR, before, after });
    expect(next.shown_update).toBe(AT + HOUR);
    expect(isShownAlike(first, next)).toBe(false);
  });

  it.each([
    [2, 0],
    [3, 3],
  ])(
    "%i h after the last published success, together with a change of a day, publishes that of %i h later",
    (hours, shown) => {
      const after = knownDaysOf({ "2026-01-05": official("rouge") }, { updated_at: AT });
      const next = recordAnswer(first, { answer, at: AT + hours * HOUR, before, after });
      expect(next.shown_success).toBe(AT + shown * HOUR);
    },
  );

  it("does not count a history answer as a success", () => {
    const history: Answer = { kind: "history", start: "2026-01-01", end: "2026-01-05", entries: [] };
    const next = recordAnswer(first, { answer: history, at: AT + 5 * HOUR, before, after: before });
    expect(next.last_success).toBe(AT);
  });

  it("keeps a failure until an answer comes, and stays the same where nothing was sent", () => {
    const failed = recordPollOutcome(first, { answers: 0, failures: ["no route"] });
    expect(failed.failure).toBe("no route");
    expect(recordPollOutcome(failed, { answers: 0, failures: [] })).toBe(failed);
    expect(recordPollOutcome(failed, { answers: 1, failures: [] }).failure).toBeNull();
  });

  it("publishes the success that ends a failure at once", () => {
    const failed = recordPollOutcome(first, { answers: 0, failures: ["no route"] });
    const at = AT + HOUR;
    expect(recordAnswer(failed, { answer, at, before, after: before }).shown_success).toBe(at);
  });
});
