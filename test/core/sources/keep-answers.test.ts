import { describe, expect, test } from "vitest";
import { keepAnswered, keepOutcome } from "../../../src/core/sources/keep-answers.ts";
import { NEW_SOURCE } from "../../../src/core/sources/source-kept.ts";
import { PARIS } from "../../support/tariff.ts";

const at = (wall: string) => Date.parse(`2026-01-${wall}:00+01:00`);
const failedAt = (
  kept: typeof NEW_SOURCE,
  kind: "date" | "season",
  wall: string,
  answered: "forecasts"[] = [],
) =>
  keepOutcome(kept, [{ kind, failure: { kind: "other", sentence: "404" }, sentence: "404" }], {
    answered,
    at: at(wall),
    tariff: PARIS,
  });

describe("what is kept of a source", () => {
  test("has the tariff day on which the season was answered, and the civil date of the history", () => {
    const asked = (kind: "season" | "history", wall: string) =>
      keepAnswered(NEW_SOURCE, kind, at(wall), PARIS).asked[kind];
    expect(asked("history", "05 05:59")).toBe("2026-01-05");
    expect(asked("season", "05 05:59")).toBe("2026-01-04");
    expect(asked("season", "05 06:00")).toBe("2026-01-05");
  });

  test("counts the failures of a season within one civil day, and forgets them with its answer", () => {
    const twice = failedAt(failedAt(NEW_SOURCE, "season", "05 10:00"), "season", "05 23:00");
    expect(twice.failures.season).toEqual({ at: at("05 23:00"), count: 2, sentence: "404" });
    expect(failedAt(twice, "season", "06 00:00").failures.season?.count).toBe(1);
    expect(keepAnswered(twice, "season", at("06 06:00"), PARIS).failures).toEqual({});
    expect(keepAnswered(twice, "forecasts", at("06 06:00"), PARIS).failures).toEqual(twice.failures);
  });

  test("has the beginning of a failure as long as one request of each poll fails", () => {
    const known = keepAnswered(NEW_SOURCE, "forecasts", at("05 09:00"), PARIS);
    const first = failedAt(known, "date", "05 10:00", ["forecasts"]);
    const second = failedAt(keepAnswered(first, "forecasts", at("05 11:00"), PARIS), "date", "05 11:00", [
      "forecasts",
    ]);
    expect(second).toMatchObject({ answered_at: at("05 11:00"), failing: { since: at("05 10:00") } });
    const over = keepOutcome(second, [], {
      answered: ["forecasts", "date"],
      at: at("05 12:00"),
      tariff: PARIS,
    });
    expect(over.failing).toBeNull();
  });

  test("never has a beginning in the future, if the clock was set back", () => {
    const failing = failedAt(NEW_SOURCE, "date", "05 10:00").failing;
    expect(failedAt({ ...NEW_SOURCE, failing }, "date", "05 08:00").failing?.since).toBe(at("05 08:00"));
  });
});
