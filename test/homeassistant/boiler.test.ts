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

const VIGIE = "boiler_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_rouge_peak_state`;
const BOILER = "switch.boiler_relay";
const MEMORY = "input_boolean.boiler_memory";

describe.skipIf(withoutHomeAssistant)(`the boiler's blueprint ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let rule: PublishedRule;
  let relay: PublishedDevice;
  let mark: number;
  let from: number;
  const expectSent = (...wanted: string[]) => expectMessages(shared, ["boiler/set", from], wanted);

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    rule = await publishRule(shared.observer, VIGIE, "rouge_peak");
    const topics = { state_topic: "boiler/set", command_topic: "boiler/set", retain: true };
    const component = { platform: "switch", name: "relay", availability_topic: "boiler/alive", ...topics };
    relay = await publishDevice(shared.observer, "boiler", { relay: component });
    await shared.home.until({ [RULE]: "unavailable", [BOILER]: "unavailable" });
    await use(BOILER);
  });
  beforeEach(async () => {
    await calm();
    from = shared.observer.received.length;
  });
  afterAll(async () => {
    if (!shared) return;
    await shared.use({});
    await Promise.all([rule.clear(), relay.clear()]);
  });

  const use = (boiler: string) =>
    shared.use({ boiler: ["boiler", { boiler, memory: MEMORY, ...ruleInputs(VIGIE, "rouge_peak") }] });

  /** The rule is OFF, no turn is ahead, and the boiler is on. */
  async function calm() {
    // As vigie does on its return: available again when all is right.
    await rule.publishState("OFF");
    await rule.publishForecast({ on: null, off: null });
    await rule.publishValue("availability", "online");
    await relay.publishValue("alive", "online");
    await settle(shared);
    await shared.home.until({ [RULE]: "off", [BOILER]: /on|off|unknown/, [MEMORY]: "off" });
    await relay.publishValue("set", "ON");
    await shared.home.until({ [BOILER]: "on" });
  }

  test("it is off while the rule is ON, and on again afterwards: each said once", async () => {
    await rule.publishState("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await rule.publishState("OFF");
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectSent("OFF", "ON");
    await expectNoComplaints(shared.home, mark);
  });

  test("a change during the handling of the previous change is carried out next", async () => {
    await use("switch.slow_boiler");
    await rule.publishState("ON");
    await rule.publishState("OFF");
    await shared.home.until({ [RULE]: "off", [MEMORY]: "on" });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectSent("OFF", "ON");
    await use(BOILER);
  });

  test("nothing is done while the rule is unknown or unavailable, or when it repeats its state", async () => {
    for (const state of ["None", "OFF", "None"] as const) await rule.publishState(state);
    await shared.home.until({ [RULE]: "unknown" });
    await rule.publishValue("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await rule.publishValue("availability", "online");
    await rule.publishState("OFF");
    await shared.home.until({ [RULE]: "off" });
    await expectSent();
    await rule.publishState("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await rule.publishState("None");
    await rule.publishValue("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectSent("OFF");
  });

  test("with vigie down, the forecast changes of the rule are carried out", async () => {
    await rule.publishForecast({ on: 8, off: 12 });
    await rule.publishValue("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectSent();
    await shared.home.until({ [BOILER]: "off" });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectSent("OFF", "ON");
  });

  test("a restart of Home Assistant sends no payload twice, and sends the one of a missed change", async () => {
    await rule.publishState("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", [BOILER]: "off" });
    await expectSent("OFF");
    // Meanwhile vigie is gone, and what it had foretold comes.
    await shared.home.restart(async () => {
      await rule.publishForecast({ on: 3600, off: -1 });
      await rule.publishValue("availability", "offline");
    });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectSent("OFF", "ON");
    await expectNoComplaints(shared.home, mark);
  });

  test("what its owner had switched off stays off", async () => {
    await relay.publishValue("set", "OFF");
    await shared.home.until({ [BOILER]: "off" });
    await rule.publishState("ON");
    await shared.home.until({ [RULE]: "on" });
    await rule.publishState("OFF");
    await shared.home.until({ [RULE]: "off" });
    await expectSent("OFF");
  });

  test("who switches it on by hand keeps it on", async () => {
    await rule.publishState("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await relay.publishValue("set", "ON");
    await shared.home.until({ [BOILER]: "on" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", [BOILER]: "on" });
    await expectSent("OFF", "ON");
  });

  test("a relay that was unavailable, or returns switched on, receives the payload when it is available", async () => {
    await relay.publishValue("alive", "offline");
    await shared.home.until({ [BOILER]: "unavailable" });
    await rule.publishState("ON");
    await shared.home.until({ [RULE]: "on" });
    await expectSent();
    await relay.publishValue("alive", "online");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await relay.publishValue("alive", "offline");
    await shared.home.until({ [BOILER]: "unavailable" });
    await relay.publishValue("set", "ON");
    await relay.publishValue("alive", "online");
    await shared.home.until({ [BOILER]: "off" });
    await expectSent("OFF", "ON", "OFF");
  });
});
