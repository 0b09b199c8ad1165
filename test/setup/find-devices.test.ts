import { describe, expect, test } from "vitest";
import { deviceOutput } from "../../src/config/device-templates.ts";
import { findDevices } from "../../src/setup/find-devices.ts";
import { MQTT_DEVICES } from "../support/devices/mqtt-devices.ts";

const find = (seen: Record<string, string>) => findDevices(new Map(Object.entries(seen)));

const PLUGS = JSON.stringify([
  { friendly_name: "Coordinator", type: "Coordinator", definition: null },
  { friendly_name: "boiler_plug", definition: { exposes: [switchOf("state"), { type: "numeric" }] } },
  { friendly_name: "Prise double", definition: { exposes: [switchOf("state_l1"), switchOf("state_l2")] } },
  { friendly_name: "lamp", definition: { exposes: [{ type: "light", features: [{ property: "state" }] }] } },
  { friendly_name: 7, definition: { exposes: "none" } },
]);

describe("the devices on a broker", () => {
  test.each([
    [
      { "shellies/s1/relay/0": "on", "shellies/s1/online": "true" },
      [{ kind: "shelly_gen1", place: "shellies/s1", relay: "0" }],
    ],
    [{ "shellies/s1/online": "true" }, [{ kind: "shelly_gen1", place: "shellies/s1" }]],
    [{ "plus-1/status/switch:0": '{"id":0}' }, [{ kind: "shelly_gen2", place: "plus-1", relay: "0" }]],
    [{ "plus-1/online": "true" }, [{ kind: "shelly_gen2", place: "plus-1" }]],
    [{ "tele/boiler/LWT": "Online" }, [{ kind: "tasmota", place: "boiler" }]],
    [
      { "tele/strip/LWT": "Online", "stat/strip/POWER1": "ON", "stat/strip/POWER2": "OFF" },
      [
        { kind: "tasmota", place: "strip", relay: "1" },
        { kind: "tasmota", place: "strip", relay: "2" },
      ],
    ],
    [
      { "boiler/switch/pool/state": "ON", "boiler/status": "online" },
      [{ kind: "esphome", place: "boiler", relay: "pool" }],
    ],
    [{ "obk/connected": "online" }, [{ kind: "openbeken", place: "obk" }]],
    [
      { "zigbee2mqtt/bridge/devices": PLUGS },
      [
        { kind: "zigbee2mqtt", place: "zigbee2mqtt/boiler_plug" },
        { kind: "zigbee2mqtt", place: "zigbee2mqtt/Prise double", relay: "l1" },
        { kind: "zigbee2mqtt", place: "zigbee2mqtt/Prise double", relay: "l2" },
      ],
    ],
  ])("are found by what they publish: %j", (seen: Record<string, string>, devices) => {
    expect(find(seen)).toEqual(devices);
  });

  test("are none where others publish something else on such topics, or vigie itself", () => {
    const seen = {
      "shellies/s1/relay/0": "unknown",
      "tele/boiler/LWT": "gone",
      "a/switch/b/state": '{"state":"ON"}',
      "vigie/availability/online": "true",
      "zigbee2mqtt/bridge/devices": "[{",
      "z2m/bridge/devices": JSON.stringify([
        { friendly_name: null, definition: { exposes: [switchOf("state")] } },
      ]),
      "zigbee2mqtt/bridge/state": "online",
    };
    expect(find(seen)).toEqual([]);
  });

  test("are none whose topics would act on a terminal, or stand in no configuration", () => {
    const names = ["\u001b[2J", "a\u202eb", "a\nb", "a+b", "#", "/", "$SYS", "x".repeat(201)];
    const seen = Object.fromEntries(names.map((name) => [`tele/${name}/LWT`, "Online"]));
    expect(find(seen)).toEqual([]);
    const list = names.map((name) => ({ friendly_name: name, definition: { exposes: [switchOf("state")] } }));
    const found = find({ "zigbee2mqtt/bridge/devices": JSON.stringify(list) });
    // A name of zigbee2mqtt may begin with $.
    expect(found).toEqual([{ kind: "zigbee2mqtt", place: "zigbee2mqtt/$SYS" }]);
  });

  test.each(Object.entries(MQTT_DEVICES).filter(([title]) => title !== "zigbee2mqtt"))(
    "are switched on the topic that their documentation names: %s",
    (_, { takes, isThere, reports }) => {
      const seen = [isThere, ...reports(true, null, true)].map(({ topic, ...said }) => [
        topic,
        "yes" in said ? said.yes : said.payload,
      ]);
      const [device] = find(Object.fromEntries(seen));
      if (!device) throw new Error("Expected a device, got none");
      expect(deviceOutput({ id: "boiler", when: "rouge_peak" }, device).topic).toBe(takes);
    },
  );
});

function switchOf(property: string) {
  return { type: "switch", features: [{ type: "binary", name: "state", property }] };
}
