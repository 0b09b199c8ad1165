import { describe, expect, it, test } from "vitest";
import { formatTopics } from "../../src/cli/show-topics.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import type { FactsInput } from "../../src/core/facts/facts.ts";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import { factsInputAt, knownDaysOf, official, saidByRte } from "../support/known-days.ts";
import { PARIS } from "../support/tariff.ts";

const PAGE = { title: "broker", color: false, zone: "Europe/Paris" };

test("vigie show lists each output: its state, what was sent, when and why, and what its device answered", () => {
  const sent = { "outputs/boiler/payload": "off", "outputs/boiler/since": "2026-01-05T04:55:00Z" };
  const page = (state: string, json: object) =>
    formatTopics(
      new Map(
        Object.entries({
          ...sent,
          "outputs/boiler/state": state,
          "outputs/boiler": JSON.stringify({
            because: "rouge_peak is ON",
            tries: 3,
            last_answer: null,
            ...json,
          }),
          "service/failed_outputs": state === "failed" ? "Boiler (boiler/set)" : "None",
        }),
      ),
      PAGE,
    ).replaceAll(/ +/g, " ");
  expect(page("confirmed", { last_answer: "off" })).toContain(
    "output boiler confirmed off since Mon 05 Jan, 05:55 rouge_peak is ON\n",
  );
  expect(page("waiting", { last_answer: "on" })).toContain("; last answer: on\n");
  expect(page("failed", {})).toContain("rouge_peak is ON; sent 3 times; last answer: none\n");
  expect(page("failed", {})).toContain("devices that do not do what they were sent: Boiler (boiler/set)\n");
  expect(page("dry", { would_send: "a payload that is longer than this" })).toContain(
    "would send a payload that is longer…\n",
  );
});

test("vigie show says of an output that has sent nothing only that, and reads JSON of another program", () => {
  const topics = {
    "outputs/a/state": "nothing",
    "outputs/a/payload": "None",
    "outputs/a/since": "None",
    "outputs/a": "no JSON",
    "outputs/a/x/state": "?",
    "outputs/b/state": "nothing",
    "outputs/b": "null",
  };
  const page = formatTopics(new Map(Object.entries(topics)), PAGE);
  expect(page).toMatch(/^output a +nothing *$/m);
  expect(page).toMatch(/^output b +nothing *$/m);
  expect(page.match(/^output/gm)).toHaveLength(2);
});

const AT = "2026-01-05T12:00:00+01:00";
const both = { ...official("blanc", { confirmed: false }), ...saidByRte("rouge", { confirmed: false }) };
const KNOWN_DAYS = knownDaysOf({ "2026-01-05": official("bleu"), "2026-01-06": both });

function pageOf(input: Partial<FactsInput>): string[] {
  const facts = deriveFacts({ ...factsInputAt(AT, KNOWN_DAYS), ...input }, PARIS);
  const topics = renderTopics(facts, { grace: 0, laws: "tempo" });
  const payloads = new Map([...topics].map(([topic, { payload }]) => [topic, payload]));
  return formatTopics(payloads, { title: "test", color: false, zone: PARIS.time_zone }).split("\n");
}

describe("the page of vigie show", () => {
  it("shows what each source says of a day about which they contradict each other, and of no other", () => {
    const lines = pageOf({}).filter((line) => line.includes("RTE says"));
    expect(lines.map((line) => line.split(/\s+/)[0])).toEqual(["next", "tomorrow"]);
    expect(lines[1]).toMatch(/2026-01-06\s+rouge\s+announced while RTE says rouge and the service blanc/);
  });

  it("shows how both sources answer", () => {
    const at = Date.parse(AT);
    const record = {
      started_at: at,
      last_success: at,
      shown_success: at,
      failing_since: at,
      failure: "RTE has no route",
    };
    expect(pageOf({})).toContain("official source off");
    const lines = pageOf({ official: record });
    expect(lines).toContain("official source degraded, last answer Mon 05 Jan, 12:00");
    expect(lines).toContain("RTE has no route");
    const { polls } = factsInputAt(AT, KNOWN_DAYS);
    expect(pageOf({ official: record, polls: { ...polls, kind: "none" } })).toContain("service off");
  });
});
