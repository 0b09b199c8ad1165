import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { LANGUAGES } from "./blueprints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { openRuleAndDevice, type RuleAndDevice } from "./rule-and-device.ts";

const VIGIE = "boiler_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_rouge_peak_state`;
const BOILER = "switch.boiler_relay";
const MEMORY = "input_boolean.boiler_memory";

describe.skipIf(withoutHomeAssistant)(`the boiler's blueprint ${withoutHomeAssistant}`, () => {
  let opened: RuleAndDevice;
  let tests = 0;

  beforeAll(async () => {
    const topics = { state_topic: "boiler/set", command_topic: "boiler/set", retain: true };
    const relay = { platform: "switch", name: "relay", availability_topic: "boiler/alive", ...topics };
    opened = await openRuleAndDevice({
      instance: VIGIE,
      rule: "rouge_peak",
      device: "boiler",
      components: { relay },
    });
    await opened.home.until({ [RULE]: "unavailable", [BOILER]: "unavailable" });
  });
  beforeEach(async () => {
    tests += 1;
    await opened.reset();
    await use(BOILER);
    await opened.home.until({ [RULE]: "off", [BOILER]: /on|off|unknown/, [MEMORY]: "off" });
    await opened.device.publishValue("set", "ON");
    await opened.home.until({ [BOILER]: "on" });
    opened.startCounting();
  });
  afterAll(() => opened?.clear());

  /** By turns in each language. */
  const use = (boiler: string) => {
    const edition = `${LANGUAGES[tests % 2] ?? "en"}/boiler` as const;
    return opened.use({ boiler: [edition, { boiler, memory: MEMORY, ...opened.ruleInputs }] });
  };

  test("it is off while the rule is ON, and on again afterwards: each said once", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await opened.rule.publishState("OFF");
    await opened.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await opened.expectSent("OFF", "ON");
    await opened.expectNoComplaints();
  });

  test("a change during the handling of the previous change is carried out next", async () => {
    await use("switch.slow_boiler");
    await opened.rule.publishState("ON");
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off", [MEMORY]: "on" });
    await opened.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await opened.expectSent("OFF", "ON");
  });

  test("nothing is done while the rule is unknown or unavailable, or when it repeats its state", async () => {
    for (const state of ["None", "OFF", "None"] as const) await opened.rule.publishState(state);
    await opened.home.until({ [RULE]: "unknown" });
    await opened.rule.publishValue("availability", "offline");
    await opened.home.until({ [RULE]: "unavailable" });
    await opened.rule.publishValue("availability", "online");
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off" });
    await opened.expectSent();
    await opened.rule.publishState("ON");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await opened.rule.publishState("None");
    await opened.rule.publishValue("availability", "offline");
    await opened.home.until({ [RULE]: "unavailable" });
    await opened.expectSent("OFF");
  });

  test("with vigie down, the forecast changes of the rule are carried out", async () => {
    await opened.rule.publishForecast({ on: 8, off: 12 });
    await opened.rule.publishValue("availability", "offline");
    await opened.home.until({ [RULE]: "unavailable" });
    await opened.expectSent();
    await opened.home.until({ [BOILER]: "off" });
    await opened.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await opened.expectSent("OFF", "ON");
  });

  test("a restart of Home Assistant sends no payload twice, and sends the one of a missed change", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await opened.home.restart();
    await opened.home.until({ [RULE]: "on", [BOILER]: "off" });
    await opened.expectSent("OFF");
    // Meanwhile vigie is gone, and what it had foretold comes.
    await opened.home.restart(async () => {
      await opened.rule.publishForecast({ on: 3600, off: -1 });
      await opened.rule.publishValue("availability", "offline");
    });
    await opened.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await opened.expectSent("OFF", "ON");
    await opened.expectNoComplaints();
  });

  test("what its owner had switched off stays off", async () => {
    await opened.device.publishValue("set", "OFF");
    await opened.home.until({ [BOILER]: "off" });
    await opened.rule.publishState("ON");
    await opened.home.until({ [RULE]: "on" });
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off" });
    await opened.expectSent("OFF");
  });

  test("who switches it on by hand keeps it on", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await opened.device.publishValue("set", "ON");
    await opened.home.until({ [BOILER]: "on" });
    await opened.home.restart();
    await opened.home.until({ [RULE]: "on", [BOILER]: "on" });
    await opened.expectSent("OFF", "ON");
  });

  test("a relay that was unavailable, or returns switched on, receives the payload when it is available", async () => {
    await opened.device.publishValue("alive", "offline");
    await opened.home.until({ [BOILER]: "unavailable" });
    await opened.rule.publishState("ON");
    await opened.home.until({ [RULE]: "on" });
    await opened.expectSent();
    await opened.device.publishValue("alive", "online");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await opened.device.publishValue("alive", "offline");
    await opened.home.until({ [BOILER]: "unavailable" });
    await opened.device.publishValue("set", "ON");
    await opened.device.publishValue("alive", "online");
    await opened.home.until({ [BOILER]: "off" });
    await opened.expectSent("OFF", "ON", "OFF");
  });

  test("a boiler that is renamed while it is off is on again when its owner has named it anew", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    const rename = (entity_id: string, new_entity_id: string) =>
      opened.home.ask("config/entity_registry/update", { entity_id, new_entity_id });
    await rename(BOILER, "switch.renamed_boiler");
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off" });
    await opened.expectSent("OFF");
    await use("switch.renamed_boiler");
    await opened.rule.publishState("None");
    await opened.rule.publishState("OFF");
    await opened.home.until({ "switch.renamed_boiler": "on", [MEMORY]: "off" });
    await opened.expectSent("OFF", "ON");
    await rename("switch.renamed_boiler", BOILER);
    await opened.expectNoComplaints();
  });
});
