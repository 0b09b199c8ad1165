import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openHome, type SharedHome } from "./shared-home.ts";

const SHIPPED = join(import.meta.dirname, "..", "..", "config", "homeassistant", "en");

export type Inputs = Record<string, unknown>;

/** A Home Assistant with the shipped blueprints, where it is early in the evening. */
export interface BlueprintHome extends SharedHome {
  /** Takes another set of automations, by their ids: the blueprint and its inputs. */
  use: (automations: Record<string, [blueprint: string, inputs: Inputs]>) => Promise<void>;
  /** What a template says in it. */
  render: (template: string) => Promise<string>;
}

let shared: Promise<BlueprintHome> | undefined;

export function blueprintHome(): Promise<BlueprintHome> {
  shared ??= open();
  return shared;
}

async function open(): Promise<BlueprintHome> {
  const names = readdirSync(SHIPPED).filter((name) => name.endsWith(".yaml"));
  const files = names.map((name) => [
    `blueprints/automation/vigie/${name}`,
    readFileSync(join(SHIPPED, name), "utf8"),
  ]);
  const { home, ...rest } = await openHome({
    timeZone: zoneAt(19),
    lines: [
      "automation: !include automations.yaml",
      "input_boolean: {boiler_memory: }",
      "input_number: {preheat_memory: {min: 0, max: 100}}",
      `template: ${JSON.stringify([{ switch: [slowSwitch] }])}`,
    ],
    files: { ...Object.fromEntries(files), "automations.yaml": "[]" },
  });
  const use: BlueprintHome["use"] = async (automations) => {
    const list = Object.entries(automations).map(([id, [blueprint, input]]) => ({
      id,
      alias: id,
      use_blueprint: { path: `vigie/${blueprint}.yaml`, input },
    }));
    await home.writeFile("automations.yaml", JSON.stringify(list));
    await home.call("automation", "reload");
    await home.until(Object.fromEntries(list.map(({ id }) => [`automation.${id}`, "on"])));
  };
  const render = (template: string) => home.text("/api/template", { template });
  return { home, ...rest, use, render };
}

/** `switch.slow_boiler` is the boiler's relay behind a bridge that takes its time. */
const slowSwitch = {
  name: "slow_boiler",
  state: "{{ is_state('switch.boiler_relay', 'on') }}",
  turn_on: slowly("ON"),
  turn_off: slowly("OFF"),
};

function slowly(payload: string): object[] {
  const sent = { action: "mqtt.publish", data: { topic: "boiler/set", payload, retain: true } };
  return [{ delay: { milliseconds: 500 } }, sent];
}

/** A time zone in which it is this hour now: an evening does not wait for the evening. */
function zoneAt(hour: number): string {
  const ahead = hour - new Date().getUTCHours();
  const offset = ahead > 14 ? ahead - 24 : ahead;
  return offset < 0 ? `Etc/GMT+${-offset}` : `Etc/GMT-${offset}`;
}

/** Waits until exactly these payloads have arrived on a topic since a position in the received messages. */
export async function expectMessages(
  shared: SharedHome,
  [topic, from]: [topic: string, from: number],
  wanted: readonly string[],
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
