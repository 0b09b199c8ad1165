import { describe, expect, it } from "vitest";
import type { KnownDay } from "../../../src/core/days/known-days.ts";
import { deriveFacts } from "../../../src/core/facts/derive-facts.ts";
import { NEVER_ASKED, type SourceRecord } from "../../../src/core/facts/source-record.ts";
import { factsInputAt, knownDaysOf, official, saidByRte } from "../../support/known-days.ts";
import { UNPRICED } from "../../support/tariff.ts";

const AT = Date.parse("2026-01-05T10:00:00Z");
const HOUR = 3_600_000;
const WELL: SourceRecord = { ...NEVER_ASKED, answered_at: AT - HOUR };
const SEASON_FAILS: SourceRecord = { ...WELL, failures: { season: { at: AT, count: 1, sentence: "404" } } };
const failing = (hours: number): SourceRecord => ({
  ...WELL,
  answered_at: AT - hours * HOUR - HOUR,
  failing: { since: AT - hours * HOUR, sentence: "no route" },
});
const DAYS: Record<string, KnownDay> = { "2026-01-06": official("bleu") };
const factsOf = (record: SourceRecord | null, polls: Partial<SourceRecord> | null = {}, days = DAYS) =>
  deriveFacts({ ...factsInputAt(AT, knownDaysOf(days), polls), official: record }, UNPRICED);

describe("the official source", () => {
  it.each([
    ["there is none", null, "off"],
    ["answered at the last request", WELL, "ok"],
    ["has not answered yet", { ...WELL, answered_at: null }, "degraded"],
    ["has failed for less than three hours", failing(2.99), "degraded"],
    ["has failed for three hours", failing(3), "down"],
    ["has answered only today and tomorrow", SEASON_FAILS, "degraded"],
    ["has named its last word a day ago, before the start", { ...WELL, answered_at: AT - 35.9 * HOUR }, "ok"],
    ["has said nothing for two days, before the start", { ...WELL, answered_at: AT - 36 * HOUR }, "degraded"],
  ] as const)("%s", (_, record, status) => {
    expect(factsOf(record).official.status).toBe(status);
  });

  it("what-if: The official source is down · is down at the end of three hours, without an event", () => {
    const { next_boundary } = factsOf(failing(2.5));
    expect(next_boundary).toBe(AT + HOUR / 2);
  });

  it.each([
    ["with a service that is well: a day later", failing(23.9), {}, "none"],
    ["with a service that is well, after a day", failing(24), {}, "official"],
    [
      "after an hour, though its last word is older",
      { ...failing(1), answered_at: AT - 30 * HOUR },
      {},
      "none",
    ],
    ["in the season alone", SEASON_FAILS, {}, "none"],
    ["without a service: at once", failing(0), null, "official"],
    ["with a service that is down: that counts more", failing(0), failing(4), "service"],
    ["well, without a service", WELL, null, "none"],
  ] as const)("that fails is a problem %s", (_, record, polls, code) => {
    expect(factsOf(record, polls).service.problem_code).toBe(code);
  });

  it("that fails for a day counts more than an output", () => {
    const input = {
      ...factsInputAt(AT, knownDaysOf(DAYS)),
      official: failing(24),
      failed_outputs: ["boiler"],
    };
    expect(deriveFacts(input, UNPRICED).service.problem_code).toBe("official");
  });
});

describe("a contradiction", () => {
  const both = { ...official("blanc", { confirmed: false }), ...saidByRte("rouge", { confirmed: false }) };

  it.each(["2026-01-05", "2026-01-06"])("about %s is a problem, as long as the day is not over", (date) => {
    const facts = factsOf(WELL, {}, { ...DAYS, [date]: both });
    expect(facts.service.problem_code).toBe("contradiction");
    expect(factsOf(WELL, {}, { ...DAYS, "2026-01-04": both }).service.problem_code).toBe("none");
  });

  it("comes after an output's problem, and before a revision", () => {
    const days = { "2026-01-06": { ...both, revised_from: "bleu" as const } };
    expect(factsOf(WELL, {}, days).service.problem_code).toBe("contradiction");
    const input = { ...factsInputAt(AT, knownDaysOf(days)), official: WELL, failed_outputs: ["boiler"] };
    expect(deriveFacts(input, UNPRICED).service.problem_code).toBe("output");
  });

  it("comes before an announcement that is late", () => {
    const afternoon = AT + 4 * HOUR;
    const lateWith = (days: Record<string, KnownDay>) =>
      deriveFacts({ ...factsInputAt(afternoon, knownDaysOf(days)), official: WELL }, UNPRICED);
    expect(lateWith({ "2026-01-05": official("bleu") }).service.problem_code).toBe("late");
    const { moment, service } = lateWith({ "2026-01-05": both });
    expect([moment?.announcement.late, service.problem_code]).toEqual([true, "contradiction"]);
  });

  it("that nobody confirmed leaves the day announced, even after 06:00", () => {
    const { moment } = factsOf(WELL, {}, { "2026-01-05": both });
    expect(moment?.now).toMatchObject({
      color: "rouge",
      stage: "announced",
      official_by: { service: "blanc", rte: "rouge" },
    });
  });
});

it("an announcement by RTE alone is not late", () => {
  const { moment, service } = deriveFacts(
    factsInputAt("2026-01-05T13:00:00+01:00", knownDaysOf({ "2026-01-06": saidByRte("bleu") })),
    UNPRICED,
  );
  expect(moment?.announcement).toMatchObject({ stage: "final", late: false });
  expect(service.problem_code).toBe("none");
});
