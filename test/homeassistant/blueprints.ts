import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { blocksOf, readPage } from "../support/guide.ts";
import { controlLocalTime, type LocalTime, secondsOf, timeZoneAt } from "./local-time.ts";
import { openHome, type SharedHome } from "./shared-home.ts";

export const SHIPPED = join(import.meta.dirname, "..", "..", "config", "homeassistant");

export const LANGUAGES = ["en", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];
export const BLUEPRINTS = [
  "announcement-alarm",
  "boiler",
  "charging",
  "energy",
  "evening-message",
  "preheat",
] as const;
export type Blueprint = (typeof BLUEPRINTS)[number];

export type Inputs = Record<string, unknown>;

/** A Home Assistant with both editions of the shipped blueprints, where it is early in the evening. */
export interface BlueprintHome extends SharedHome, LocalTime {
  /** Takes another set of automations, by their ids: the edition of a blueprint, such as `fr/boiler`, and its inputs. */
  use: (automations: Record<string, [edition: string, inputs: Inputs]>) => Promise<void>;
  /** Loads automations a few seconds before this local time, or earlier if this machine is slow. */
  loadBefore: (time: string, load: () => Promise<unknown>) => Promise<void>;
  /** What a template says in it. */
  render: (template: string) => Promise<string>;
}

let shared: Promise<BlueprintHome> | undefined;

export function blueprintHome(): Promise<BlueprintHome> {
  shared ??= open();
  return shared;
}

async function open(): Promise<BlueprintHome> {
  const files = LANGUAGES.flatMap((language) =>
    BLUEPRINTS.map((name) => [
      `blueprints/automation/${language}/${name}.yaml`,
      readFileSync(join(SHIPPED, language, `${name}.yaml`), "utf8"),
    ]),
  );
  const { home, ...rest } = await openHome({
    timeZone: FIRST_ZONE,
    lines: [
      "automation: !include automations.yaml",
      "input_boolean: {boiler_memory: , charging_memory: , second_memory: }",
      "input_number: {preheat_memory: {min: 0, max: 100}}",
      `template: ${JSON.stringify([{ switch: [slowSwitch, numberSwitch] }])}`,
    ],
    files: {
      ...Object.fromEntries(files),
      ...energyFiles(),
      "automations.yaml": "[]",
      [`zones/${FIRST_ZONE}`]: timeZoneAt("19:01:00"),
    },
  });
  const use: BlueprintHome["use"] = async (automations) => {
    const list = Object.entries(automations).map(([id, [edition, input]]) => ({
      id,
      alias: id,
      use_blueprint: { path: `${edition}.yaml`, input },
    }));
    await home.writeFile("automations.yaml", JSON.stringify(list));
    await home.call("automation", "reload");
    await home.until(Object.fromEntries(list.map(({ id }) => [`automation.${id}`, "on"])));
  };
  const render = (template: string) => home.text("/api/template", { template });
  const { setLocalTime, setTimeZone, restartAt } = controlLocalTime(home, FIRST_ZONE);
  const loadBefore: BlueprintHome["loadBefore"] = async (time, load) => {
    const began = Date.now();
    await use({});
    const seconds = 6 + Math.ceil((8 * (Date.now() - began)) / 1000);
    await setLocalTime(new Date((secondsOf(time) - seconds) * 1000).toISOString().slice(11, 19));
    await load();
  };
  return { home, ...rest, use, render, setLocalTime, setTimeZone, loadBefore, restartAt };
}

const FIRST_ZONE = "Test/First";

/** The package, its blueprint and the second package of docs/energy.md, as that page says; and meters that lack a tariff. */
function energyFiles(): Record<string, string> {
  const [secondPackage] = blocksOf(readPage("docs/energy.md")).filter(({ language }) => language === "yaml");
  const source = "sensor.grid_index";
  return {
    "packages/vigie_energy.yaml": readFileSync(join(SHIPPED, "packages", "en", "vigie_energy.yaml"), "utf8"),
    "packages/vigie_energy_periods.yaml": secondPackage?.text ?? "",
    "packages/incomplete.yaml": JSON.stringify({
      utility_meter: {
        without_rouge: { source, tariffs: ["other", "bleu_hp"] },
        without_other: { source, tariffs: ["bleu_hp", "rouge_hp"] },
      },
    }),
    "blueprints/automation/vigie/energy.yaml": readFileSync(join(SHIPPED, "en", "energy.yaml"), "utf8"),
  };
}

/** `switch.slow_boiler` is the boiler's relay behind a bridge that takes its time. */
const slowSwitch = {
  name: "slow_boiler",
  state: "{{ is_state('switch.boiler_relay', 'on') }}",
  turn_on: slowly("ON"),
  turn_off: slowly("OFF"),
};

/** `switch.number_charger` is the charger that docs/automations.md shows. */
const numberSwitch = {
  name: "number_charger",
  state: "{{ states('number.car_current') | float(0) > 0 }}",
  turn_on: setCurrent(16),
  turn_off: setCurrent(0),
};

function setCurrent(value: number): object[] {
  return [{ action: "number.set_value", target: { entity_id: "number.car_current" }, data: { value } }];
}

function slowly(payload: string): object[] {
  const sent = { action: "mqtt.publish", data: { topic: "boiler/set", payload, retain: true } };
  return [{ delay: { milliseconds: 500 } }, sent];
}

/** Waits until exactly these payloads have arrived on a topic since a position in the received messages. */
export async function expectMessages(
  shared: SharedHome,
  [topic, from]: [topic: string, from: number],
  wanted: readonly unknown[],
): Promise<void> {
  await settle(shared);
  const heard = () =>
    shared.observer.received
      .slice(from)
      .filter((message) => message.topic === topic)
      .map(({ payload }) => payload);
  await expect.poll(heard).toEqual(wanted);
}

/** Waits until Home Assistant has handled all earlier messages, and its own messages have arrived. */
export async function settle({ home, observer }: SharedHome): Promise<void> {
  await home.mark();
  await home.mark();
  const mark = `settled/${observer.received.length}`;
  await observer.publish(mark, "x", false);
  await observer.until(({ received }) => received.some(({ topic }) => topic === mark), "the mark came");
}
