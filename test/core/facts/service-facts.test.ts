import { describe, expect, it } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { SourceRecord } from "../../../src/core/facts/source-record.ts";
import { factsInputAt, forecast, knownDaysOf, official } from "../../support/known-days.ts";
import { UNPRICED } from "../../support/tariff.ts";

const AT = Date.parse("2026-01-05T13:00:00+01:00");
const HOUR = 3_600_000;
const ALL_WELL: Record<string, KnownDay> = { "2026-01-06": official("bleu") };

const HISTORY_FAILS = { failures: { history: { at: AT, count: 1, sentence: "404" } } };
const failingFor = (length: number): Partial<SourceRecord> => ({
  answered_at: AT - length - 60_000,
  failing: { since: AT - length, sentence: "no route" },
});
const NO_ROUTE = { since: AT - 60_000, sentence: "no route" };

function serviceOf(polls: Partial<SourceRecord> | null, days = ALL_WELL, right = true) {
  const input = factsInputAt(AT, knownDaysOf(days, { updated_at: AT - HOUR }), polls);
  return deriveFacts({ ...input, clock: { at: AT, right } }, UNPRICED).service;
}

describe("the service", () => {
  it.each([
    ["answered just now", {}, "ok"],
    ["has not answered yet", { answered_at: null }, "degraded"],
    ["failed at the last poll", { failing: NO_ROUTE }, "degraded"],
    ["has failed for a second less than three hours", { ...failingFor(3 * HOUR - 1000) }, "degraded"],
    ["has failed for three hours", failingFor(3 * HOUR), "down"],
    ["has failed in part for a day", { ...failingFor(24 * HOUR), answered_at: AT - HOUR }, "degraded"],
    [
      "is down, and the clock was set back behind its last answer",
      { ...failingFor(3 * HOUR), answered_at: AT + HOUR },
      "down",
    ],
    ["never answered in three hours", { ...failingFor(3 * HOUR), answered_at: null }, "down"],
    ["answered a day ago, and was not asked since", { answered_at: AT - 24 * HOUR }, "ok"],
    ["answered two days ago, and was not asked since", { answered_at: AT - 48 * HOUR }, "degraded"],
    ["answers, but not about its history", HISTORY_FAILS, "degraded"],
    ["is none", null, "off"],
  ] as const)("%s", (_, polls, status) => {
    expect(serviceOf(polls).status).toBe(status);
  });

  it("is simulated, whatever else", () => {
    const input = { ...factsInputAt(AT, knownDaysOf(ALL_WELL), failingFor(9 * HOUR)), isInvented: true };
    expect(deriveFacts(input, UNPRICED).service.status).toBe("simulated");
  });

  it("shows its last answer rounded down, and the last error", () => {
    expect(serviceOf({ answered_at: AT })).toMatchObject({
      last_success: Date.parse("2026-01-05T12:00:00Z"),
      last_error: null,
    });
    expect(serviceOf({ answered_at: AT - HOUR })).toMatchObject({
      last_success: Date.parse("2026-01-05T08:00:00Z"),
    });
    expect(serviceOf(HISTORY_FAILS)).toMatchObject({ last_error: "404" });
    expect(serviceOf({ ...HISTORY_FAILS, failing: NO_ROUTE })).toMatchObject({ last_error: "no route" });
  });

  it("shows when the forecasts were made: at once if one has changed, and in steps of four hours from then on", () => {
    const updateOf = (said_at: number | null, updated_at: number | null) => {
      const days = { "2026-01-06": forecast("bleu", { said_at }) };
      return deriveFacts(factsInputAt(AT, knownDaysOf(days, { updated_at })), UNPRICED).service.updated_at;
    };
    const made = Date.parse("2026-01-05T09:35:00Z");
    expect(updateOf(made, made)).toBe(made);
    expect(updateOf(made, Date.parse("2026-01-05T11:35:00Z"))).toBe(made);
    expect(updateOf(made, Date.parse("2026-01-05T13:34:00Z"))).toBe(made);
    expect(updateOf(made, Date.parse("2026-01-05T13:35:00Z"))).toBe(made + 4 * HOUR);
    expect(updateOf(null, null)).toBeNull();
  });
});

describe("what-if: Tomorrow is not announced · the problem", () => {
  const revised = { ...ALL_WELL, "2026-01-05": official("rouge", { revised_from: "bleu" }) };
  const failing = { failing: NO_ROUTE };

  it.each([
    ["none", {}, ALL_WELL, true],
    ["clock", failing, {}, false],
    ["service", failing, {}, true],
    ["service", failingFor(9 * HOUR), {}, true],
    ["late", {}, { "2026-01-05": official("rouge", { revised_from: "bleu" }) }, true],
    ["revised", {}, revised, true],
    ["revised", {}, { "2026-01-06": official("rouge", { revised_from: "bleu" }) }, true],
    ["none", {}, { ...ALL_WELL, "2026-01-04": official("rouge", { revised_from: "bleu" }) }, true],
  ] as const)("is %s with %j", (code, polls, days, right) => {
    expect(serviceOf(polls, days, right).problem_code).toBe(code);
  });

  it("is an output that has a problem, where the service is well", () => {
    const codeOf = (polls: Partial<SourceRecord>) => {
      const knownDays = knownDaysOf({ "2026-01-06": official("rouge", { revised_from: "bleu" }) });
      return deriveFacts({ ...factsInputAt(AT, knownDays, polls), failed_outputs: ["boiler/set"] }, UNPRICED)
        .service.problem_code;
    };
    expect([codeOf({}), codeOf(failing)]).toEqual(["output", "service"]);
  });

  it("is an error of vigie itself before all others", () => {
    const clock = { at: AT, right: false };
    const input = { ...factsInputAt(AT, knownDaysOf({}), failing), clock, vigie_failed: true };
    expect(deriveFacts(input, UNPRICED).service.problem_code).toBe("vigie");
  });

  it("is a revision of tomorrow, too, between midnight and 06:00", () => {
    const knownDays = knownDaysOf({ "2026-01-06": official("rouge", { revised_from: "bleu" }) });
    const { service } = deriveFacts(factsInputAt("2026-01-05T03:00:00+01:00", knownDays), UNPRICED);
    expect(service.problem_code).toBe("revised");
  });
});
