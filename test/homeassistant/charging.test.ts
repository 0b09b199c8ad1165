import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import {
  type BlueprintHome,
  blueprintHome,
  expectMessages,
  type Inputs,
  type Language,
  settle,
} from "./blueprints.ts";
import { expectNoComplaints } from "./complaints.ts";
import { fact, forecastFact, type PublishedDevice, publishDevice } from "./handwritten-device.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { pause, type State } from "./states.ts";

const VIGIE = "charging_vigie";
const NOW = `sensor.${VIGIE}_now_color`;
const FORECAST = `sensor.${VIGIE}_forecast`;
const CHARGER = "switch.car_charger";
const MEMORY = "input_boolean.charging_memory";

describe.skipIf(withoutHomeAssistant)(`the charger's blueprint ${withoutHomeAssistant}`, () => {
  let shared: BlueprintHome;
  let vigie: PublishedDevice;
  let car: PublishedDevice;
  let mark: number;
  let from: number;
  let updates = 0;
  let automations = 0;
  let now = {};
  let said: [string | null, string | null] = [null, null];

  beforeAll(async () => {
    shared = await blueprintHome();
    mark = await shared.home.mark();
    vigie = await publishDevice(
      shared.observer,
      VIGIE,
      Object.fromEntries([
        fact(VIGIE, "sensor", "now/color", "moment", { json_attributes_topic: `${VIGIE}/now` }),
        forecastFact(VIGIE),
      ]),
    );
    car = await publishDevice(shared.observer, "car", {
      charger: { platform: "switch", name: "charger", availability_topic: "car/alive", ...echoing("set") },
      ...Object.fromEntries(OTHERS.map((name) => [name, byHand(name)])),
      current: { platform: "number", name: "current", min: 0, ...echoing("current") },
      plugged: { platform: "binary_sensor", name: "plugged", state_topic: "car/plugged" },
    });
  });
  beforeEach(async () => {
    await shared.use({});
    for (const memory of [MEMORY, "input_boolean.second_memory"])
      await shared.home.call("input_boolean", "turn_off", { entity_id: memory });
    await vigie.publishValue("availability", "online");
    await car.publishValue("alive", "online");
    for (const topic of ["set", "plugged", ...OTHERS]) await car.publishValue(topic, "OFF");
    await car.publishValue("current", "0");
    await shared.setLocalTime("23:01:00");
    await say("bleu", "bleu");
    await shared.home.until({ [CHARGER]: "off", [MEMORY]: "off" });
    await settle(shared);
    from = shared.observer.received.length;
  });
  afterAll(async () => {
    if (!shared) return;
    await shared.use({});
    await Promise.all([vigie.clear(), car.clear()]);
  });

  const expectSent = (...payloads: string[]) => expectMessages(shared, ["car/set", from], payloads);

  /** vigie names the colours of the tariff day in force and of the next one. */
  const say = async (...colors: [tonight: string | null, tomorrow: string | null]) => {
    said = colors;
    const [date, next] =
      (await shared.render("{{ now() - timedelta(hours=6) }} {{ now() + timedelta(hours=18) }}")).match(
        /\d{4}-\d\d-\d\d/g,
      ) ?? [];
    updates += 1;
    const updated_at = new Date(Date.now() + updates * 1000).toISOString();
    const days = [
      { date, color: colors[0], official: true },
      { date: next, color: colors[1], official: true },
    ];
    now = { date, color: colors[0] };
    await vigie.publishValue("now", JSON.stringify(now));
    await vigie.publishValue("now/color", colors[0] ?? "None");
    await vigie.publishValue("forecast", JSON.stringify({ updated_at, days }));
    await shared.home.until({ [FORECAST]: ({ attributes }) => attributes["updated_at"] === updated_at });
  };

  /** The automations look once more. */
  const mention = async () => {
    updates += 1;
    await vigie.publishValue("now", JSON.stringify({ ...now, updates }));
  };

  const load = async (language: Language, ...inputs: Inputs[]) => {
    const automation = (input: Inputs): [string, [`${Language}/charging`, Inputs]] => {
      automations += 1;
      const entities = { now_entity: NOW, forecast_entity: FORECAST };
      return [
        `charging_${automations}`,
        [`${language}/charging`, { charger: CHARGER, memory: MEMORY, ...entities, ...input }],
      ];
    };
    await shared.use(Object.fromEntries(inputs.map(automation)));
  };
  /** New automations, which hear from vigie at once. */
  const use = async (language: Language, ...inputs: Inputs[]) => {
    await load(language, ...(inputs.length > 0 ? inputs : [{}]));
    await say(...said);
  };
  const useBefore = (time: string, ...input: Parameters<typeof use>) =>
    shared.loadBefore(time, () => use(...input));
  const isOn = { [CHARGER]: "on", [MEMORY]: "on" };
  const isOff = { [CHARGER]: "off", [MEMORY]: "off" };

  test("a car is charged from the begin to the end of the night, over a restart and a reload, with vigie dead", async () => {
    await useBefore("22:02:00", "fr", { begin: "22:02:00" });
    await expectSent();
    await shared.home.until(isOn);
    await shared.restartAt("02:01:00", () => vigie.publishValue("availability", "offline"));
    await shared.home.until({ [NOW]: "unavailable", ...isOn });
    await expectSent("ON");
    await useBefore("05:52:00", "fr", { end: "05:52:00" });
    await expectSent("ON");
    await shared.home.until(isOff);
    await expectSent("ON", "OFF");
    await expectNoComplaints(shared.home, mark);
  });

  test("with vigie dead the whole night, its last forecast counts, before and after midnight", async () => {
    await vigie.publishValue("availability", "offline");
    await say("rouge", "bleu");
    await use("en");
    await expectSent();
    await say("blanc", "bleu");
    await shared.home.until(isOn);
    await shared.setLocalTime("05:01:00");
    await use("en", { colors: ["bleu"] });
    await shared.home.until(isOff);
    await expectSent("ON", "OFF");
  });

  test("in the night before a rouge day it is charged, whatever the colour of the night, or not, as its owner chooses", async () => {
    await say("rouge", "rouge");
    await use("fr", { before_rouge: false });
    await expectSent();
    await use("fr");
    await shared.home.until(isOn);
    await say("rouge", "blanc");
    await shared.home.until(isOff);
    await expectSent("ON", "OFF");
  });

  test("in the night in which the clocks go back, the colour is that of the day before, too", async () => {
    await say("rouge", "bleu");
    await shared.setLocalTime("05:31:00", { wentBackAt: "3" });
    await use("en");
    await shared.home.mark();
    await expectSent();
    await use("en", { colors: ["rouge"] });
    await shared.home.until(isOn);
  });

  test("a Home Assistant that starts after the end switches the charger off then", async () => {
    await use("en");
    await shared.home.until(isOn);
    await shared.restartAt("06:01:00", () => vigie.publishValue("availability", "offline"));
    await shared.home.until(isOff);
    await expectSent("ON", "OFF");
    await expectNoComplaints(shared.home, mark);
  });

  test("a charger that is away at the begin or at the end is switched when it is back, and again when it lost its power", async () => {
    await car.publishValue("alive", "offline");
    await shared.home.until({ [CHARGER]: "unavailable" });
    await use("fr");
    await expectSent();
    await car.publishValue("alive", "online");
    await shared.home.until(isOn);
    await car.publishValue("alive", "offline");
    await shared.home.until({ [CHARGER]: "unavailable" });
    await car.publishValue("set", "OFF");
    await car.publishValue("alive", "online");
    await shared.home.until(isOn);
    await expectSent("ON", "OFF", "ON");
    await car.publishValue("alive", "offline");
    await shared.home.until({ [CHARGER]: "unavailable" });
    await shared.setLocalTime("06:01:00");
    await use("fr");
    await expectSent("ON", "OFF", "ON");
    await car.publishValue("alive", "online");
    await shared.home.until(isOff);
    await expectSent("ON", "OFF", "ON", "OFF");
  });

  test("what its owner switches by hand stays so, but nothing charges into a rouge day", async () => {
    await use("en");
    await shared.home.until(isOn);
    await car.publishValue("set", "OFF");
    await say("bleu", "rouge");
    await expectSent("ON", "OFF");
    await shared.setLocalTime("12:31:00");
    await use("en", { before_rouge: false });
    await shared.home.until(isOff);
    await car.publishValue("set", "ON");
    await shared.home.until({ [CHARGER]: "on" });
    await say("rouge", "rouge");
    await expectSent("ON", "OFF", "ON");
    await shared.setLocalTime("05:54:00");
    await say("rouge", "rouge");
    await expectSent("ON", "OFF", "ON");
    await useBefore("05:55:00", "en", { before_rouge: false });
    await expectSent("ON", "OFF", "ON");
    await shared.home.until(isOff);
    await expectSent("ON", "OFF", "ON", "OFF");
  });

  test("an unknown colour counts when it has lasted, if its owner wants that; what has begun goes on, also after a power cut", async () => {
    await say(null, null);
    await load("fr", { charge_unknown: false, patience: SHORT });
    await pause(3_000);
    await mention();
    await load("fr");
    await mention();
    await expectSent();
    await load("fr", { patience: SHORT });
    await pause(3_000);
    await mention();
    await shared.home.until(isOn);
    await shared.restartAt("23:31:00", async () => {
      await vigie.publishValue("availability", "offline");
      await car.publishValue("set", "OFF");
    });
    await shared.home.until(isOn);
    await expectSent("ON", "OFF", "ON");
    await say("rouge", "bleu");
    await shared.home.until(isOff);
    await expectSent("ON", "OFF", "ON", "OFF");
  });

  test("a car that is not plugged in is not charged", async () => {
    await use("en", { car: "binary_sensor.car_plugged" });
    await expectSent();
    for (const [plugged, charges] of [
      ["ON", isOn],
      ["OFF", isOff],
      ["None", isOn],
    ] as const) {
      await car.publishValue("plugged", plugged);
      await shared.home.until(charges);
    }
    await expectSent("ON", "OFF", "ON");
  });

  test("two automations charge two cars, one of them by a number", async () => {
    await say("rouge", "bleu");
    const second = { memory: "input_boolean.second_memory", colors: ["rouge"] };
    await use("fr", {}, { charger: "switch.number_charger", ...second });
    await shared.home.until({ "number.car_current": "16", "input_boolean.second_memory": "on", ...isOff });
    await say("bleu", "bleu");
    await shared.home.until({ "number.car_current": "0", "input_boolean.second_memory": "off", ...isOn });
    await expectMessages(shared, ["car/current", from], ["16", "0"]);
    await expectSent("ON");
  });

  test("a charger that is renamed is left alone until its owner names it anew", async () => {
    await use("en");
    await shared.home.until(isOn);
    const rename = (entity_id: string, new_entity_id: string) =>
      shared.home.ask("config/entity_registry/update", { entity_id, new_entity_id });
    await rename(CHARGER, "switch.wallbox");
    await shared.home.until({ [CHARGER]: null, "switch.wallbox": "on" });
    await shared.setLocalTime("06:01:00");
    await use("en");
    await expectSent("ON");
    await use("en", { charger: "switch.wallbox" });
    await shared.home.until({ "switch.wallbox": "off", [MEMORY]: "off" });
    await rename("switch.wallbox", CHARGER);
    await expectSent("ON", "OFF");
    await expectNoComplaints(shared.home, mark);
  });

  test("a charger that does not obey is told again", async () => {
    await shared.home.call("input_boolean", "turn_on", { entity_id: "input_boolean.second_memory" });
    await car.publishValue("third", "ON");
    await shared.home.until({ "switch.car_third": "on" });
    const second = { memory: "input_boolean.second_memory", colors: [] };
    await load("en", { charger: "switch.car_other" }, { charger: "switch.car_third", ...second });
    await mention();
    await expectMessages(shared, ["car/other/set", from], ["ON"]);
    await expectMessages(shared, ["car/third/set", from], ["OFF"]);
    const hasEnded = ({ attributes }: State) => attributes["current"] === 0;
    await shared.home.until({
      [`automation.charging_${automations - 1}`]: hasEnded,
      [`automation.charging_${automations}`]: hasEnded,
    });
    await shared.home.until({ [MEMORY]: "off", "input_boolean.second_memory": "on" });
    await mention();
    await expectMessages(shared, ["car/other/set", from], ["ON", "ON"]);
    await expectMessages(shared, ["car/third/set", from], ["OFF", "OFF"]);
    await car.publishValue("other", "ON");
    await car.publishValue("third", "OFF");
    await shared.home.until({ [MEMORY]: "on", "input_boolean.second_memory": "off" });
  });
});

/** What is sent to the device is its state. */
function echoing(topic: string): Record<string, unknown> {
  return { state_topic: `car/${topic}`, command_topic: `car/${topic}`, retain: true };
}

/** Chargers whose state the test publishes. */
const OTHERS = ["other", "third"];
const byHand = (name: string) => ({
  platform: "switch",
  name,
  command_topic: `car/${name}/set`,
  state_topic: `car/${name}`,
});

/** In minutes. */
const SHORT = 0.04;
