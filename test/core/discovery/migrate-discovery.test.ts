import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DeviceDescription } from "../../../src/core/discovery/describe-device.ts";
import { readFoundMessages } from "../../../src/core/discovery/found-messages.ts";
import { migrateDiscovery, removeAll, type Step } from "../../../src/core/discovery/migrate-discovery.ts";
import { testDescription } from "../../support/device-description.ts";
import { createModelHome, type ModelHome } from "../../support/model-home.ts";

const DEVICE = "homeassistant/device/vigie/config";
const ALL = testDescription();
const KEYS = ["now_color", "rouge_now", "refresh", "week"];

/** A small house: some keys, some of them on another platform, in one language or the other. */
function house(
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

function plan(home: ModelHome, wanted: DeviceDescription, expiring = true): Step[] {
  return migrateDiscovery(readFoundMessages(home.retained, wanted.place), wanted, expiring);
}

function settle(home: ModelHome, wanted: DeviceDescription, expiring = true): Step[] {
  const steps = plan(home, wanted, expiring);
  for (const step of steps) home.hear(step);
  if (expiring) home.expire();
  return steps;
}

function shape(steps: readonly Step[]): string[] {
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

describe("what Home Assistant is told", () => {
  test.each<[what: string, from: DeviceDescription, to: DeviceDescription, steps: string[]]>([
    ["nothing where it knows all", house("device", ["a"]), house("device", ["a"]), []],
    [
      "a new name",
      house("device", ["a"]),
      house("device", ["a"], { language: "fr" }),
      ["device/vigie/config a"],
    ],
    ["a new key", house("device", ["a"]), house("device", ["a", "b"]), ["device/vigie/config a+b"]],
    [
      "a key that goes, in two steps",
      house("device", ["a", "b"]),
      house("device", ["a"]),
      ["device/vigie/config a+(b)", "device/vigie/config a"],
    ],
    [
      "a key that moves to another platform, as one that goes and one that comes",
      house("device", ["a", "week"]),
      house("device", ["a", "week"], { moved: true }),
      ["device/vigie/config a+(week)", "device/vigie/config a+week"],
    ],
    [
      "single ones instead of the device",
      house("device", ["a", "b"]),
      house("components", ["a", "b"]),
      ["device/vigie/config migrate", "sensor/vigie/a/config entity, sensor/vigie/b/config entity"],
    ],
    [
      "single ones, one of them not wanted any more",
      house("device", ["a", "b"]),
      house("components", ["a"]),
      [
        "device/vigie/config a+(b)",
        "device/vigie/config a",
        "device/vigie/config migrate",
        "sensor/vigie/a/config entity",
      ],
    ],
    [
      "a device instead of single ones",
      house("components", ["a", "b"]),
      house("device", ["a"]),
      ["sensor/vigie/b/config -, sensor/vigie/a/config migrate", "device/vigie/config a"],
    ],
    [
      "one single entity less",
      house("components", ["a", "b"]),
      house("components", ["a"]),
      ["sensor/vigie/b/config -"],
    ],
    [
      "that nothing is announced any more",
      house("device", ["a"]),
      house("off", []),
      ["device/vigie/config -"],
    ],
  ])("is %s", (_, from, to, steps) => {
    const home = createModelHome();
    settle(home, from);
    expect(shape(settle(home, to))).toEqual(steps);
    expect(home.complaints).toEqual([]);
  });

  test("clears what handed over by itself where the broker lets nothing expire", () => {
    const home = createModelHome();
    settle(home, house("components", ["a"]), false);
    expect(shape(settle(home, house("device", ["a"]), false)).at(-1)).toBe("sensor/vigie/a/config -");
    expect(shape(settle(home, house("components", ["a"]), false)).at(-1)).toBe("device/vigie/config -");
    expect([...home.retained.keys()]).toEqual(["homeassistant/sensor/vigie/a/config"]);
  });

  const anyHouse = fc
    .record({
      mode: fc.constantFrom("device", "components", "off"),
      keys: fc.subarray(KEYS),
      language: fc.constantFrom("fr", "en"),
      moved: fc.boolean(),
    })
    .map(({ mode, keys, ...more }) => house(mode as DeviceDescription["mode"], keys, more));

  test("leaves exactly what is wanted, loses no history and makes no complaint, wherever it is cut off", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyHouse, fc.nat({ max: 4 })), { maxLength: 5 }),
        anyHouse,
        (history, last) => {
          const home = createModelHome();
          for (const [wanted, cut] of history)
            for (const step of plan(home, wanted).slice(0, cut)) home.hear(step);
          const before = new Set(home.entities.keys());
          home.forgotten.length = 0;
          settle(home, last);
          const wanted =
            last.mode === "off"
              ? []
              : Object.entries(last.components).map(([key, { platform }]) => `${platform} ${key}`);
          const spoken = [...home.entities].filter(([, by]) => by !== null).map(([id]) => id);
          expect(spoken.toSorted()).toEqual(wanted.toSorted());
          expect(home.forgotten.filter((id) => wanted.includes(id) && before.has(id))).toEqual([]);
          expect(home.complaints).toEqual([]);
          expect(settle(home, last)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("is taken back whole", () => {
    const home = createModelHome();
    settle(home, ALL);
    for (const step of removeAll(readFoundMessages(home.retained, ALL.place), ALL.place)) home.hear(step);
    expect([home.retained.size, home.entities.size]).toEqual([0, 0]);
  });

  test.each([
    ["somebody else's entity on a node of that name", "homeassistant/sensor/vigie/x/config", '{"name":"x"}'],
    ["junk", "homeassistant/sensor/vigie/x/config", "{"],
    ["another instance", "homeassistant/sensor/vigie_2/x/config", '{"origin":{"name":"vigie"}}'],
    ["another topic", "homeassistant/sensor/vigie/x/state", '{"origin":{"name":"vigie"}}'],
  ])("never touches %s", (_, topic, payload) => {
    const home = createModelHome();
    home.retained.set(topic, payload);
    settle(home, house("device", ["a"]));
    settle(home, house("off", []));
    expect([...home.retained]).toEqual([[topic, payload]]);
  });

  test("says a device anew where what is there is no message of vigie's", () => {
    const home = createModelHome();
    home.retained.set(DEVICE, "junk");
    expect(shape(settle(home, house("device", ["a"])))).toEqual(["device/vigie/config a"]);
  });
});
