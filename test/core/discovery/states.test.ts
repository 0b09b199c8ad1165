import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayEventPayload } from "../../../src/core/days/day-events.ts";
import type { Component } from "../../../src/core/discovery/describe-device.ts";
import { verdictChangeEvent } from "../../../src/core/rules/verdict-changes.ts";
import { renderTopics } from "../../../src/core/topics/render-topics.ts";
import {
  anyOutputTopics,
  anyRuleTopics,
  components,
  testDescription,
} from "../../support/device-description.ts";
import { anyFacts } from "../../support/facts.ts";
import { runs } from "../../support/long.ts";

/** On the broker, and no entity: for other programs, or vigie's own. */
const PLAIN = [
  "availability",
  "outputs/boiler/payload",
  "outputs/boiler/since",
  "owner",
  "rates",
  "rates_forecast",
];
const COMMANDS = [
  "refresh/set",
  "simulation/set",
  "rules/week/enabled/set",
  "rules/week/threshold/set",
  "rules/rouge_peak/enabled/set",
];
const OPTIONS = { grace: 600_000, laws: "tempo" } as const;

describe("every topic", () => {
  const published = fc
    .sample(fc.tuple(anyFacts, anyRuleTopics, anyOutputTopics), { numRuns: 1, seed: 1 })
    .flatMap(([facts, rules, outputs]) => [
      ...renderTopics(facts, OPTIONS).keys(),
      ...rules.keys(),
      ...outputs.keys(),
      ...["availability", "owner", "event"],
    ]);
  const named = (...kinds: string[]) =>
    new Set(
      components().flatMap(([, component]) =>
        kinds.flatMap((kind) => component[kind] ?? []).map((topic) => String(topic).slice("vigie/".length)),
      ),
    );

  test("that a component names is published", () => {
    const missing = [...named("state_topic", "json_attributes_topic", "availability_topic")].filter(
      (topic) => !published.includes(topic),
    );
    expect(missing).toEqual([]);
  });

  test("that is published is named by a component, or listed as plain", () => {
    const all = named("state_topic", "json_attributes_topic");
    expect(published.filter((topic) => !all.has(topic)).toSorted()).toEqual(PLAIN);
  });

  test("that a component commands by is one that vigie obeys", () => {
    expect([...named("command_topic")].toSorted()).toEqual(COMMANDS.toSorted());
  });
});

describe("every state that vigie can publish", () => {
  test("is one that its entity takes", () => {
    const { components: all } = testDescription();
    fc.assert(
      fc.property(anyFacts, anyRuleTopics, anyOutputTopics, (facts, rules, outputs) => {
        const topics = new Map([...renderTopics(facts, OPTIONS), ...rules, ...outputs]);
        const refused = Object.values(all).flatMap((component) => [
          ...judgeState(component, topics.get(below(component["state_topic"]))?.payload),
          ...judgeAttributes(component, topics.get(below(component["json_attributes_topic"]))?.payload),
        ]);
        expect(refused).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  test.each([
    dayEventPayload({ kind: "announced", date: "2026-01-05", color: "rouge" }),
    dayEventPayload({ kind: "final", date: "2026-01-05", color: "rouge" }),
    dayEventPayload({ kind: "revised", date: "2026-01-05", color: "rouge", from: "bleu" }),
    verdictChangeEvent({ rule: "week", state: true, date: null, color: null, because: [] }),
    verdictChangeEvent({ rule: "week", state: false, date: "2026-01-05", color: "rouge", because: [] }),
  ])("of the event is of a type that is announced: %j", (event) => {
    expect(testDescription().components["event"]?.["event_types"]).toContain(event?.["event_type"]);
  });
});

function below(topic: unknown): string {
  return String(topic).slice("vigie/".length);
}

/** What Home Assistant would complain of. */
function judgeState(component: Component, payload: string | undefined): string[] {
  if (payload === undefined || component.platform === "event") return [];
  const state = component["value_template"] ? String(JSON.parse(payload).updated_at ?? "None") : payload;
  const isFine = state === "None" || isValid(component, state);
  return isFine ? [] : [`${component["unique_id"]}: ${state}`];
}

function isValid({ platform, device_class, options, ...component }: Component, state: string): boolean {
  if (state === "" || state.length > 255) return false;
  if (platform === "binary_sensor" || platform === "switch") return state === "ON" || state === "OFF";
  if (Array.isArray(options)) return options.includes(state);
  if (device_class === "date") return /^\d{4}-\d\d-\d\d$/.test(state);
  if (device_class === "timestamp") return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(state);
  if (component["unit_of_measurement"]) return Number.isFinite(Number(state));
  return true;
}

function judgeAttributes(component: Component, payload: string | undefined): string[] {
  if (payload === undefined) return [];
  const attributes: unknown = JSON.parse(payload);
  const isObject = typeof attributes === "object" && attributes !== null && !Array.isArray(attributes);
  return isObject && Buffer.byteLength(payload) < 16_384 ? [] : [`${component["unique_id"]}: ${payload}`];
}
