import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { LANGUAGES } from "./blueprints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { openRuleAndDevice, type RuleAndDevice } from "./rule-and-device.ts";

const VIGIE = "preheat_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_preheat_state`;
const THERMOSTAT = "climate.heating_thermostat";
const MEMORY = "input_number.preheat_memory";

describe.skipIf(withoutHomeAssistant)(`the thermostat's blueprint ${withoutHomeAssistant}`, () => {
  let opened: RuleAndDevice;
  let tests = 0;

  beforeAll(async () => {
    const thermostat = {
      platform: "climate",
      name: "thermostat",
      availability_topic: "heating/alive",
      retain: true,
      temperature_command_topic: "heating/set",
      temperature_state_topic: "heating/set",
      modes: ["heat", "off"],
      mode_state_topic: "heating/mode",
      temp_step: 0.5,
    };
    opened = await openRuleAndDevice({
      instance: VIGIE,
      rule: "preheat",
      device: "heating",
      components: { thermostat },
    });
    await opened.device.publishValue("mode", "heat");
    await opened.home.until({ [RULE]: "unavailable", [THERMOSTAT]: "unavailable" });
  });
  beforeEach(async () => {
    await opened.reset();
    // By turns in each language.
    tests += 1;
    const edition = `${LANGUAGES[tests % 2] ?? "en"}/preheat` as const;
    const inputs = { thermostat: THERMOSTAT, raise: 1.5, memory: MEMORY };
    await opened.use({ preheat: [edition, { ...inputs, ...opened.ruleInputs }] });
    await opened.home.until({ [RULE]: "off", [THERMOSTAT]: "heat", [MEMORY]: "0.0" });
    await opened.device.publishValue("set", "19.5");
    await opened.home.until(isSetTo(19.5));
    opened.startCounting();
  });
  afterAll(() => opened?.clear());

  const isSetTo = (degrees: number) => ({
    [THERMOSTAT]: ({ attributes }: { attributes: Record<string, unknown> }) =>
      attributes["temperature"] === degrees,
  });

  test("it is warmer while the rule is ON, and what it was afterwards: each said once", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await opened.rule.publishState("OFF");
    await opened.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await opened.expectSent("21.0", "19.5");
    await opened.expectNoComplaints();
  });

  test("nothing is done while the rule is unknown or unavailable", async () => {
    await opened.rule.publishState("None");
    await opened.home.until({ [RULE]: "unknown" });
    await opened.rule.publishValue("availability", "offline");
    await opened.home.until({ [RULE]: "unavailable" });
    await opened.expectSent();
  });

  test("a restart raises it no further, and puts back what was when the rule was over meanwhile", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await opened.home.restart();
    await opened.home.until({ [RULE]: "on", ...isSetTo(21) });
    await opened.expectSent("21.0");
    await opened.home.restart(() => opened.rule.publishState("OFF"));
    await opened.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await opened.expectSent("21.0", "19.5");
    await opened.expectNoComplaints();
  });

  test("with vigie down, the forecast changes of the rule are carried out", async () => {
    await opened.rule.publishForecast({ on: 6, off: 12 });
    await opened.rule.publishValue("availability", "offline");
    await opened.home.until(isSetTo(21));
    await opened.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await opened.expectSent("21.0", "19.5");
  });

  test("who sets another temperature meanwhile keeps it", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await opened.device.publishValue("set", "18");
    await opened.home.until(isSetTo(18));
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off", [MEMORY]: "0.0" });
    await opened.expectSent("21.0", "18");
  });

  test("a thermostat that was away at the end is put back when it is there", async () => {
    await opened.rule.publishState("ON");
    await opened.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await opened.device.publishValue("alive", "offline");
    await opened.home.until({ [THERMOSTAT]: "unavailable" });
    await opened.rule.publishState("OFF");
    await opened.home.until({ [RULE]: "off" });
    await opened.device.publishValue("alive", "online");
    await opened.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await opened.expectSent("21.0", "19.5");
  });
});
