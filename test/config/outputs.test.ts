import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { listEntities } from "../../src/core/discovery/entities.ts";
import { describeOutput } from "../../src/core/outputs/output.ts";
import { loadText, loadVariables, problemsOf } from "./folder.ts";

const RULES =
  "rules:\n  - { id: rouge_peak, when: { day: now, color: rouge } }\n  - { id: preheat, when: { period: hc } }\n";
const PEAK = '{ when: rouge_peak, payload: "off" }';

async function outputsOf(yaml: string) {
  return (await loadText(`${RULES}outputs:${yaml}`)).config.outputs;
}

async function refusals(yaml: string): Promise<string[]> {
  return problemsOf(loadText(`${RULES}outputs:${yaml}`));
}

describe("outputs", () => {
  test("are none unless configured", async () => {
    expect((await loadText("{}")).config.outputs).toEqual({ dry_when_simulated: false, list: [] });
    expect(await outputsOf(" []")).toEqual({ dry_when_simulated: false, list: [] });
  });

  test.each([
    ["in a first look those of its simulated devices", "", ["boiler", "heating"]],
    ["none with a real broker", "service: { allow_simulator: true }\nmqtt: { url: mqtt://broker }\n", []],
    ["none with a real service", 'service: { base_url: "https://days.example" }\n', []],
    ["none where the file says so", "outputs: []\n", []],
  ])("of the shipped rules are, unless configured, %s", async (_, more, ids) => {
    const { rules } = parse(await readFile(join(import.meta.dirname, "../../config/vigie.yaml"), "utf8"));
    const { config, warnings } = await loadText(`${more}${stringify({ rules })}`);
    expect(config.outputs.list.map(({ id }) => id)).toEqual(ids);
    expect(warnings).toEqual([]);
  });

  test("say days in the language of Home Assistant", async () => {
    const yaml = `${RULES}homeassistant: { language: en }\noutputs: [{ topic: a, choose: [${PEAK}] }]`;
    const { config } = await loadText(yaml);
    expect(config.outputs.list.map(({ language }) => language)).toEqual(["en"]);
  });

  test("are a list, with the defaults of each", async () => {
    const yaml = `
  - topic: shellies/boiler/relay/0/command
    choose: [ ${PEAK} ]
    else: "on"
    confirm: { topic: shellies/boiler/relay/0 }
  - topic: heatpump/setpoint/set
    choose:
      - { when: rouge_peak, payload: "18", expect: "18.0" }
      - { when: preheat, payload: "{next.color} 20.5" }
    else: "19.5"
    unknown: "19"
    qos: 0
    retain: true
    confirm: { topic: heatpump/setpoint, path: target.value, every: 10s, for: 5m }
  - id: plug
    name: { fr: Prise, en: Plug }
    topic: zigbee2mqtt/Plug/set
    choose: [ { when: rouge_peak, payload: { state: "OFF", left: "{left.rouge}" }, expect: { state: "OFF" } } ]
    else: { payload: { state: "ON" } }
    unknown: { payload: "?", expect: "??" }
    confirm: { topic: zigbee2mqtt/Plug }
  - name: Car
    topic: Car/Wall box-2/Réglage
    choose: [ { when: rouge_peak, payload: "0" } ]
    confirm: { topic: car, expect: stopped }
`;
    expect(await outputsOf(yaml)).toEqual({
      dry_when_simulated: false,
      list: [
        {
          id: "shellies_boiler_relay_0_command",
          name: { fr: "shellies/boiler/relay/0/command", en: "shellies/boiler/relay/0/command" },
          language: "fr",
          key: "shellies/boiler/relay/0/command",
          to: { kind: "mqtt", topic: "shellies/boiler/relay/0/command", qos: 1, retain: false },
          message: false,
          choose: [{ when: "rouge_peak", payload: "off" }],
          else: { payload: "on" },
          confirm: {
            from: { kind: "mqtt", topic: "shellies/boiler/relay/0" },
            every: 30_000,
            for: 3_600_000,
            keep: false,
          },
        },
        {
          id: "heatpump_setpoint_set",
          name: { fr: "heatpump/setpoint/set", en: "heatpump/setpoint/set" },
          language: "fr",
          key: "heatpump/setpoint/set",
          to: { kind: "mqtt", topic: "heatpump/setpoint/set", qos: 0, retain: true },
          message: false,
          choose: [
            { when: "rouge_peak", payload: "18", expect: "18.0" },
            { when: "preheat", payload: "{next.color} 20.5" },
          ],
          else: { payload: "19.5" },
          unknown: { payload: "19" },
          confirm: {
            from: { kind: "mqtt", topic: "heatpump/setpoint" },
            path: "target.value",
            every: 10_000,
            for: 300_000,
            keep: false,
          },
        },
        {
          id: "plug",
          name: { fr: "Prise", en: "Plug" },
          language: "fr",
          key: "zigbee2mqtt/Plug/set",
          to: { kind: "mqtt", topic: "zigbee2mqtt/Plug/set", qos: 1, retain: false },
          message: false,
          choose: [
            {
              when: "rouge_peak",
              payload: { state: "OFF", left: "{left.rouge}" },
              expect: { state: "OFF" },
            },
          ],
          else: { payload: { state: "ON" } },
          unknown: { payload: "?", expect: "??" },
          confirm: {
            from: { kind: "mqtt", topic: "zigbee2mqtt/Plug" },
            every: 30_000,
            for: 3_600_000,
            keep: false,
          },
        },
        {
          id: "car_wall_box_2_r_glage",
          name: { fr: "Car", en: "Car" },
          language: "fr",
          key: "Car/Wall box-2/Réglage",
          to: { kind: "mqtt", topic: "Car/Wall box-2/Réglage", qos: 1, retain: false },
          message: false,
          choose: [{ when: "rouge_peak", payload: "0", expect: "stopped" }],
          confirm: { from: { kind: "mqtt", topic: "car" }, every: 30_000, for: 3_600_000, keep: false },
        },
      ],
    });
  });

  test("without a name are called by their id everywhere, without an id by their topic", async () => {
    const { list } = await outputsOf(
      ` [{ id: boiler, topic: relay/set, choose: [${PEAK}] }, { topic: Pump/set, choose: [${PEAK}] }]`,
    );
    const [boiler, pump] = list.map((output) => describeOutput(output));
    expect([boiler, pump]).toEqual(["boiler (relay/set)", "Pump/set"]);
    const names = listEntities([], list).flatMap(({ en, topic }) =>
      topic.startsWith("outputs/") ? [en] : [],
    );
    expect(names).toEqual(["boiler: output", "Pump/set: output"]);
  });

  test("are a group where an option applies to all of them", async () => {
    const yaml = `\n  dry_when_simulated: true\n  list: [{ topic: a, choose: [${PEAK}] }]`;
    expect(await outputsOf(yaml)).toMatchObject({ dry_when_simulated: true, list: [{ to: { topic: "a" } }] });
    expect(await outputsOf(" { dry_when_simulated: true }")).toEqual({ dry_when_simulated: true, list: [] });
  });

  test("may come from a variable", async () => {
    const { config } = await loadVariables({
      VIGIE_RULES: "[{ id: peak, when: { period: hp } }]",
      VIGIE_OUTPUTS: '[{ topic: a, choose: [{ when: peak, payload: "1" }] }]',
    });
    expect(config.outputs.list).toMatchObject([{ key: "a", choose: [{ when: "peak", payload: "1" }] }]);
  });

  test.each([
    [
      " 5",
      "outputs: expected a list of outputs, each beginning with - id: …, [] for none, or { dry_when_simulated: …, list: [ … ] }, got 5",
    ],
    [" [5]", "outputs[0]"],
    [
      ` [{ topic: vigie/x, choose: [${PEAK}] }]`,
      'outputs[0].topic: expected a topic outside of mqtt.base_topic (vigie), got "vigie/x"',
    ],
    [
      ` [{ topic: homeassistant/x, choose: [${PEAK}] }]`,
      'outputs[0].topic: expected a topic outside of homeassistant.prefix (homeassistant), got "homeassistant/x"',
    ],
    [
      ` [{ topic: "a/#", choose: [${PEAK}] }]`,
      "outputs[0].topic: expected a topic such as house/vigie: no + or #",
    ],
    [
      ` [{ topic: "a/+/b", choose: [${PEAK}] }]`,
      "outputs[0].topic: expected a topic such as house/vigie: no + or #",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}] }, { topic: a, choose: [${PEAK}] }]`,
      'outputs[1].topic: expected another topic than every other output: two on one topic would overwrite each other, got "a"',
    ],
    [
      " [{ topic: a, choose: [{ when: rouge_pick, payload: x }] }]",
      'outputs[0].choose[0].when: expected the id of a rule, such as rouge_peak, got "rouge_pick"',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: "{next.colour}" }]`,
      'outputs[0].else: expected only placeholders that vigie knows, such as {next.color}, got "{next.colour}"',
    ],
    [
      ' [{ topic: a, choose: [{ when: preheat, payload: "{color}" }] }]',
      "outputs[0].choose[0].payload: expected only placeholders that vigie knows",
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: 18 }] }]",
      'outputs[0].choose[0].payload: expected a text, in quotes where it is a number: "18"; or an object with one key or more, sent as JSON, got 18',
    ],
    [
      ' [{ topic: a, choose: [{ when: preheat, payload: "" }] }]',
      'a text, in quotes where it is a number: "18"; or an object with one key or more, sent as JSON, got ""',
    ],
    [" [{ topic: a, choose: [] }]", "outputs[0].choose: expected at least one choice, got an empty list"],
    [" [{ topic: a }]", "outputs[0].choose: expected a list of choices"],
    [` [{ topic: a, choose: [${PEAK}], qos: 3 }]`, "outputs[0].qos: expected 0, 1 or 2, got 3"],
    [` [{ topic: a, chose: [${PEAK}], choose: [${PEAK}] }]`, 'got "chose" (did you mean choose?)'],
    [` { dry: true, list: [] }`, "outputs.dry: expected a known option"],
    [
      ` { list: [{ topic: vigie, choose: [${PEAK}] }] }`,
      "outputs.list[0].topic: expected a topic outside of mqtt.base_topic (vigie)",
    ],
    [
      ` { list: [{ topic: a, choose: [{ wen: preheat, when: preheat, payload: x }] }] }`,
      'outputs.list[0].choose[0].wen: expected a known option (when, payload, expect), got "wen" (did you mean when?)',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], confirm: { topic: a } }]`,
      "outputs[0].confirm.topic: expected another topic than that of the output: there vigie would receive its own payload",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], confirm: { topic: vigie/now/color } }]`,
      "outputs[0].confirm.topic: expected a topic outside of mqtt.base_topic (vigie)",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: x, expect: y }] }]`,
      "outputs[0].choose[0].expect: expected an output with confirm.topic or confirm.url: without them no answer of the device is read",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], confirm: { topic: b, every: 1s } }]`,
      "outputs[0].confirm.every: expected a duration from 5s to 1h",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: { payload: x, expect: y } }]`,
      "outputs[0].else.expect: expected an output with confirm.topic or confirm.url: without them no answer of the device is read",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: "on", confirm: { topic: b, expect: OK } }]`,
      'outputs[0].confirm.expect: expected one expect beside each payload, because this output has 2 payloads, and one answer for all would confirm a device that does the opposite, got "OK". Write choose: [{ when: …, payload: "off", expect: … }], else: { payload: "on", expect: … }',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}, { when: preheat, payload: { a: 1 } }], confirm: { topic: b, expect: OK } }]`,
      "outputs[0].confirm.expect: expected one expect beside each payload, because this output has 2 payloads",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: "{next.color}" }], confirm: { topic: b, expect: OK } }]`,
      'outputs[0].confirm.expect: expected one with a placeholder, or an expect beside the payload, because the payload changes with {next.color}, and one answer for all would confirm a device that does the opposite, got "OK"',
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: x, expect: "1" }], else: { payload: y, expect: "1.0" }, confirm: { topic: b } }]`,
      'outputs[0].else.expect: expected another expect than that of choose[0], because the two payloads differ, and one answer for all would confirm a device that does the opposite, got "1.0"',
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: x }], else: { payload: { s: 1 }, expect: x }, confirm: { topic: b } }]`,
      "outputs[0].else.expect: expected another expect than that of choose[0]",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: x, expect: { s: 1, t: 2 } }, { when: rouge_peak, payload: y, expect: '{"t":2,"s":1}' }], confirm: { topic: b } }]`,
      "outputs[0].choose[1].expect: expected another expect than that of choose[0]",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: "off", expect: { s: 1 } }], else: { payload: "on", expect: { s: 1, t: 2 } }, confirm: { topic: b } }]`,
      "outputs[0].choose[0].expect: expected an expect that is no part of that of else, because the two payloads differ, and one answer for all would confirm a device that does the opposite, got key: value pairs. Add what the device reports only after this payload",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: { s: 1, t: { u: 2, v: 3 } } }], else: { payload: "off", expect: { t: { u: 2.0 } } }, confirm: { topic: b } }]`,
      "outputs[0].else.expect: expected an expect that is no part of that of choose[0]",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: { payload: { a: 1 } }, confirm: { topic: b, path: a } }]`,
      "outputs[0].else.payload: expected an expect beside this object, because vigie compares the value at confirm.path (a) with it, got key: value pairs",
    ],
    [
      ` [{ topic: a, choose: [{ when: preheat, payload: '{"a":1}' }], confirm: { topic: b, path: a } }]`,
      "outputs[0].choose[0].payload: expected an expect beside this object",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], confirm: { topic: b, path: a..b } }]`,
      "outputs[0].confirm.path: expected keys joined by dots, such as state or switch.output",
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: {next.color} }] }]",
      'outputs[0].choose[0].payload: expected the placeholder in quotes: "{next.color}", got key: value pairs',
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: { color: {next.color} } }] }]",
      'outputs[0].choose[0].payload.color: expected the placeholder in quotes: "{next.color}", got key: value pairs',
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: {{ next.color }} }] }]",
      'outputs[0].choose[0].payload: expected the placeholder in quotes: "{next.color}", got key: value pairs',
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: true }] }]",
      'outputs[0].choose[0].payload: expected a text, in quotes where it is true or false: "true"; or an object with one key or more, sent as JSON, got true',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: false }]`,
      'outputs[0].else: expected a text, in quotes where it is true or false: "false"; or { payload: …, expect: … }, got false',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: {next.color} }]`,
      'outputs[0].else: expected the placeholder in quotes: "{next.color}", got key: value pairs',
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], else: { state: "ON" } }]`,
      'outputs[0].else: expected a text, in quotes where it is a number: "18"; an object that is sent as JSON is written { payload: { … } }, got key: value pairs',
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: {} }] }]",
      'outputs[0].choose[0].payload: expected a text, in quotes where it is a number: "18"; or an object with one key or more, sent as JSON, got {}',
    ],
    [
      " [{ topic: a, choose: [{ when: preheat, payload: { setpoint: 20,5 } }] }]",
      "outputs[0].choose[0].payload.5: expected a value for this key: decimals have a point (20.5), and a space follows each colon. Where null itself is meant, write the payload as a text in quotes, such as '{\"a\":null}', got nothing",
    ],
    [
      ' [{ topic: a, choose: [{ when: preheat, payload: { state:"ON" } }] }]',
      "expected a value for this key",
    ],
    [
      ' [{ topic: a, choose: [{ when: preheat, payload: { color: ["{color}"] } }] }]',
      "outputs[0].choose[0].payload.color[0]: expected only placeholders that vigie knows",
    ],
    [
      ` [{ topic: a-b, choose: [${PEAK}] }, { topic: A/b, choose: [${PEAK}] }]`,
      "outputs[1].id: expected an id that no other output has: a_b is that of the output for a-b, got nothing. Give it an id, such as id: boiler",
    ],
    [
      ` [{ id: x, topic: a, choose: [${PEAK}] }, { id: x, topic: b, choose: [${PEAK}] }]`,
      'outputs[1].id: expected an id that no other output has: x is that of the output for a, got "x"',
    ],
    [
      ` [{ topic: "é", choose: [${PEAK}] }]`,
      "outputs[0].id: expected an id, because the topic has no letter a to z and no digit, got nothing. Give it an id, such as id: boiler",
    ],
    [` [{ id: A b, topic: a, choose: [${PEAK}] }]`, "outputs[0].id: expected small letters and digits"],
    [
      ` [{ name: "", topic: a, choose: [${PEAK}] }]`,
      "outputs[0].name: expected a name of at most 100 characters",
    ],
  ])("%s is refused, and why", async (yaml, words) => {
    expect((await refusals(yaml)).join("\n")).toContain(words);
  });

  test.each(["payload: {next.color}", "payload: {{ next.color }}", "payload: x, expect: {next.color}"])(
    "a placeholder without quotes is refused once: %s",
    async (payload) => {
      const yaml = ` [{ topic: a, choose: [{ when: preheat, ${payload} }], confirm: { topic: b } }]`;
      expect(await refusals(yaml)).toEqual([
        expect.stringContaining('expected the placeholder in quotes: "{next.color}", got key: value pairs'),
      ]);
    },
  );

  test("the advice to give an id is for an output that has none", async () => {
    const two = ` [{ id: x, topic: a, choose: [${PEAK}] }, { id: x, topic: b, choose: [${PEAK}] }]`;
    expect((await refusals(two)).join("\n")).not.toContain("Give it an id");
  });

  test("that give up before they send the payload again are refused, with both values", async () => {
    const output = (confirm: string) => `
  - topic: boiler/set
    choose: [ ${PEAK} ]
    confirm: { topic: boiler, ${confirm} }
`;
    expect(await refusals(output("every: 25s, for: 5s"))).toEqual([
      expect.stringMatching(
        /outputs\[0\]\.confirm\.for: expected at least 25s, the value of confirm\.every, got "5s"/,
      ),
    ]);
    expect(await refusals(output("for: 10s"))).toEqual([
      expect.stringContaining('expected at least 30s, the value of confirm.every, got "10s"'),
    ]);
    expect((await outputsOf(output("every: 5s, for: 5s"))).list).toHaveLength(1);
  });

  test.each([
    "choose: [{ when: rouge_peak, payload: x }, { when: preheat, payload: x }], else: x",
    "choose: [{ when: rouge_peak, payload: x }]",
  ])("%s may have one expect for all", async (payloads) => {
    const { list } = await outputsOf(` [{ topic: a, ${payloads}, confirm: { topic: b, expect: y } }]`);
    expect(list[0]?.choose.map(({ expect: expected }) => expected)).toEqual(list[0]?.choose.map(() => "y"));
  });

  test.each([
    ['choose: [{ when: preheat, payload: "{next.color}" }]', 'topic: b, expect: "{next.color}!"'],
    ['choose: [{ when: preheat, payload: { t: "{next.color}", s: 1 }, expect: { s: 1 } }]', "topic: b"],
    ['choose: [{ when: preheat, payload: x, expect: "1" }], else: { payload: x, expect: "1" }', "topic: b"],
    ['choose: [{ when: preheat, payload: "18" }], else: "18.0"', "topic: b"],
    [
      'choose: [{ when: preheat, payload: { state: "ON" } }], else: { payload: { state: "ON", brightness: 5 } }',
      "topic: b",
    ],
    [
      "choose: [{ when: preheat, payload: { s: 1 }, expect: { s: 1 } }], else: { payload: dim, expect: { s: 1, t: 2 } }",
      "topic: b",
    ],
    [
      "choose: [{ when: preheat, payload: x, expect: { s: 1, t: 1 } }], else: { payload: y, expect: { s: 1, t: 2 } }",
      "topic: b",
    ],
  ])("%s may be confirmed by { %s }", async (payloads, confirm) => {
    expect(await refusals(` [{ topic: a, ${payloads}, confirm: { ${confirm} } }]`)).toEqual([]);
  });

  test("with a long topic have its first 40 characters as their id", async () => {
    const topic = `${"a".repeat(38)}/-set`;
    const { list } = await outputsOf(
      ` [{ topic: ${topic}, choose: [${PEAK}] }, { topic: -X-, choose: [${PEAK}] }]`,
    );
    expect(list.map(({ id }) => id)).toEqual([`${"a".repeat(38)}_s`, "x"]);
  });

  test("that name rules are refused where there are no rules", async () => {
    const problems = await problemsOf(loadText(`outputs: [{ topic: a, choose: [${PEAK}] }]`));
    expect(problems).toEqual([expect.stringContaining("expected the id of a rule, but there are no rules")]);
  });

  test("are refused with every problem at its place", async () => {
    const yaml = `
  - topic: vigie/a
    choose: [ { when: nobody, payload: "{x}" } ]
  - topic: b
    choose: [ ${PEAK} ]
    qos: 9
`;
    const problems = await refusals(yaml);
    expect(problems.map((line) => line.replace(/^.*vigie\.yaml:(\d+):\d+ ([^:]*):.*$/, "$1 $2"))).toEqual(
      expect.arrayContaining(["5 outputs[0].topic", "6 outputs[0].choose[0].when", "9 outputs[1].qos"]),
    );
  });
});
