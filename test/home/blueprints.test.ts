import { describe, expect, test } from "vitest";
import { blueprintHome, type Inputs } from "./blueprints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { judge } from "./judge.ts";

const NEEDED: Record<string, Inputs> = {
  boiler: { boiler: "switch.slow_boiler", memory: "input_boolean.boiler_memory" },
  preheat: { thermostat: "climate.heating_thermostat", memory: "input_number.preheat_memory" },
  "evening-message": {},
  "announcement-alarm": {},
};

describe.skipIf(withoutHomeAssistant)(`the shipped blueprints ${withoutHomeAssistant}`, () => {
  test("each is taken with nothing but the devices of the house, and does nothing where vigie is not there", async () => {
    const { home, use } = await blueprintHome();
    const mark = await home.mark();
    await use(
      Object.fromEntries(Object.entries(NEEDED).map(([name, inputs]) => [named(name), [name, inputs]])),
    );
    await home.restart();
    const names = Object.keys(NEEDED).map((name) => `automation.${named(name)}`);
    const automations = (await home.states()).filter(({ entity_id }) => names.includes(entity_id));
    expect(
      automations.map(({ entity_id, state, attributes }) => [entity_id, state, attributes["last_triggered"]]),
    ).toEqual(expect.arrayContaining(names.map((name) => [name, "on", null])));
    await judge(home, mark);
    await use({});
  });
});

function named(blueprint: string): string {
  return `shipped_${blueprint.replace("-", "_")}`;
}
