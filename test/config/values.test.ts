import { describe, expect, test } from "vitest";
import { loadText, problemsOf } from "./folder.ts";

const rule = (mqtt: string, more = "") => `rules:\n  - { id: a, ${more}when: { mqtt: { ${mqtt} } } }`;
const conditionOf = async (mqtt: string) => (await loadText(rule(mqtt))).config.rules[0]?.when;
const problems = async (text: string) =>
  (await problemsOf(loadText(text))).map((problem) => problem.replace("config/vigie.yaml", ""));

describe("a condition on a value", () => {
  test("is read with what it leaves out at its default", async () => {
    expect(await conditionOf("topic: garden/cold, equals: true")).toEqual({
      kind: "mqtt",
      topic: "garden/cold",
      path: null,
      test: { kind: "equals", values: [true] },
      max_age: null,
    });
  });

  test("is read with everything", async () => {
    expect(await conditionOf("topic: car, path: data.0.soc, above: -5.5, at_most: 40, max_age: 90m")).toEqual(
      {
        kind: "mqtt",
        topic: "car",
        path: ["data", "0", "soc"],
        test: { kind: "bounds", bounds: { above: -5.5, at_most: 40 } },
        max_age: 90 * 60_000,
      },
    );
    expect(await conditionOf("topic: home, equals: [yes, 1, false]")).toMatchObject({
      test: { kind: "equals", values: ["yes", 1, false] },
    });
  });

  test("stands beside other keys", async () => {
    const { config } = await loadText(
      "rules:\n  - { id: a, when: { period: hc, mqtt: { topic: car, below: 40 } } }",
    );
    expect(config.rules[0]?.when).toMatchObject({
      kind: "all",
      parts: [{ kind: "period" }, { kind: "mqtt" }],
    });
  });

  test.each([
    [
      "topic: car",
      'topic: expected above, below, at_most, at_least or equals beside it: what is asked of the value, got "car"',
    ],
    ["below: 40", "topic: expected a topic such as house/vigie"],
    ["topic: car/+, below: 40", "topic: expected a topic such as house/vigie: no + or #"],
    ["topic: car/#, below: 40", "topic: expected a topic such as house/vigie: no + or #"],
    ["topic: car, below: low", 'below: expected a number, got "low"'],
    [
      "topic: car, equals: []",
      "equals: expected a text that is not empty, a number, true or false, or a list of them",
    ],
    [
      'topic: car, equals: ""',
      "equals: expected a text that is not empty, a number, true or false, or a list of them",
    ],
    ["topic: car, below: 40, equals: 3", "below: expected either equals or bounds, not both, got 40"],
    ["topic: car, above: 3, at_least: 4", "at_least: expected above or at_least, not both, got 4"],
    ["topic: car, below: 3, at_most: 4", "at_most: expected below or at_most, not both, got 4"],
    ["topic: car, above: 40, below: 30", "above: expected less than 30, or no number passes, got 40"],
    ["topic: car, at_least: 40, below: 40", "at_least: expected less than 40, or no number passes, got 40"],
    [
      "topic: car, path: a..b, below: 40",
      "path: expected keys joined by dots, such as battery or data.0.level",
    ],
    ["topic: car, path: $.battery, below: 40", 'got "$.battery" (did you mean battery?)'],
    ["topic: car, path: \"$['data'][0].level\", below: 40", "(did you mean data.0.level?)"],
    ['topic: car, path: "battery[0]", below: 40', 'got "battery[0]" (did you mean battery.0?)'],
    ['topic: car, path: "{{ value_json.battery }}", below: 40', "(did you mean battery?)"],
    [`topic: car, path: "{{ value_json['soc'].now | float(0) }}", below: 40`, "(did you mean soc.now?)"],
    ["topic: car, path: value_json.battery, below: 40", "(did you mean battery?)"],
    ["topic: car, path: .battery, below: 40", 'got ".battery" (did you mean battery?)'],
    ["topic: car, path: $, below: 40", 'such as battery or data.0.level, got "$"'],
    [
      "topic: car, below: 40, max_age: 5s",
      "max_age: expected a duration from 10s to 8760h in s, m or h, such as 5m",
    ],
    [
      "topic: car, below: 40, max_age: 2d",
      "max_age: expected a duration from 10s to 8760h in s, m or h, such as 5m",
    ],
    ["topic: car, below: 40, max_ages: 2h", "max_ages: expected a known option"],
  ])("is refused where it is { %s }", async (mqtt, problem) => {
    const found = await problems(rule(mqtt));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^:2:\d+ /);
    const where = /^\w+: /.test(problem) ? `rules[0].when.mqtt.${problem}` : problem;
    expect(found[0]).toContain(where);
  });

  test("may ask for exactly one number", async () => {
    expect(await problems(rule("topic: car, at_least: 40, at_most: 40"))).toEqual([]);
  });

  test("is refused on a topic of vigie itself, however deep it stands", async () => {
    const nested = (topic: string, base = "") =>
      `${base}rules:\n  - { id: a, when: { any: [{ period: hc }, { not: { mqtt: { topic: ${topic}, equals: x } } }] } }`;
    expect(await problems(nested("vigie/now/color"))).toEqual([
      expect.stringMatching(
        /^:2:\d+ rules\[0\]\.when\.any\[1\]\.not\.mqtt\.topic: expected a topic outside of mqtt\.base_topic \(vigie\), got "vigie\/now\/color"\. Days, times/,
      ),
    ]);
    expect(await problems(nested("vigies/now"))).toEqual([]);
    expect(await problems(nested("vigie/now", "instance: cabin\n"))).toEqual([]);
    expect(await problems(nested("house/one/now", "mqtt: { base_topic: house/one }\n"))).toHaveLength(1);
  });
});

