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

const VIGIE = "preheat_vigie";
const RULE = `binary_sensor.${VIGIE}_rules_preheat_state`;
const THERMOSTAT = "climate.heating_thermostat";
const MEMORY = "input_number.preheat_memory";

describe.skipIf(withoutHomeAssistant)(`the thermostat's blueprint ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let rule: AnnouncedRule;
  let heating: Announced;
  let mark: number;
  let from: number;
  const expectTold = (...wanted: string[]) => expectHeard(shared, ["heating/set", from], wanted);

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    rule = await announceRule(shared.observer, VIGIE, "preheat");
    heating = await announce(shared.observer, "heating", {
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
    await heating.say("mode", "heat");
    await shared.home.until({ [RULE]: "unavailable", [THERMOSTAT]: "unavailable" });
    const inputs = { thermostat: THERMOSTAT, raise: 1.5, memory: MEMORY };
    await shared.use({ preheat: ["preheat", { ...inputs, ...ruleInputs(VIGIE, "preheat") }] });
  });
  beforeEach(async () => {
    await rule.turn("OFF");
    await rule.foretell({ on: null, off: null });
    await rule.say("availability", "online");
    await heating.say("alive", "online");
    await settle(shared);
    await shared.home.until({ [RULE]: "off", [THERMOSTAT]: "heat", [MEMORY]: "0.0" });
    await heating.say("set", "19.5");
    await shared.home.until(isSetTo(19.5));
    from = shared.observer.seen.length;
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
    await rule.turn("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await rule.turn("OFF");
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectTold("21.0", "19.5");
    await judge(shared.home, mark);
  });

  test("nothing is done while the rule is unknown or unavailable", async () => {
    await rule.turn("None");
    await shared.home.until({ [RULE]: "unknown" });
    await rule.say("availability", "offline");
    await shared.home.until({ [RULE]: "unavailable" });
    await expectTold();
  });

  test("a restart raises it no further, and puts back what was when the rule was over meanwhile", async () => {
    await rule.turn("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await shared.home.restart();
    await shared.home.until({ [RULE]: "on", ...isSetTo(21) });
    await expectTold("21.0");
    await shared.home.restart(() => rule.turn("OFF"));
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectTold("21.0", "19.5");
    await judge(shared.home, mark);
  });

  test("with vigie gone the turns that it had foretold are carried out", async () => {
    await rule.foretell({ on: 2, off: 4 });
    await rule.say("availability", "offline");
    await shared.home.until(isSetTo(21));
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectTold("21.0", "19.5");
  });

  test("who sets another temperature meanwhile keeps it", async () => {
    await rule.turn("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await heating.say("set", "18");
    await shared.home.until(isSetTo(18));
    await rule.turn("OFF");
    await shared.home.until({ [RULE]: "off", [MEMORY]: "0.0" });
    await expectTold("21.0", "18");
  });

  test("a thermostat that was away at the end is put back when it is there", async () => {
    await rule.turn("ON");
    await shared.home.until({ ...isSetTo(21), [MEMORY]: "19.5" });
    await heating.say("alive", "offline");
    await shared.home.until({ [THERMOSTAT]: "unavailable" });
    await rule.turn("OFF");
    await shared.home.until({ [RULE]: "off" });
    await heating.say("alive", "online");
    await shared.home.until({ ...isSetTo(19.5), [MEMORY]: "0.0" });
    await expectTold("21.0", "19.5");
  });
});
