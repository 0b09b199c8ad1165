import { describe, expect, test } from "vitest";
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
    confirm: { topic: heatpump/setpoint, expect: done, every: 10s, for: 5m }
`;
    expect(await outputsOf(yaml)).toEqual({
      dry_when_simulated: false,
      list: [
        {
          topic: "shellies/boiler/relay/0/command",
          choose: [{ when: "rouge_peak", payload: "off" }],
          else: "on",
          qos: 1,
          retain: false,
          confirm: { topic: "shellies/boiler/relay/0", every: 30_000, for: 3_600_000 },
        },
        {
          topic: "heatpump/setpoint/set",
          choose: [
            { when: "rouge_peak", payload: "18", expect: "18.0" },
            { when: "preheat", payload: "{next.color} 20.5" },
          ],
          else: "19.5",
          unknown: "19",
          qos: 0,
          retain: true,
          confirm: { topic: "heatpump/setpoint", expect: "done", every: 10_000, for: 300_000 },
        },
      ],
    });
  });

  test("are a group where an option applies to all of them", async () => {
    const yaml = `\n  dry_when_simulated: true\n  list: [{ topic: a, choose: [${PEAK}] }]`;
    expect(await outputsOf(yaml)).toMatchObject({ dry_when_simulated: true, list: [{ topic: "a" }] });
    expect(await outputsOf(" { dry_when_simulated: true }")).toEqual({ dry_when_simulated: true, list: [] });
  });

  test("may come from a variable", async () => {
    const { config } = await loadVariables({
      VIGIE_RULES: "[{ id: peak, when: { period: hp } }]",
      VIGIE_OUTPUTS: '[{ topic: a, choose: [{ when: peak, payload: "1" }] }]',
    });
    expect(config.outputs.list).toMatchObject([{ topic: "a", choose: [{ when: "peak", payload: "1" }] }]);
  });

  test.each([
    [" 5", "outputs: expected a list of outputs, or { dry_when_simulated: …, list: … }, got 5"],
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
      'outputs[0].choose[0].payload: expected a text, in quotes where it is a number: "18", got 18',
    ],
    [
      ' [{ topic: a, choose: [{ when: preheat, payload: "" }] }]',
      'a text, in quotes where it is a number: "18", got ""',
    ],
    [" [{ topic: a, choose: [] }]", "outputs[0].choose: expected at least one choice, got an empty list"],
    [" [{ topic: a }]", "outputs[0].choose: expected a list of choices"],
    [` [{ topic: a, choose: [${PEAK}], qos: 3 }]`, "outputs[0].qos: expected 0, 1 or 2, got 3"],
    [
      ` [{ topic: a, chose: [${PEAK}], choose: [${PEAK}] }]`,
      'outputs[0].chose: expected a known option, got "chose" (did you mean choose?)',
    ],
    [` { dry: true, list: [] }`, "outputs.dry: expected a known option"],
    [
      ` { list: [{ topic: vigie, choose: [${PEAK}] }] }`,
      "outputs.list[0].topic: expected a topic outside of mqtt.base_topic (vigie)",
    ],
    [
      ` { list: [{ topic: a, choose: [{ wen: preheat, when: preheat, payload: x }] }] }`,
      'outputs.list[0].choose[0].wen: expected a known option, got "wen" (did you mean when?)',
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
      "outputs[0].choose[0].expect: expected an output with confirm.topic: without it no answer of the device is read",
    ],
    [
      ` [{ topic: a, choose: [${PEAK}], confirm: { topic: b, every: 1s } }]`,
      "outputs[0].confirm.every: expected a duration from 5s to 1h",
    ],
  ])("%s is refused, and why", async (yaml, words) => {
    expect((await refusals(yaml)).join("\n")).toContain(words);
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
