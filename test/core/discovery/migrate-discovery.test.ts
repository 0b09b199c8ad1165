import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DeviceDescription } from "../../../src/core/discovery/describe-device.ts";
import { readFoundMessages } from "../../../src/core/discovery/found-messages.ts";
import { migrateDiscovery, removeAll, type Step } from "../../../src/core/discovery/migrate-discovery.ts";
import { testDescription } from "../../support/device-description.ts";
import { runs } from "../../support/long.ts";
import { createHomeAssistantModel, type HomeAssistantModel } from "./home-assistant-model.ts";

const DEVICE = "homeassistant/device/vigie/config";
const ALL = testDescription();
const KEYS = ["now_color", "rouge_now", "refresh", "week"];

/** An instance with these keys only, one of them on another platform if it moved. */
function instance(
  mode: DeviceDescription["mode"],
  keys: readonly string[],
  { language = "en", moved = false } = {},
): DeviceDescription {
  const base = testDescription({ discovery: mode, language: language as "en" });
  const platform = (key: string) => (moved && key === "week" ? "number" : "sensor");
  const components = keys.map((key) => [
    key,
    { ...(base.components[key] ?? { name: language }), platform: platform(key) },
  ]);
  return { ...base, components: Object.fromEntries(components) };
}

function stepsTo(model: HomeAssistantModel, wanted: DeviceDescription, expires = true): Step[] {
  return migrateDiscovery(readFoundMessages(model.retained, wanted.place), wanted, expires);
}

function migrate(model: HomeAssistantModel, wanted: DeviceDescription, expires = true): Step[] {
  const steps = stepsTo(model, wanted, expires);
  for (const step of steps) model.receive(step);
  if (expires) model.expire();
  return steps;
}

function summarize(steps: readonly Step[]): string[] {
  return steps.map((step) =>
    step
      .map(({ topic, payload }) => `${topic.replace("homeassistant/", "")} ${describePayload(payload)}`)
      .join(", "),
  );
}

function describePayload(payload: string): string {
  if (payload === "") return "-";
  const { migrate_discovery, components } = JSON.parse(payload);
  if (migrate_discovery) return "migrate";
  if (!components) return "entity";
  return Object.entries<object>(components)
    .map(([key, rest]) => (Object.keys(rest).length === 1 ? `(${key})` : key))
    .join("+");
}

