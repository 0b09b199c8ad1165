import { describe, expect, it } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import type { SourceRecord } from "../../../src/core/facts/source-record.ts";
import { factsInputAt, knownDaysOf, official } from "../../support/known-days.ts";
import { UNPRICED } from "../../support/tariff.ts";

const AT = Date.parse("2026-01-05T13:00:00+01:00");
const HOUR = 3_600_000;
const ALL_WELL: Record<string, KnownDay> = { "2026-01-06": official("bleu") };

function serviceOf(polls: Partial<SourceRecord>, days = ALL_WELL, right = true) {
  const input = factsInputAt(AT, knownDaysOf(days, { updated_at: AT - HOUR }), polls);
  return deriveFacts({ ...input, clock: { at: AT, right } }, UNPRICED).service;
}

describe("the service", () => {
  it.each([
    ["answered just now", {}, "ok"],
    ["has not answered yet", { last_success: null }, "degraded"],
    ["failed at the last poll", { failure: "no route" }, "degraded"],
    ["has been silent for a second less than three hours", { last_success: AT - 3 * HOUR + 1000 }, "ok"],
    ["has been silent for three hours", { last_success: AT - 3 * HOUR }, "down"],
    ["has failed for three hours", { last_success: AT - 3 * HOUR, failure: "no route" }, "down"],
    ["never answered in three hours", { last_success: null, started_at: AT - 3 * HOUR }, "down"],
    ["is simulated, whatever else", { kind: "invented", last_success: 0, failure: "no route" }, "simulated"],
    ["is none", { kind: "none", last_success: null }, "off"],
  ] as const)("%s", (_, polls, status) => {
    expect(serviceOf(polls).status).toBe(status);
  });

  it.each([
    ["ok", 6 * HOUR],
    ["down", 6.25 * HOUR],
  ])("is %s if it is asked every six hours, and answered %i ms ago", (status, silent) => {
    const input = factsInputAt(AT, knownDaysOf(ALL_WELL), { last_success: AT - silent });
    expect(deriveFacts({ ...input, poll_every: 6 * HOUR }, UNPRICED).service.status).toBe(status);
  });

  it("shows the published success and update, and the last error", () => {
    expect(serviceOf({ shown_success: AT - HOUR, failure: "no route" })).toMatchObject({
      last_success: AT - HOUR,
      last_error: "no route",
      updated_at: AT - HOUR,
    });
  });
});

describe("what-if: Tomorrow is not announced · the problem", () => {
  const revised = { ...ALL_WELL, "2026-01-05": official("rouge", { revised_from: "bleu" }) };
  const failing = { failure: "no route" };

  it.each([
    ["none", {}, ALL_WELL, true],
    ["none", { kind: "invented" }, ALL_WELL, true],
    ["clock", failing, {}, false],
    ["service", failing, {}, true],
    ["service", { last_success: 0 }, {}, true],
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
