import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import {
  type BlueprintHome,
  blueprintHome,
  expectMessages,
  type PublishedRule,
  publishRule,
  ruleInputs,
  settle,
} from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";

const VIGIE = "preheat_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_preheat_state`;
const THERMOSTAT = "climate.heating_thermostat";
const MEMORY = "input_number.preheat_memory";

describe.skipIf(withoutHomeAssistant)(`the thermostat's blueprint ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let rule: PublishedRule;
  let heating: PublishedDevice;
  let mark: number;
  let from: number;
  const expectSent = (...wanted: string[]) => expectMessages(shared, ["heating/set", from], wanted);

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    rule = await publishRule(shared.observer, VIGIE, "preheat");
    heating = await publishDevice(shared.observer, "heating", {
      thermostat: {
        platform: "climate",
        name: "thermostat",
        availability_topic: "heating/alive",
        retain: true,
        temperature_command_topic: "heating/set",
        temperature_state_topic: "heating/set",
        modes: ["heat", "off"],
        mode_state_topic: "heating/mode",
        temp_step: 0.5,
      },
    });
    await heating.publishValue("mode", "heat");
    await shared.home.until({ [RULE]: "unavailable", [THERMOSTAT]: "unavailable" });
    const inputs = { thermostat: THERMOSTAT, raise: 1.5, memory: MEMORY };
    await shared.use({ preheat: ["preheat", { ...inputs, ...ruleInputs(VIGIE, "preheat") }] });
  });
  beforeEach(async () => {
    await rule.publishState("OFF");
    await rule.publishForecast({ on: null, off: null });
    await rule.publishValue("availability", "online");
    await heating.publishValue("alive", "online");
    await settle(shared);
    await shared.home.until({ [RULE]: "off", [THERMOSTAT]: "heat", [MEMORY]: "0.0" });
    await heating.publishValue("set", "19.5");
    await shared.home.until(isSetTo(19.5));
    from = shared.observer.received.length;
  });
  afterAll(async () => {
    if (!shared) return;
    await shared.use({});
    await Promise.all([rule.clear(), heating.clear()]);
  });

  const isSetTo = (degrees: number) => ({
    [THERMOSTAT]: ({ attributes }: { attributes: Record<string, unknown> }) =>
      attributes["temperature"] === degrees,
  });

  test("it is warmer while the rule is ON, and what it was afterwards: each said once", async () => {
    await rule.publishState("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await rule.publishState("OFF");
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectSent("21.0", "19.5");
    await expectNoComplaints(shared.home, mark);
  });

  test("nothing is done while the rule is unknown or unavailable", async () => {
    await rule.publishState("None");
    await shared.home.until({ [RULE]: "unknown" });
    await rule.publishValue("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectSent();
  });

  test("a restart raises it no further, and puts back what was when the rule was over meanwhile", async () => {
    await rule.publishState("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", ...isSetTo(21) });
    await expectSent("21.0");
    await shared.home.restart(() => rule.publishState("OFF"));
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectSent("21.0", "19.5");
    await expectNoComplaints(shared.home, mark);
  });

  test("with vigie down, the forecast changes of the rule are carried out", async () => {
    await rule.publishForecast({ on: 6, off: 12 });
    await rule.publishValue("availability", "offline");
    await shared.home.until(isSetTo(21));
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectSent("21.0", "19.5");
  });

  test("who sets another temperature meanwhile keeps it", async () => {
    await rule.publishState("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await heating.publishValue("set", "18");
    await shared.home.until(isSetTo(18));
    await rule.publishState("OFF");
    await shared.home.until({ [RULE]: "off", [MEMORY]: "0.0" });
    await expectSent("21.0", "18");
  });

  test("a thermostat that was away at the end is put back when it is there", async () => {
    await rule.publishState("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await heating.publishValue("alive", "offline");
    await shared.home.until({ [THERMOSTAT]: "unavailable" });
    await rule.publishState("OFF");
    await shared.home.until({ [RULE]: "off" });
    await heating.publishValue("alive", "online");
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectSent("21.0", "19.5");
  });
});