describe("warnings", () => {
  const warnings = async (text: string) => (await loadText(text)).warnings;

  test("advise a max_age and a hold for a number, and nothing for a text", async () => {
    expect(await warnings(rule("topic: car, below: 40"))).toEqual([
      expect.stringMatching(
        /^config\/vigie\.yaml:2:5 rules\[0\] a: car without max_age: .* such as max_age: 2h$/,
      ),
      expect.stringMatching(
        /^config\/vigie\.yaml:2:5 rules\[0\] a: a number of car without hold: .* such as hold: 10m$/,
      ),
    ]);
    expect(await warnings(rule("topic: car, below: 40, max_age: 2h", "hold: 10m, "))).toEqual([]);
    expect(await warnings(rule("topic: home, equals: yes"))).toEqual([]);
  });

  test.each([
    ["to which this output sends", "relay/set", "topic: relay/set"],
    ["by which this output is confirmed", "relay", "topic: relay/set, confirm: { topic: relay }"],
  ])("of a rule that listens to what its own output does: %s", async (why, heard, output) => {
    const text = (when: string) =>
      [
        "rules:",
        `  - { id: base, when: { mqtt: { topic: ${heard}, equals: on } } }`,
        "  - { id: top, when: { rule: base } }",
        "  - { id: other, when: { period: hc } }",
        "outputs:",
        `  - { ${output}, choose: [{ when: ${when}, payload: "off" }], unknown: "off" }`,
      ].join("\n");
    const expected = `config/vigie.yaml:6:14 outputs[0].topic: rule base listens to ${heard}, ${why}: it would follow what it does itself`;
    expect(await warnings(text("base"))).toEqual([expected]);
    expect(await warnings(text("top"))).toEqual([expected]);
    expect(await warnings(text("other"))).toEqual([]);
  });

  test("of a choice that keeps those below it from counting while a value is unknown", async () => {
    const text = (choices: string[], more = "") =>
      [
        "rules:",
        "  - { id: rouge, when: { day: now, color: rouge } }",
        "  - { id: home, when: { mqtt: { topic: home, equals: yes } } }",
        `  - { id: away, ${more}when: { not: { rule: home } } }`,
        "  - { id: guests, when: { mqtt: { topic: home, equals: guests } } }",
        "outputs:",
        `  - { topic: a, choose: [${choices.map((when) => `{ when: ${when}, payload: x }`).join(", ")}] }`,
      ].join("\n");
    expect(await warnings(text(["away", "guests", "rouge"]))).toEqual([
      "config/vigie.yaml:7:34 outputs[0].choose[0].when: rule away is unknown while the value of home is, for instance when the device that publishes it is dead: then the choice of rouge below it does not count. Put rouge above it, or give away when_unknown: off",
      "config/vigie.yaml:7:62 outputs[0].choose[1].when: rule guests is unknown while the value of home is, for instance when the device that publishes it is dead: then the choice of rouge below it does not count. Put rouge above it, or give guests when_unknown: off",
    ]);
    expect(await warnings(text(["rouge", "away", "guests"]))).toEqual([]);
    expect(await warnings(text(["away", "rouge"], "when_unknown: off, "))).toEqual([]);
  });

  test("of an output that sends nothing, also on a rouge day, while a value is unknown", async () => {
    const text = (rule: string, output: string) =>
      [
        "rules:",
        `  - { id: peak, ${rule}when: { all: [{ day: now, color: rouge }, { not: { mqtt: { topic: soc, equals: full } } }] } }`,
        "outputs:",
        `  - { topic: a, choose: [{ when: peak, payload: "off" }], ${output}else: "on" }`,
      ].join("\n");
    expect(await warnings(text("", ""))).toEqual([
      "config/vigie.yaml:4:34 outputs[0].choose[0].when: rule peak is unknown while the value of soc is, for instance when the device that publishes it is dead: nothing is sent then, and the device stays as it is, also on a rouge day. Give peak when_unknown: on or off, or this output a payload for unknown",
    ]);
    expect(await warnings(text("when_unknown: on, ", ""))).toEqual([]);
    expect(await warnings(text("", 'unknown: "off", '))).toEqual([]);
  });
});
