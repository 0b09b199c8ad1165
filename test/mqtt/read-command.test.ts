import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCommandTopic, readCommand, stateTopics } from "../../src/mqtt/read-command.ts";
import { anyText } from "../support/any-text.ts";

const HOUR = 3_600_000;

describe("a command", () => {
  test.each<[topic: string, payload: string, command: object]>([
    ["refresh/set", "PRESS", { kind: "poll" }],
    ["rules/peak/enabled/set", "ON", { kind: "enabled", rule: "peak", enabled: true }],
    ["rules/rouge_peak/enabled/set", "OFF", { kind: "enabled", rule: "rouge_peak", enabled: false }],
    [
      "rules/peak/enabled/set",
      '{"enabled":false,"for":"12h"}',
      { kind: "enabled", rule: "peak", enabled: false, for: 12 * HOUR },
    ],
    [
      "rules/peak/enabled/set",
      '{"for":"30s","enabled":true}',
      { kind: "enabled", rule: "peak", enabled: true, for: 30_000 },
    ],
    ["rules/peak/threshold/set", "0", { kind: "threshold", rule: "peak", threshold: 0 }],
    ["rules/peak/threshold/set", "100", { kind: "threshold", rule: "peak", threshold: 100 }],
    ["rules/peak/threshold/set", "60.0", { kind: "threshold", rule: "peak", threshold: 60 }],
    ["simulation/set", "auto", { kind: "simulation", request: null }],
    ["simulation/set", "rouge", { kind: "simulation", request: { color: "rouge", from: "now", for: HOUR } }],
    [
      "simulation/set",
      '{"color":"blanc","from":"next","for":"30m"}',
      { kind: "simulation", request: { color: "blanc", from: "next", for: HOUR / 2 } },
    ],
    [
      "simulation/set",
      '{"color":"bleu"}',
      { kind: "simulation", request: { color: "bleu", from: "now", for: HOUR } },
    ],
    ["simulation/set", '{"color":"auto"}', { kind: "simulation", request: null }],
    [
      "simulation/set",
      "rouge:next",
      { kind: "simulation", request: { color: "rouge", from: "next", for: HOUR } },
    ],
    [
      "simulation/set",
      "Blanc:NOW",
      { kind: "simulation", request: { color: "blanc", from: "now", for: HOUR } },
    ],
    // People and programs write these words in their own case.
    ["refresh/set", "press", { kind: "poll" }],
    ["rules/peak/enabled/set", "off", { kind: "enabled", rule: "peak", enabled: false }],
    ["rules/peak/enabled/set", "On", { kind: "enabled", rule: "peak", enabled: true }],
    ["simulation/set", "AUTO", { kind: "simulation", request: null }],
    ["simulation/set", "Rouge", { kind: "simulation", request: { color: "rouge", from: "now", for: HOUR } }],
    [
      "simulation/set",
      '{"color":"ROUGE"}',
      { kind: "simulation", request: { color: "rouge", from: "now", for: HOUR } },
    ],
  ])("%s %s is read", (topic, payload, command) => {
    expect(readCommand(topic, payload)).toEqual({ command });
  });

  const FORM =
    'auto, bleu, blanc, rouge, a colour with :next such as rouge:next, or JSON such as {"color":"rouge","from":"next","for":"1h"}';
  const ENABLED_FORM = 'ON, OFF, or JSON such as {"enabled":false,"for":"12h"}';
  const A_TIME = "a duration from 1s to 720h in s, m or h, such as 5m";
  test.each([
    ["refresh/set", "push", "PRESS"],
    ["rules/peak/enabled/set", "yes", ENABLED_FORM],
    ["rules/peak/enabled/set", "false", ENABLED_FORM],
    ["rules/peak/enabled/set", "[]", ENABLED_FORM],
    ["rules/peak/enabled/set", '{"for":"12h"}', "enabled to be true or false"],
    ["rules/peak/enabled/set", '{"enabled":"OFF","for":"12h"}', "enabled to be true or false"],
    ["rules/peak/enabled/set", '{"enabled":false}', `for to be ${A_TIME}`],
    ["rules/peak/enabled/set", '{"enabled":false,"for":"0s"}', `for to be ${A_TIME}`],
    ["rules/peak/enabled/set", '{"enabled":false,"for":"721h"}', `for to be ${A_TIME}`],
    ["rules/peak/enabled/set", '{"enabled":false,"for":12}', `for to be ${A_TIME}`],
    [
      "rules/peak/enabled/set",
      '{"enabled":false,"for":"1h","until":1}',
      "no other keys than enabled and for",
    ],
    ["rules/peak/threshold/set", "101", "a whole number from 0 to 100"],
    ["rules/peak/threshold/set", "-1", "a whole number from 0 to 100"],
    ["rules/peak/threshold/set", "59.5", "a whole number from 0 to 100"],
    ["rules/peak/threshold/set", "1e1", "a whole number from 0 to 100"],
    ["simulation/set", "red", FORM],
    ["simulation/set", "rouge:", FORM],
    ["simulation/set", "rouge:tomorrow", FORM],
    ["simulation/set", "rouge:next:1h", FORM],
    ["simulation/set", "rouge :next", FORM],
    ["simulation/set", "auto:next", FORM],
    ["simulation/set", '{"color":"rouge:next"}', "color to be one of auto, bleu, blanc, rouge"],
    ["simulation/set", "{}", "color to be one of auto, bleu, blanc, rouge"],
    ["simulation/set", "7", FORM],
    ["simulation/set", "null", FORM],
    ["simulation/set", "{", FORM],
    ["simulation/set", "[]", FORM],
    ["simulation/set", '{"color":"red"}', "color to be one of auto, bleu, blanc, rouge"],
    ["simulation/set", '{"color":"rouge","from":"today"}', "from to be now or next"],
    [
      "simulation/set",
      '{"color":"rouge","for":"2d"}',
      "for to be a duration from 1s to 24h in s, m or h, such as 5m",
    ],
    [
      "simulation/set",
      '{"color":"rouge","for":"25h"}',
      "for to be a duration from 1s to 24h in s, m or h, such as 5m",
    ],
    ["simulation/set", '{"color":"rouge","untl":1}', "no other keys than color, from and for"],
  ])("%s %s is refused, and why", (topic, payload, expected) => {
    expect(readCommand(topic, payload)).toEqual({ problem: `expected ${expected}, got '${payload}'` });
  });

  test.each([
    ["rules/Peak/threshold/set", "50"],
    ["rules/peak/hold/set", "50"],
    ["rules/peak/set", "ON"],
    ["rules/peak/enabled/more/set", "ON"],
    ["refresh/now/set", "PRESS"],
    ["now/color/set", "rouge"],
    ["refresh", "PRESS"],
  ])("%s %s is no command", (topic, payload) => {
    expect(readCommand(topic, payload)).toEqual({ problem: "vigie has no such command" });
  });

  test("is read or refused, whatever is sent", () => {
    const topic = fc.oneof(
      fc.constantFrom("refresh/set", "simulation/set", "rules/a/enabled/set", "rules/a/threshold/set"),
      fc.tuple(anyText({ maxLength: 8 }), anyText({ maxLength: 8 })).map((parts) => `${parts.join("/")}/set`),
      anyText({ maxLength: 12 }),
    );
    const payload = fc.oneof(
      anyText({ maxLength: 30 }),
      fc.json({ maxDepth: 3 }),
      fc
        .record(
          { color: fc.anything(), from: fc.anything(), for: fc.anything(), enabled: fc.anything() },
          { requiredKeys: [] },
        )
        .map(
          (request) =>
            JSON.stringify(request, (_, value) => (typeof value === "bigint" ? null : value)) ?? "",
        ),
    );
    fc.assert(
      fc.property(topic, payload, (where, what) => {
        const read = readCommand(where, what);
        if ("problem" in read) expect(read.problem).not.toBe("");
        else expect(isCommandTopic(where)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a rule or an output with the id set has topics, no command", () => {
    expect(["rules/set", "outputs/set", "rules/set/enabled/set", "a/set"].map(isCommandTopic)).toEqual([
      ...[false, false, true, true],
    ]);
  });

  test("names the topics that tell the state it would change", () => {
    expect(stateTopics("rules/a/enabled/set")).toEqual(["rules/a/enabled"]);
    expect(stateTopics("simulation/set")).toEqual(["simulation/color", "simulation"]);
  });
});
