import { describe, expect, test } from "vitest";
import { describeMqtt, keyOfMqtt, testPayload } from "../../../src/core/rules/compare-payload.ts";
import type { MqttCondition } from "../../../src/core/rules/rule.ts";
import { mqttConditionsIn } from "../../../src/core/rules/rule.ts";
import { ruleOf } from "../../support/rules.ts";

function conditionOf(mqtt: object): MqttCondition {
  const [condition] = mqttConditionsIn(ruleOf({ mqtt: { topic: "t", ...mqtt } }).when);
  if (!condition) throw new Error("Expected a condition, got none");
  return condition;
}

const give = (mqtt: object, payload: string) => {
  const { truth, problem } = testPayload(conditionOf(mqtt), payload);
  return problem ?? truth;
};

describe("a number", () => {
  test.each([
    ["39.9", true],
    ["40", false],
    [" 12 ", true],
    ["-7", true],
    ["1e1", true],
    ["+3", true],
    ["", "not a number"],
    ["low", "not a number"],
    ["39 %", "not a number"],
    ["0x10", "not a number"],
    ["NaN", "not a number"],
    ["-Infinity", "not a number"],
    ["1e999", "not a number"],
    ["true", "not a number"],
    ["\u{FFFD}\u{0}", "not text"],
  ])("%j below 40: %s", (payload, expected) => {
    expect(give({ below: 40 }, payload)).toBe(expected);
  });

  test("may have two bounds, and be negative", () => {
    const between = { at_least: -5, at_most: -1.5 };
    expect(["-5.1", "-5", "-1.5", "-1.4"].map((payload) => give(between, payload))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("a text", () => {
  test.each([
    [{ equals: "home" }, "home", true],
    [{ equals: "home" }, "Home", false],
    [{ equals: ["home", "guests"] }, "guests", true],
    [{ equals: 18 }, "18.0", true],
    [{ equals: "18" }, "18.00", true],
    [{ equals: true }, "true", true],
    [{ equals: true }, "ON", false],
    [{ equals: false }, "0", false],
    [{ equals: "home" }, "\u{FFFD}", "not text"],
  ])("%j of %j: %s", (mqtt, payload, expected) => {
    expect(give(mqtt, payload)).toBe(expected);
  });

  test.each(["null", "{}", "[true]"])("is unknown for %s: the device does not say", (contact) => {
    expect(give({ path: "contact", equals: true }, `{"contact":${contact}}`)).toBe("no single value");
  });
});

describe("what Home Assistant says of a sensor that is dead", () => {
  test.each(["unavailable", "unknown", "None"])(
    "%s is not known, as a text, as a number and in JSON",
    (word) => {
      expect(give({ equals: "home" }, word)).toBe("said to be unknown");
      expect(give({ equals: ["home", true, 3] }, word)).toBe("said to be unknown");
      expect(give({ below: 40 }, word)).toBe("said to be unknown");
      expect(give({ path: "state", equals: "home" }, JSON.stringify({ state: word }))).toBe(
        "said to be unknown",
      );
    },
  );

  test("is a text if `equals` names it, and then the others are unknown all the same", () => {
    const dead = { equals: ["unavailable", "unknown"] };
    expect(["unavailable", "unknown", "None", "home"].map((payload) => give(dead, payload))).toEqual([
      true,
      true,
      "said to be unknown",
      false,
    ]);
  });

  test.each(["none", "Unavailable", "unknown person", "null"])("%j is a text as any other", (word) => {
    expect(give({ equals: "home" }, word)).toBe(false);
  });
});

describe("a path", () => {
  const at = (path: string, payload: string) => give({ path, at_least: 1 }, payload);

  test.each([
    ["battery", '{"battery":12}', true],
    ["battery", '{"battery":"12"}', true],
    ["battery", '{"battery":null}', "not a number"],
    ["battery", '{"battery":true}', "not a number"],
    ["battery", '{"battery":{}}', "not a number"],
    ["battery", '{"other":12}', "not in its JSON"],
    ["battery", "12", "not in its JSON"],
    ["battery", "null", "not in its JSON"],
    ["battery", "{battery:12}", "not JSON"],
    ["battery", "", "not JSON"],
    ["battery", "\u{FFFD}", "not JSON"],
    ["data.1.level", '{"data":[{},{"level":3}]}', true],
    ["data.length", '{"data":[1,2]}', "not in its JSON"],
    ["data.2", '{"data":[1,2]}', "not in its JSON"],
    ["name.0", '{"name":"3"}', "not in its JSON"],
  ])("%s in %s: %s", (path, payload, expected) => {
    expect(at(path, payload)).toBe(expected);
  });

  test("finds nothing that only JavaScript knows, and changes no prototype", () => {
    for (const path of ["__proto__", "__proto__.polluted", "constructor", "constructor.name", "toString"])
      expect(at(path, "{}")).toBe("not in its JSON");
    expect(at("__proto__.level", '{"__proto__":{"level":3}}')).toBe(true);
    expect(Object.hasOwn(Object.prototype, "level")).toBe(false);
  });

  test("leads through 20,000 levels, and through 60 KB", () => {
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
    expect(at("a.a.a", deep)).toBe("not a number");
    expect(at("x", `${"[".repeat(20_000)}${"]".repeat(20_000)}`)).toBe("not in its JSON");
    expect(at("last", JSON.stringify({ filler: "x".repeat(60_000), last: 2 }))).toBe(true);
  });
});

test("the words of a condition give its age exactly", () => {
  const words = ["90s", "90m", "2h"].map((max_age) => describeMqtt(conditionOf({ below: 40, max_age })));
  expect(words).toEqual([
    "t is below 40, at most 90 s old",
    "t is below 40, at most 90 min old",
    "t is below 40, at most 2 h old",
  ]);
});

test("the words of a condition have its texts in quotes: no is a text to YAML, false is none", () => {
  expect(describeMqtt(conditionOf({ equals: ["no", false, 3] }))).toBe('t is "no" or false or 3');
});

test("two conditions that test something else have other keys, also where their words are the same", () => {
  const conditions = [
    { below: 40 },
    { below: 40, above: 3 },
    { below: 40, max_age: "90s" },
    { path: "a", below: 40 },
    { topic: "t a", below: 40 },
    { equals: "below 40" },
    { equals: 40 },
    { equals: "40" },
  ].map((mqtt) => conditionOf(mqtt));
  expect(describeMqtt(conditions[3]!)).toBe(describeMqtt(conditions[4]!));
  expect(new Set(conditions.map((condition) => keyOfMqtt(condition))).size).toBe(conditions.length);
});
