import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HomeAssistantConfig } from "../../src/config/config.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import { testDescription } from "../support/device-description.ts";
import { createCleanup } from "../support/vigie.ts";
import { expectNoComplaints } from "./complaints.ts";
import { gridWith } from "./energy-dashboard.ts";
import { withoutHomeAssistant } from "./home-assistant.ts";
import { RULES, startInHomeAssistant, type VigieInHomeAssistant } from "./vigie-in-home-assistant.ts";

describe.skipIf(withoutHomeAssistant)(`the entities of an installation ${withoutHomeAssistant}`, () => {
  const cleanup = createCleanup();
  let connected: VigieInHomeAssistant;
  let mark: number;

  beforeAll(async () => {
    connected = await startInHomeAssistant(cleanup, "seen");
    mark = await connected.home.mark();
  });
  afterAll(cleanup.run);

  const announced = (language: HomeAssistantConfig["language"]) =>
    Object.entries(
      testDescription({ instance: "seen", language, rules: rulesOptions.parse(RULES) }).components,
    );

  test.each(["fr", "en"] as const)(
    "have the ids, names, categories and units that were announced, in %s",
    async (language) => {
      await connected.configure({ homeassistant: { language } });
      const wanted = announced(language).map(
        ([key, { name, default_entity_id, unique_id, entity_category, enabled_by_default }]) => ({
          key,
          id: default_entity_id,
          unique_id,
          name,
          category: entity_category ?? null,
          disabled: enabled_by_default === false,
        }),
      );
      const entries = async () =>
        [...(await connected.entries()).values()].map((entry) => ({
          key: entry.unique_id.slice("seen_".length),
          id: entry.entity_id,
          unique_id: entry.unique_id,
          name: entry.original_name,
          category: entry.entity_category,
          disabled: entry.disabled_by !== null,
        }));
      const byKey = (list: { key: string }[]) =>
        list.toSorted((one, other) => one.key.localeCompare(other.key));
      await expect.poll(async () => byKey(await entries())).toEqual(byKey(wanted));
    },
  );

  test("show what the broker holds, each in its own terms", async () => {
    const wrong = async () => {
      const states = await connected.entities();
      return announced("en").flatMap(([, component]) => {
        const state = states.get(String(component["default_entity_id"]));
        if (component["enabled_by_default"] === false) return state ? [`${state.entity_id} is there`] : [];
        const payload = connected.observer.retained.get(String(component["state_topic"]));
        return isShown(component, payload, state?.state)
          ? []
          : [`${component["default_entity_id"]}: ${payload} is shown as ${state?.state}`];
      });
    };
    await expect.poll(wrong).toEqual([]);
  });

  test("carry units, classes and options", async () => {
    const states = await connected.entities();
    expect(states.get("sensor.seen_now_rate")?.attributes).toMatchObject({
      unit_of_measurement: "EUR/kWh",
      state_class: "measurement",
    });
    expect(states.get("sensor.seen_next_rouge_date")?.attributes["device_class"]).toBe("date");
    expect(states.get("sensor.seen_next_change_color")?.attributes["device_class"]).toBe("timestamp");
    expect(states.get("sensor.seen_now_color")?.attributes).toMatchObject({
      options: ["bleu", "blanc", "rouge"],
      color: expect.anything(),
      slot: expect.anything(),
    });
    expect(states.get("sensor.seen_season_left_rouge")?.attributes).toMatchObject({
      unit_of_measurement: "d",
      device_class: "duration",
    });
    expect(states.get("sensor.seen_forecast")?.attributes["days"]).toHaveLength(8);
    expect(states.get("binary_sensor.seen_rules_week_state")?.attributes).toMatchObject({
      because: expect.any(Array),
      since: expect.any(String),
    });
    expect(states.get("number.seen_rules_week_threshold")?.attributes).toMatchObject({
      min: 0,
      max: 100,
      mode: "slider",
    });
    expect(states.get("event.seen_event")?.attributes["event_types"]).toContain("announced");
  });

  test("give the Energy dashboard prices that it accepts", async () => {
    const meter = "sensor.seen_meter";
    await connected.home.post(`/api/states/${meter}`, {
      state: "12.5",
      attributes: { device_class: "energy", state_class: "total_increasing", unit_of_measurement: "kWh" },
    });
    const prices = [...(await connected.entities()).keys()].filter((id) =>
      /sensor\.seen_(now_rate|prices_\w+_h[pc])$/.test(id),
    );
    expect(prices).toHaveLength(7);
    for (const price of prices) {
      await connected.home.ask("energy/save_prefs", { energy_sources: [gridWith(meter, price)] });
      const found = (await connected.home.ask("energy/validate")) as {
        energy_sources: { type: string; affected_entities: unknown }[][];
      };
      const aboutPrice = found.energy_sources.flat().filter((issue) => JSON.stringify(issue).includes(price));
      expect(aboutPrice).toEqual([]);
    }
    await connected.home.ask("energy/save_prefs", { energy_sources: [] });
  });

  test("make no statistics that Home Assistant would complain of, and no line in its log", async () => {
    const issues = (await connected.home.ask("recorder/validate_statistics")) as Record<string, unknown>;
    expect(Object.keys(issues).filter((id) => id.includes("seen_") && id !== "sensor.seen_meter")).toEqual(
      [],
    );
    await expectNoComplaints(connected.home, mark);
  });

  test("come back when a user deletes one, with its state", async () => {
    await connected.home.ask("config/entity_registry/remove", { entity_id: "sensor.seen_now_slot" });
    await connected.home.until({ "sensor.seen_now_slot": null });
    await connected.home.call("mqtt", "publish", { topic: "homeassistant/status", payload: "online" });
    await connected.home.until({ "sensor.seen_now_slot": /_h[pc]$|unknown/ });
  });
});

/** Home Assistant's own word for the same value. */
function isShown(
  { platform, device_class, options }: Record<string, unknown>,
  payload: string | undefined,
  state: string | undefined,
): boolean {
  if (platform === "button" || platform === "event") return state !== undefined && state !== "unavailable";
  if (payload === "None") return state === "unknown";
  if (platform === "binary_sensor" || platform === "switch") return payload?.toLowerCase() === state;
  if (device_class === "timestamp")
    return (
      Date.parse(state ?? "") ===
      Date.parse(payload?.startsWith("{") ? JSON.parse(payload).updated_at : (payload ?? ""))
    );
  if (options || Number.isNaN(Number(payload))) return payload === state;
  return Number(payload) === Number(state);
}
