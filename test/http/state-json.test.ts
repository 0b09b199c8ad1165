import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { recordSending } from "../../src/core/outputs/outputs-state.ts";
import { outputTopics } from "../../src/core/topics/output-topics.ts";
import { renderTopics } from "../../src/core/topics/render-topics.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { renderState } from "../../src/http/state-json.ts";
import { anyFacts, rougeFacts } from "../support/facts.ts";
import { forecast, knownDaysOf, official } from "../support/known-days.ts";
import { BOILER, sendingOf, statusOf } from "../support/outputs.ts";
import { openTestLoop, RULES } from "../support/test-loop.ts";
import { viewWith } from "./view-with.ts";

const SCHEMA = join(import.meta.dirname, "../../docs/state.schema.json");
const schema = z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, "utf8")));
const NOW = Date.parse("2026-01-05T12:00:00Z");

const state = (topics: Topics) => JSON.parse(renderState(viewWith(topics)));
const topicsOf = (payloads: Record<string, string>): Topics =>
  new Map(Object.entries(payloads).map(([name, payload]) => [name, { payload }]));

/** What the schema says against it; empty: it is as described. */
function faults(topics: Topics): string {
  const { error } = schema.safeParse(state(topics));
  return error ? z.prettifyError(error) : "";
}

describe("the state as JSON", () => {
  test("has another snapshot when anything else in it is another, and only then", () => {
    const snapshot = (color: string, instance?: string) =>
      JSON.parse(renderState(viewWith(topicsOf({ "now/color": color }), instance))).snapshot;
    expect(snapshot("rouge")).toBe(snapshot("rouge"));
    const all = [snapshot("rouge"), snapshot("bleu"), snapshot("rouge", "other")];
    expect(new Set(all).size).toBe(3);
  });

  test("has a topic at its path, with its value", () => {
    const topics = topicsOf({
      "now/color": "rouge",
      "now/official": "ON",
      offpeak: "OFF",
      "next/color": "None",
      "now/rate": "0.7295",
      "a/b/c": "-3",
      list: '[1,{"a":null}]',
      id: "007",
      words: "1.2.3",
      date: "2026-01-05",
      open: "{ no JSON",
    });
    expect(state(topics)).toEqual({
      snapshot: expect.any(String),
      version: "1.2.3",
      instance: "vigie",
      now: { color: "rouge", official: true, rate: 0.7295 },
      offpeak: false,
      next: { color: null },
      a: { b: { c: -3 } },
      list: [1, { a: null }],
      id: "007",
      words: "1.2.3",
      date: "2026-01-05",
      open: "{ no JSON",
    });
  });

  test("joins the keys where a topic is JSON and has topics below it; the JSON knows texts from numbers", () => {
    const parent = JSON.stringify({ payload: "0", state: null, used: { rouge: 1 } });
    const topics = topicsOf({ "o/payload": "0", "o/used/bleu": "2", o: parent, "o/since": "None" });
    const joined = { payload: "0", state: null, used: { rouge: 1, bleu: 2 }, since: null };
    expect(state(topics).o).toEqual(joined);
    expect(state(new Map([...topics].toReversed())).o).toEqual(joined);
  });

  test("leaves hostile texts the texts that they are", () => {
    const text = `"><img src=x onerror=alert(1)></script>\u202E${"x".repeat(100_000)}`;
    const topics = topicsOf({ "d2/explanation": text, "rules/a": JSON.stringify({ because: [text] }) });
    expect(state(topics)).toMatchObject({ d2: { explanation: text }, rules: { a: { because: [text] } } });
    const own = state(topicsOf({ "__proto__/polluted": "ON", "constructor/x": "1" }));
    expect(Object.keys(own)).toEqual(["snapshot", "version", "instance", "__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("docs/state.schema.json describes", () => {
  test("the state of any facts", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(faults(renderTopics(facts, { grace: 0, laws: "tempo" }))).toBe("");
      }),
    );
  });

  test.each([
    ["while nothing is known", knownDaysOf({}), "off"],
    ["with days", knownDaysOf({ "2026-01-05": official("rouge"), "2026-01-07": forecast("rouge") }), "off"],
  ] as const)("that of a loop with rules %s", (_, days, checkClock) => {
    const loop = openTestLoop({ clock: { at: NOW }, days, rules: RULES, checkClock });
    loop.loop.refresh();
    expect(faults(loop.topics())).toBe("");
    expect(Object.keys(state(loop.topics()).rules)).toEqual(["ahead", "week"]);
  });

  test("a rule that was disabled for a time", async () => {
    const rules = rulesOptions.parse([{ id: "hc", when: { period: "hc" } }]);
    const { command, topics } = openTestLoop({ clock: { at: NOW }, rules });
    await command({ kind: "enabled", rule: "hc", enabled: false, for: 3_600_000 });
    expect(faults(topics())).toBe("");
    expect(state(topics()).rules.hc.enabled_until).toBe("2026-01-05T13:00:00Z");
  });

  test.each(["now", "next"] as const)("a colour that is pretended from %s on", async (from) => {
    const { command, topics } = openTestLoop({ clock: { at: NOW } });
    await command({ kind: "simulation", request: { color: "rouge", from, for: 3_600_000 } });
    expect(faults(topics())).toBe("");
    expect(state(topics()).simulation).toMatchObject({ color: "rouge", from });
  });

  test.each(["nothing", "sent", "waiting", "confirmed", "contrary", "failed", "dry"] as const)(
    "an output that is %s",
    (word) => {
      const recorded = recordSending({}, sendingOf(BOILER.key, "ON"), NOW)[BOILER.key];
      const sent = recorded && { ...recorded, away_since: NOW };
      const would_send = word === "dry" ? "off" : null;
      const status = {
        ...statusOf(BOILER, { sent, would_send }),
        ...{ state: word, hasFailed: word === "failed", next_try: NOW },
      };
      const topics = renderTopics(rougeFacts(), { grace: 0, laws: "tempo" });
      const all = new Map([...topics, ...outputTopics([status])]);
      expect(faults(all)).toBe("");
      expect(state(all).outputs.boiler).toMatchObject({ state: word, payload: "ON", tries: 1 });
    },
  );

  test("no state with another topic, or without one", () => {
    const { loop, topics } = openTestLoop({ clock: { at: NOW } });
    loop.refresh();
    expect(faults(topics())).toBe("");
    expect(faults(new Map([...topics(), ["now/mood", { payload: "1" }]]))).toContain("mood");
    const less = new Map(topics());
    for (const name of ["next_change/rate", "offpeak"]) less.delete(name);
    expect(faults(less)).toMatch(/offpeak[\s\S]*rate|rate[\s\S]*offpeak/);
  });
});
