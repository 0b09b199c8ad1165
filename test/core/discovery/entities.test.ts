import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as mdi from "@mdi/js";
import { describe, expect, test } from "vitest";
import { writeMessages } from "../../../src/core/discovery/discovery-messages.ts";
import { keyOf, listEntities } from "../../../src/core/discovery/entities.ts";
import { components, OUTPUTS, RULES, testDescription } from "../../support/device-description.ts";

/** What Home Assistant takes from each platform's components; any other key it drops without a word. */
const COMMON = [
  ...["platform", "unique_id", "default_entity_id", "name", "availability_topic", "icon"],
  ...["entity_category", "enabled_by_default", "json_attributes_topic"],
];
const MEASURED = ["unit_of_measurement", "state_class", "suggested_display_precision"];
const KEYS: Record<string, string[]> = {
  sensor: ["state_topic", "device_class", "options", "value_template", ...MEASURED],
  binary_sensor: ["state_topic", "device_class"],
  switch: ["state_topic", "command_topic"],
  number: ["state_topic", "command_topic", "min", "max", "step", "mode", "unit_of_measurement"],
  select: ["state_topic", "command_topic", "options"],
  button: ["command_topic"],
  event: ["state_topic", "event_types"],
};

describe("the table of entities", () => {
  // A moved id breaks dashboards, automations and years of history: it is a breaking change, and this file says so.
  test("has ids that never change", () => {
    const golden = readFileSync(join(import.meta.dirname, "ids.txt"), "utf8")
      .trimEnd()
      .split("\n");
    const ids = components().map(
      ([key, { default_entity_id, unique_id, state_topic = "-" }]) =>
        `${key} ${default_entity_id} ${unique_id} ${state_topic}`,
    );
    expect(ids.toSorted()).toEqual(golden);
  });

  test("has ids, topics and states that do not depend on the language", () => {
    const plain = (language: "fr" | "en") =>
      components({ language }).map(([key, { name: _, ...rest }]) => [key, rest]);
    expect(plain("fr")).toEqual(plain("en"));
  });

  test("names every entity in both languages, no two alike, none after the device", () => {
    for (const language of ["fr", "en"] as const) {
      const names = components({ language }).map(([, { name }]) => String(name));
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => !/^[\p{Lu}]/u.test(name) || /^vigie/i.test(name))).toEqual([]);
    }
  });

  test("follows keys, unique ids and entity ids from the topic and the instance", () => {
    for (const entity of listEntities(RULES, OUTPUTS)) {
      const key = keyOf(entity);
      const component = testDescription({ instance: "la_mer" }).components[key];
      expect(key).toMatch(/^[a-z0-9_]+$/);
      expect(component?.["unique_id"]).toBe(`la_mer_${key}`);
      expect(component?.["default_entity_id"]).toBe(`${component?.platform}.la_mer_${key}`);
    }
  });

  test.each(components())("says of %s only what Home Assistant knows of its platform", (_, component) => {
    expect(
      Object.keys(component).filter((key) => ![...COMMON, ...(KEYS[component.platform] ?? [])].includes(key)),
    ).toEqual([]);
  });

  test.each(components())("gives %s a unit, a class and states that go together", (_, component) => {
    const { device_class, state_class, unit_of_measurement, options, entity_category, platform } = component;
    expect(Boolean(options)).toBe(device_class === "enum" || platform === "select");
    if (["enum", "date", "timestamp"].includes(String(device_class))) {
      expect([state_class, unit_of_measurement]).toEqual([undefined, undefined]);
    }
    if (device_class === "duration") expect(unit_of_measurement).toBe("d");
    if (state_class) expect(component["suggested_display_precision"]).toBeTypeOf("number");
    if (platform === "binary_sensor") expect([undefined, "problem"]).toContain(device_class);
    if (platform === "sensor" || platform === "binary_sensor") expect(entity_category).not.toBe("config");
  });

  test("has icons that exist", () => {
    const icons = components().flatMap(([, { icon }]) => (typeof icon === "string" ? [icon] : []));
    const exported = (icon: string) =>
      `mdi${icon.slice("mdi:".length).replaceAll(/(^|-)(\w)/g, (_, _dash, letter) => letter.toUpperCase())}`;
    expect(icons.filter((icon) => !(/^mdi:[a-z0-9-]+$/.test(icon) && exported(icon) in mdi))).toEqual([]);
  });

  test.each<[key: string, isLasting: boolean]>([
    ["now_color", false],
    ["rouge_hp_now", false],
    ["rules_week_state", false],
    ["outputs_boiler_state", false],
    ["service_status", false],
    ["refresh", false],
    ["rules_week_threshold", false],
    ["simulation_color", false],
    ["next_change_rate", true],
    ["next_rouge_date", true],
    ["yesterday_color", true],
    ["prices_rouge_hp", true],
    ["season_left_rouge", true],
    ["rules_week_next_on", true],
    ["forecast", true],
  ])("lets %s outlive vigie: %s", (key, isLasting) => {
    expect(testDescription().components[key]?.["availability_topic"]).toBe(
      isLasting ? undefined : "vigie/availability",
    );
  });

  test("shows the JSON parents as the attributes of what they are about", () => {
    const attributes = components().flatMap(([key, { json_attributes_topic: topic }]) =>
      topic ? [`${key} ${topic}`] : [],
    );
    const days = ["now", "next", "today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7", "yesterday"];
    expect(attributes.toSorted()).toEqual(
      [
        ...days.map((day) => `${day}_color vigie/${day}`),
        ...["forecast vigie/forecast", "season_label vigie/season", "service_status vigie/service"],
        ...["simulation_color vigie/simulation"],
        ...["rouge_peak", "week"].flatMap((id) => [
          `rules_${id}_state vigie/rules/${id}`,
          `rules_${id}_next_on vigie/rules/${id}/plan`,
        ]),
        "outputs_boiler_state vigie/outputs/boiler",
      ].toSorted(),
    );
  });

  test("can be read by Domoticz and Gladys, too", () => {
    const keys = components().map(([key]) => key);
    const skipped =
      /(_min|_max)$|^(min|max)_|_sensitivity|_alarm|_calibration|_address|^(last_seen|log_level|restart)$/;
    expect(keys.filter((key) => skipped.test(key))).toEqual([]);
    expect(keys.length).toBeLessThan(200);
  });

  test("leaves out what its owner excludes", () => {
    const keys = components({ exclude: ["now_color", "refresh"] }).map(([key]) => key);
    expect(keys).not.toContain("now_color");
    expect(keys).toHaveLength(components().length - 2);
  });
});

