import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  DEVICE_KINDS,
  DEVICE_USES,
  type Device,
  deviceOutput,
  RULE_TEMPLATES,
} from "../../src/config/device-templates.ts";
import { examplesBelow } from "../guides/page-blocks.ts";
import { readPage } from "../support/guide.ts";
import { loadText } from "./folder.ts";

const PAGE = readPage("docs/devices.md");
const BOILER = { id: "boiler", when: "rouge_peak" };

/** The part of docs/devices.md, and the device that it has. */
const DOCUMENTED: [title: string, Device][] = [
  ["Shelly, first generation", { kind: "shelly_gen1", place: "shellies/shelly1pm-A4CF12F3C5D6" }],
  ["Shelly, second generation and later", { kind: "shelly_gen2", place: "shellyplus1pm-a8032ab12345" }],
  ["Tasmota", { kind: "tasmota", place: "boiler" }],
  ["zigbee2mqtt", { kind: "zigbee2mqtt", place: "zigbee2mqtt/boiler_plug" }],
  ["ESPHome", { kind: "esphome", place: "boiler" }],
  ["OpenBeken", { kind: "openbeken", place: "obk_boiler" }],
];

const OTHER: Device = { kind: "other", topic: "pump/set", payload: "17", otherwise: "20", report: "pump" };

/** Devices with more than one relay, and others. */
const MORE: Device[] = [
  { kind: "shelly_gen1", place: "shellies/shellyswitch25-1", relay: "1" },
  { kind: "shelly_gen2", place: "shellyplus2pm-1", relay: "1" },
  { kind: "tasmota", place: "strip", relay: "2" },
  { kind: "zigbee2mqtt", place: "zigbee2mqtt/Prise double", relay: "l2" },
  { kind: "esphome", place: "boiler", relay: "pool" },
  { kind: "openbeken", place: "obk", relay: "3" },
  OTHER,
  { kind: "other", topic: "pump/set", payload: "off" },
];

describe("the templates of devices", () => {
  test.each(DOCUMENTED)("give the lines of docs/devices.md over MQTT: %s", (title, device) => {
    const [overMqtt] = examplesBelow(PAGE, title);
    const { name: _, ...rule } = RULE_TEMPLATES.rouge_peak;
    expect({ rules: [rule], outputs: [deviceOutput(BOILER, device)] }).toEqual(overMqtt);
  });

  test("have each kind once, and a place for any other device", () => {
    expect([...DOCUMENTED.map(([, { kind }]) => kind), "other"]).toEqual([...DEVICE_KINDS]);
  });

  test("name the relay in every topic and payload that is its own", () => {
    const relays = MORE.map((device) => JSON.stringify(deviceOutput(BOILER, device)));
    expect(relays[0]).toContain('"shellies/shellyswitch25-1/relay/1/command"');
    expect(relays[0]).toContain('"shellies/shellyswitch25-1/relay/1"');
    expect(relays[1]).toContain('"params":{"id":1,"on":false}');
    expect(relays[1]).toContain('"shellyplus2pm-1/status/switch:1"');
    expect(relays[2]).toContain('"cmnd/strip/POWER2"');
    expect(relays[2]).toContain('"stat/strip/POWER2"');
    expect(relays[3]).toContain('{"state_l2":"OFF"}');
    expect(relays[4]).toContain('"boiler/switch/pool/state"');
    expect(relays[5]).toContain('"obk/3/get"');
  });

  test("write another device as its owner describes it", () => {
    expect(deviceOutput({ ...BOILER, name: { fr: "Pompe", en: "Pump" } }, OTHER)).toEqual({
      id: "boiler",
      name: { fr: "Pompe", en: "Pump" },
      topic: "pump/set",
      choose: [{ when: "rouge_peak", payload: "17" }],
      else: "20",
      confirm: { topic: "pump", keep: true },
    });
  });

  test.each([...DOCUMENTED.map(([, device]) => device), ...MORE])(
    "are a configuration that loads without a warning: %j",
    async (device) => {
      const names = { id: "boiler", name: DEVICE_USES.boiler.name, when: "rouge_peak" };
      const given = {
        service: { base_url: "none" },
        official: { source: "rte" },
        mqtt: { url: "mqtt://192.0.2.10" },
        rules: [RULE_TEMPLATES.rouge_peak],
        outputs: [deviceOutput(names, device)],
      };
      const { config, warnings } = await loadText(JSON.stringify(given));
      expect(config.outputs.list).toMatchObject([{ id: "boiler" }]);
      expect(warnings).toEqual([]);
    },
  );
});

describe("the templates of rules", () => {
  test("are those of the shipped file, where it has them", () => {
    const shipped: { id: string }[] = parse(readPage("config/vigie.yaml")).rules;
    const { rouge_ahead, rouge_peak } = RULE_TEMPLATES;
    expect(shipped).toEqual(expect.arrayContaining([rouge_ahead, rouge_peak]));
  });

  test("are right for every use", async () => {
    const rules = Object.values(RULE_TEMPLATES);
    const given = {
      service: { base_url: "https://days.example" },
      mqtt: { url: "mqtt://192.0.2.10" },
      rules,
    };
    const { config, warnings } = await loadText(JSON.stringify(given));
    expect(warnings).toEqual([]);
    const ids = config.rules.map(({ id }) => id);
    for (const { rule } of Object.values(DEVICE_USES)) expect(ids).toContain(rule.id);
  });
});
