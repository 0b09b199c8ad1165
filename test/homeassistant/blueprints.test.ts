import { describe, expect, test } from "vitest";
import { blueprintHome, type Inputs } from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { pause } from "./states.ts";

const NEEDED: Record<string, Inputs> = {
  boiler: { boiler: "switch.slow_boiler", memory: "input_boolean.boiler_memory" },
  preheat: { thermostat: "climate.heating_thermostat", memory: "input_number.preheat_memory" },
  // Both are due by now.
  "evening-message": { at: "18:00:00" },
  "announcement-alarm": { at: "18:00:00", patience: 0.02 },
};

describe.skipIf(withoutHomeAssistant)(`the shipped blueprints ${withoutHomeAssistant}`, () => {
  test("each loads with the devices alone, and does nothing without vigie", async () => {
    const { home, use } = await blueprintHome();
    const mark = await home.mark();
    await use(
      Object.fromEntries(Object.entries(NEEDED).map(([name, inputs]) => [named(name), [name, inputs]])),
    );
    await home.restart();
    await pause(2_500);
    const names = Object.keys(NEEDED).map((name) => `automation.${named(name)}`);
    const automations = (await home.states()).filter(({ entity_id }) => names.includes(entity_id));
    expect(
      automations.map(({ entity_id, state, attributes }) => [entity_id, state, attributes["last_triggered"]]),
    ).toEqual(expect.arrayContaining(names.map((name) => [name, "on", null])));
    await expectNoComplaints(home, mark);
    await use({});
  });
});

function named(blueprint: string): string {
  return `shipped_${blueprint.replace("-", "_")}`;
}
