import type { Draw } from "./draw.ts";
import { BROKER_PASSWORD } from "./generate-outputs.ts";
import type { HouseConfig, ScriptEvent } from "./scenario.ts";

/** The broker is killed, and comes up with what it wrote to its disk some time before: mosquitto does so every half an hour. */
export function rollBack({ one }: Draw, at: number, length: number, events: ScriptEvent[]): void {
  const age = one([1, 60, 600, 1_800, 1_800, 10_800] as const);
  events.push({ at: Math.max(2, at - age), kind: "broker saves" });
  events.push({
    at,
    kind: "broker",
    how: one(["killed", "killed", "frozen"] as const),
    for: length,
    retained: "saved",
  });
}

/**
 * The password of the broker is changed, and changed back; or the owner writes the new one into the configuration in force, which is added
 * to these, and later everybody may connect again. Returns how long it takes.
 */
export function changePassword(
  { one, chance }: Draw,
  at: number,
  length: number,
  { events, configs }: { events: ScriptEvent[]; configs: HouseConfig[] },
): number {
  const isEdited = chance(0.5);
  const lasts = isEdited ? length + 600 : length;
  const code = one(["bad password", "not authorised"] as const);
  events.push({ at, kind: "password", password: BROKER_PASSWORD, code, cuts: chance(0.6), for: lasts });
  if (isEdited) {
    const edits = events.filter((event) => event.kind === "edit" && event.at <= at);
    const last = edits.at(-1);
    const config = configs[last?.kind === "edit" ? last.config : 0]!;
    const mqtt = { ...(config["mqtt"] as object), username: "vigie", password: BROKER_PASSWORD };
    events.push({ at: at + length, kind: "edit", config: configs.push({ ...config, mqtt }) - 1 });
  }
  return lasts;
}