describe("the messages", () => {
  test("are one for the device, with nothing at its root that Home Assistant refuses", () => {
    const [message, ...rest] = writeMessages(testDescription());
    expect(rest).toEqual([]);
    expect(message?.topic).toBe("homeassistant/device/vigie/config");
    expect(Buffer.byteLength(message?.payload ?? "")).toBeLessThan(64 * 1024);
    const { components: all, ...root } = JSON.parse(message?.payload ?? "");
    expect(root).toEqual({
      device: {
        identifiers: ["vigie_vigie"],
        name: "Vigie",
        manufacturer: "vigie",
        model: "Colour days",
        sw_version: "1.2.3",
      },
      origin: { name: "vigie", sw_version: "1.2.3" },
      qos: 1,
    });
    expect(all).toEqual(testDescription().components);
  });

  test("are one for each component where that is asked for, at the same key", () => {
    const messages = writeMessages(testDescription({ discovery: "components" }));
    expect(messages).toHaveLength(components().length);
    const color = messages.find(({ topic }) => topic === "homeassistant/sensor/vigie/now_color/config");
    const { device, origin, qos, ...rest } = JSON.parse(color?.payload ?? "");
    expect({ platform: "sensor", ...rest }).toEqual(testDescription().components["now_color"]);
    expect([device.name, origin.name, qos]).toEqual(["Vigie", "vigie", 1]);
  });

  test("are none where nothing is to be announced", () => {
    expect(writeMessages(testDescription({ discovery: "off" }))).toEqual([]);
  });
});
