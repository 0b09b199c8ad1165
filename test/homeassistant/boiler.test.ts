import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import {
  type AnnouncedRule,
  announceRule,
  type BlueprintHome,
  blueprintHome,
  expectHeard,
  ruleInputs,
  settle,
} from "./blueprints.ts";
import { type Announced, announce } from "./by-hand.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { judge } from "./judge.ts";

const VIGIE = "boiler_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_rouge_peak_state`;
const BOILER = "switch.boiler_relay";
const MEMORY = "input_boolean.boiler_memory";

describe.skipIf(withoutHomeAssistant)(`the boiler's blueprint ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let rule: AnnouncedRule;
  let relay: Announced;
  let mark: number;
  let from: number;
  const expectTold = (...wanted: string[]) => expectHeard(shared, ["boiler/set", from], wanted);

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    rule = await announceRule(shared.observer, VIGIE, "rouge_peak");
    const topics = { state_topic: "boiler/set", command_topic: "boiler/set", retain: true };
    const component = { platform: "switch", name: "relay", availability_topic: "boiler/alive", ...topics };
    relay = await announce(shared.observer, "boiler", { relay: component });
    await shared.home.until({ [RULE]: "unavailable", [BOILER]: "unavailable" });
    await use(BOILER);
  });
  beforeEach(async () => {
    await calm();
    from = shared.observer.seen.length;
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
    await rule.turn("OFF");
    await rule.foretell({ on: null, off: null });
    await rule.say("availability", "online");
    await relay.say("alive", "online");
    await settle(shared);
    await shared.home.until({ [RULE]: "off", [BOILER]: /on|off|unknown/, [MEMORY]: "off" });
    await relay.say("set", "ON");
    await shared.home.until({ [BOILER]: "on" });
  }

  test("it is off while the rule is ON, and on again afterwards: each said once", async () => {
    await rule.turn("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await rule.turn("OFF");
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectTold("OFF", "ON");
    await judge(shared.home, mark);
  });

  test("a turn that comes while the one before is carried out is carried out next", async () => {
    await use("switch.slow_boiler");
    await rule.turn("ON");
    await rule.turn("OFF");
    await shared.home.until({ [RULE]: "off", [MEMORY]: "on" });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectTold("OFF", "ON");
    await use(BOILER);
  });

  test("nothing is done while the rule is unknown, unavailable, or says again what it said", async () => {
    for (const state of ["None", "OFF", "None"] as const) await rule.turn(state);
    await shared.home.until({ [RULE]: "unknown" });
    await rule.say("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await rule.say("availability", "online");
    await rule.turn("OFF");
    await shared.home.until({ [RULE]: "off" });
    await expectTold();
    await rule.turn("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await rule.turn("None");
    await rule.say("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectTold("OFF");
  });

  test("with vigie gone the turns that it had foretold are carried out", async () => {
    await rule.foretell({ on: 3, off: 5 });
    await rule.say("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectTold();
    await shared.home.until({ [BOILER]: "off" });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectTold("OFF", "ON");
  });

  test("a restart of Home Assistant says nothing again, and makes up for the turn that it missed", async () => {
    await rule.turn("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", [BOILER]: "off" });
    await expectTold("OFF");
    // Meanwhile vigie is gone, and what it had foretold comes.
    await shared.home.restart(async () => {
      await rule.foretell({ on: 3600, off: -1 });
      await rule.say("availability", "offline");
    });
    await shared.home.until({ [BOILER]: "on", [MEMORY]: "off" });
    await expectTold("OFF", "ON");
    await judge(shared.home, mark);
  });

  test("what its owner had switched off stays off", async () => {
    await relay.say("set", "OFF");
    await shared.home.until({ [BOILER]: "off" });
    await rule.turn("ON");
    await shared.home.until({ [RULE]: "on" });
    await rule.turn("OFF");
    await shared.home.until({ [RULE]: "off" });
    await expectTold("OFF");
  });

  test("who switches it on by hand keeps it on", async () => {
    await rule.turn("ON");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await relay.say("set", "ON");
    await shared.home.until({ [BOILER]: "on" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", [BOILER]: "on" });
    await expectTold("OFF", "ON");
  });

  test("a relay that was away, or comes back switched on, is told when it is there", async () => {
    await relay.say("alive", "offline");
    await shared.home.until({ [BOILER]: "unavailable" });
    await rule.turn("ON");
    await shared.home.until({ [RULE]: "on" });
    await expectTold();
    await relay.say("alive", "online");
    await shared.home.until({ [BOILER]: "off", [MEMORY]: "on" });
    await relay.say("alive", "offline");
    await shared.home.until({ [BOILER]: "unavailable" });
    await relay.say("set", "ON");
    await relay.say("alive", "online");
    await shared.home.until({ [BOILER]: "off" });
    await expectTold("OFF", "ON", "OFF");
  });
});
