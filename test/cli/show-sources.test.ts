import { describe, expect, it } from "vitest";
import { formatTopics } from "../../src/cli/show-topics.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import type { FactsInput } from "../../src/core/facts/facts.ts";
import { NEVER_ASKED } from "../../src/core/facts/source-record.ts";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { factsInputAt, knownDaysOf, official, saidByRte } from "../support/known-days.ts";
import { PARIS } from "../support/tariff.ts";

const AT = "2026-01-05T12:00:00+01:00";
const both = { ...official("blanc", { confirmed: false }), ...saidByRte("rouge", { confirmed: false }) };
const KNOWN_DAYS = knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": both });

function pageOf(input: Partial<FactsInput>, at = AT): string[] {
  const facts = deriveFacts({ ...factsInputAt(at, KNOWN_DAYS), ...input }, PARIS);
  const topics = renderTopics(facts, { grace: 0, laws: "tempo" });
  const payloads = new Map([...topics].map(([topic, { payload }]) => [topic, payload]));
  return formatTopics(payloads, {
    title: "test",
    color: false,
    zone: PARIS.time_zone,
    now: Date.parse(at),
    health: null,
    isWatched: false,
  }).split("\n");
}

describe("the page of vigie show", () => {
  it.each([
    ["tomorrow", "2026-01-05T12:00:00+01:00", /^tomorrow +Tue 2026-01-06 +rouge +announced$/],
    ["now and today", "2026-01-06T12:00:00+01:00", /^today +Tue 2026-01-06 +rouge +announced$/],
    ["next, also before 06:00", "2026-01-06T05:00:00+01:00", /^today +Tue 2026-01-06 +rouge +announced$/],
    [
      "now, which is no day of the table before 06:00",
      "2026-01-07T05:00:00+01:00",
      /^now +Tue 2026-01-06 +rouge /,
    ],
  ])("shows once what each source says of a day about which they contradict each other: %s", (_, at, row) => {
    const lines = pageOf(factsInputAt(at, KNOWN_DAYS), at);
    expect(lines.filter((line) => line.includes("RTE says"))).toEqual([
      "Tue 2026-01-06: RTE says rouge, the service says blanc",
    ]);
    expect(lines).toContainEqual(expect.stringMatching(row));
  });

  it("calls the simulator what it is, also where it is the official source", () => {
    const at = Date.parse(AT);
    const official = { ...NEVER_ASKED, answered_at: at };
    const lines = pageOf({ official, isInvented: true });
    expect(lines).toContainEqual(expect.stringMatching(/^official source simulated, /));
    expect(pageOf({ official })).toContainEqual(expect.stringMatching(/^official source ok, /));
  });

  it("shows how both sources answer", () => {
    const at = Date.parse(AT);
    const failing = { since: at, sentence: "RTE has no route" };
    const record = { ...NEVER_ASKED, answered_at: at, failing };
    expect(pageOf({}).join()).not.toContain("official source");
    const lines = pageOf({ official: record });
    expect(lines).toContain("official source degraded, last answer Mon 05 Jan, 09:00 or later");
    expect(lines).toContain("last error of the official source: RTE has no route");
    expect(pageOf({ official: record, service: null })).toContain("service off");
  });
});