describe("the steps to the wanted discovery messages", () => {
  test.each<[title: string, from: DeviceDescription, to: DeviceDescription, steps: string[]]>([
    ["no step where the broker holds them", instance("device", ["a"]), instance("device", ["a"]), []],
    [
      "a changed name",
      instance("device", ["a"]),
      instance("device", ["a"], { language: "fr" }),
      ["device/vigie/config a"],
    ],
    ["an added key", instance("device", ["a"]), instance("device", ["a", "b"]), ["device/vigie/config a+b"]],
    [
      "a removed key, in two steps",
      instance("device", ["a", "b"]),
      instance("device", ["a"]),
      ["device/vigie/config a+(b)", "device/vigie/config a"],
    ],
    [
      "a key on another platform, removed and added",
      instance("device", ["a", "week"]),
      instance("device", ["a", "week"], { moved: true }),
      ["device/vigie/config a+(week)", "device/vigie/config a+week"],
    ],
    [
      "single messages instead of the device",
      instance("device", ["a", "b"]),
      instance("components", ["a", "b"]),
      ["device/vigie/config migrate", "sensor/vigie/a/config entity, sensor/vigie/b/config entity"],
    ],
    [
      "single messages, and a removed key",
      instance("device", ["a", "b"]),
      instance("components", ["a"]),
      [
        "device/vigie/config a+(b)",
        "device/vigie/config a",
        "device/vigie/config migrate",
        "sensor/vigie/a/config entity",
      ],
    ],
    [
      "the device instead of single messages, and a removed key",
      instance("components", ["a", "b"]),
      instance("device", ["a"]),
      ["sensor/vigie/b/config -, sensor/vigie/a/config migrate", "device/vigie/config a"],
    ],
    [
      "a removed single message",
      instance("components", ["a", "b"]),
      instance("components", ["a"]),
      ["sensor/vigie/b/config -"],
    ],
    ["discovery switched off", instance("device", ["a"]), instance("off", []), ["device/vigie/config -"]],
  ])("%s", (_, from, to, steps) => {
    const model = createHomeAssistantModel();
    migrate(model, from);
    expect(summarize(migrate(model, to))).toEqual(steps);
    expect(model.complaints).toEqual([]);
  });

  test("clear a migration where the broker does not expire messages (MQTT 3.1.1)", () => {
    const model = createHomeAssistantModel();
    migrate(model, instance("components", ["a"]), false);
    expect(summarize(migrate(model, instance("device", ["a"]), false)).at(-1)).toBe(
      "sensor/vigie/a/config -",
    );
    expect(summarize(migrate(model, instance("components", ["a"]), false)).at(-1)).toBe(
      "device/vigie/config -",
    );
    expect([...model.retained.keys()]).toEqual(["homeassistant/sensor/vigie/a/config"]);
  });

  const anyInstance = fc
    .record({
      mode: fc.constantFrom("device", "components", "off"),
      keys: fc.subarray(KEYS),
      language: fc.constantFrom("fr", "en"),
      moved: fc.boolean(),
    })
    .map(({ mode, keys, ...more }) => instance(mode as DeviceDescription["mode"], keys, more));

  test("lead to exactly the wanted entities, without a lost history or a complaint, wherever an earlier run was cut off", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyInstance, fc.nat({ max: 4 })), { maxLength: 5 }),
        anyInstance,
        (history, last) => {
          const model = createHomeAssistantModel();
          for (const [wanted, cut] of history)
            for (const step of stepsTo(model, wanted).slice(0, cut)) model.receive(step);
          const before = new Set(model.entities.keys());
          model.removed.length = 0;
          migrate(model, last);
          const wanted =
            last.mode === "off"
              ? []
              : Object.entries(last.components).map(([key, { platform }]) => `${platform} ${key}`);
          const described = [...model.entities].filter(([, by]) => by !== null).map(([id]) => id);
          expect(described.toSorted()).toEqual(wanted.toSorted());
          expect(model.removed.filter((id) => wanted.includes(id) && before.has(id))).toEqual([]);
          expect(model.complaints).toEqual([]);
          expect(migrate(model, last)).toEqual([]);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test("removeAll clears every message", () => {
    const model = createHomeAssistantModel();
    migrate(model, ALL);
    for (const step of removeAll(readFoundMessages(model.retained, ALL.place), ALL.place))
      model.receive(step);
    expect([model.retained.size, model.entities.size]).toEqual([0, 0]);
  });

  test.each([
    ["somebody else's entity on a node of that name", "homeassistant/sensor/vigie/x/config", '{"name":"x"}'],
    ["junk", "homeassistant/sensor/vigie/x/config", "{"],
    ["another instance", "homeassistant/sensor/vigie_2/x/config", '{"origin":{"name":"vigie"}}'],
    ["another topic", "homeassistant/sensor/vigie/x/state", '{"origin":{"name":"vigie"}}'],
  ])("never touch %s", (_, topic, payload) => {
    const model = createHomeAssistantModel();
    model.retained.set(topic, payload);
    migrate(model, instance("device", ["a"]));
    migrate(model, instance("off", []));
    expect([...model.retained]).toEqual([[topic, payload]]);
  });

  test("replace a device message that is not vigie's", () => {
    const model = createHomeAssistantModel();
    model.retained.set(DEVICE, "junk");
    expect(summarize(migrate(model, instance("device", ["a"])))).toEqual(["device/vigie/config a"]);
  });
});
