import fc from "fast-check";
import type { HomeAssistantConfig } from "../../src/config/config.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Component } from "../../src/core/discovery/describe-device.ts";
import { type DeviceDescription, describeDevice } from "../../src/core/discovery/describe-device.ts";
import { evaluateRules } from "../../src/core/rules/evaluate-rules.ts";
import { futuresOf } from "../../src/core/rules/futures.ts";
import { NO_RULES_STATE } from "../../src/core/rules/rules-state.ts";
import { outputTopics } from "../../src/core/topics/output-topics.ts";
import { ruleTopics } from "../../src/core/topics/rule-topics.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { anyText } from "./any-text.ts";
import { forecast, knownDaysOf, official, officialDays } from "./known-days.ts";
import { BOILER, confirmBy, statusOf } from "./outputs.ts";
import { inputAt } from "./rules.ts";

/** One rule with a threshold, and one without. */
export const RULES = rulesOptions.parse([
  {
    id: "rouge_peak",
    name: { fr: "Heures pleines rouges", en: "Rouge peak" },
    when: { all: [{ day: "now", color: "rouge" }, { period: "hp" }] },
  },
  {
    id: "week",
    name: { fr: "Rouge dans la semaine", en: "Rouge this week" },
    threshold: 60,
    when: { day: "next_7_days", color: "rouge", confidence: "threshold" },
  },
]);

export const OUTPUTS = [{ ...BOILER, name: { fr: "Chauffe-eau", en: "Boiler" } }];

type Change = Partial<HomeAssistantConfig> & {
  instance?: string;
  rules?: typeof RULES;
  outputs?: typeof OUTPUTS;
};

/** The description of a device with the default settings, except these. */
export function testDescription({
  instance = "vigie",
  rules = RULES,
  outputs = OUTPUTS,
  ...change
}: Change = {}): DeviceDescription {
  const homeassistant: HomeAssistantConfig = {
    discovery: "device",
    prefix: "homeassistant",
    status_topic: "homeassistant/status",
    language: "en",
    exclude: [],
    ...change,
  };
  return describeDevice(
    { instance, rules, outputs: { list: outputs }, mqtt: { base_topic: instance }, homeassistant },
    "1.2.3",
  );
}

export function components(change: Change = {}): [key: string, component: Component][] {
  return Object.entries(testDescription(change).components);
}

/** What the two rules publish, at any hour of two weeks that are half known. */
export const anyRuleTopics: fc.Arbitrary<Topics> = fc
  .record({
    at: fc.integer({ min: Date.parse("2026-01-01T00:00:00Z"), max: Date.parse("2026-01-14T00:00:00Z") }),
    enabled: fc.boolean(),
    threshold: fc.nat({ max: 100 }),
    clockRight: fc.boolean(),
  })
  .map(({ at, clockRight, enabled, threshold }) => {
    const input = inputAt(at, KNOWN_DAYS);
    const settings = { week: { enabled, threshold: { value: threshold, configured: 60 } } };
    const { verdicts } = evaluateRules(RULES, input, settings, NO_RULES_STATE);
    const futures = futuresOf(verdicts, input);
    return new Map(ruleTopics({ verdicts, futures, input, grace: 600_000, clockRight }));
  });

/** What the output publishes, in any state. */
export const anyOutputTopics: fc.Arbitrary<Topics> = fc
  .record({
    payload: anyText({ minLength: 1, maxLength: 500 }),
    last_answer: fc.option(anyText({ maxLength: 500 })),
    answer: fc.constantFrom("none", "awaited", "heard", "missed", "retained", "contrary", "doubted"),
    acknowledged: fc.boolean(),
    stands: fc.boolean(),
    isSent: fc.boolean(),
    isRefused: fc.boolean(),
    isDry: fc.boolean(),
  })
  .map(({ isSent, isRefused, isDry, ...change }) => {
    const sent = { ...EMPTY_SENT, ...change };
    const confirm = confirmBy("boiler");
    const statuses = OUTPUTS.map((output) =>
      statusOf(
        { ...output, confirm },
        { sent: isSent ? sent : undefined, isRefused, would_send: isDry ? change.payload : null },
      ),
    );
    return new Map(outputTopics(statuses));
  });

const EMPTY_SENT = {
  at: 0,
  expect: "off",
  choice: "peak",
  because: "peak is ON",
  tries: 1,
  answered_at: null,
  told: [],
  away_since: null,
  pretended: false,
  id: null,
  came_back: false,
  stuck: null,
  delivered: [],
  day: null,
  color: null,
  told_days: null,
};

const KNOWN_DAYS = knownDaysOf({
  ...officialDays("2026-01-01", "2026-01-05"),
  "2026-01-06": official("rouge"),
  "2026-01-08": forecast("rouge"),
});
