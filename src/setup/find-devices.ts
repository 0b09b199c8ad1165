import type { KnownDevice } from "../config/device-templates.ts";
import { topic as topicSchema } from "../config/value-schemas.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import { oneLine } from "../runtime/escape-controls.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";

/** zigbee2mqtt publishes what it knows of its devices there. */
export function isDeviceList(topic: string): boolean {
  return topic.endsWith("/bridge/devices");
}

/**
 * The devices that speak as the templates say, by the topics and payloads that were seen. Each kind has topics that it
 * retains, or repeats within ten seconds, at least: that it is there.
 */
export function findDevices(seen: ReadonlyMap<string, string>): KnownDevice[] {
  const found = [...seen].flatMap(([topic, payload]) => (isPlain(topic) ? devicesOf(topic, payload) : []));
  const byName = new Map(
    found.filter(({ place }) => isPlain(place)).map((device) => [nameOf(device), device]),
  );
  // A device with several relays says so by their topics; that it is there says nothing of them.
  const withRelays = new Set(
    found.flatMap(({ relay, ...device }) => (relay === undefined ? [] : nameOf(device))),
  );
  const all = [...byName.values()].filter((one) => one.relay !== undefined || !withRelays.has(nameOf(one)));
  return all.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
}

/** `tasmota boiler 2` */
function nameOf({ kind, place, relay = "" }: KnownDevice): string {
  return `${kind} ${place} ${relay}`.trim();
}

/** It may stand in a configuration, is shown in a terminal as it is, and is none of vigie's own. */
function isPlain(topic: string): boolean {
  return topicSchema.safeParse(topic).success && oneLine(topic) === topic && !topic.startsWith("vigie/");
}

function devicesOf(topic: string, payload: string): KnownDevice[] {
  if (isDeviceList(topic)) return devicesOfZigbee(topic, payload);
  for (const { kind, pattern, says } of PATTERNS) {
    const [, place, relay] = pattern.exec(topic) ?? [];
    if (place !== undefined && says.test(payload)) return [{ kind, place, ...(relay && { relay }) }];
  }
  return [];
}

interface Pattern {
  kind: KnownDevice["kind"];
  /** Its first group is the place, its second the relay. */
  pattern: RegExp;
  says: RegExp;
}

/** The first that fits counts. */
const PATTERNS: readonly Pattern[] = [
  { kind: "shelly_gen1", pattern: /^(shellies\/[^/]+)\/relay\/(\d+)$/, says: /^(on|off|overpower)$/ },
  { kind: "shelly_gen1", pattern: /^(shellies\/[^/]+)\/online$/, says: /^(true|false)$/ },
  { kind: "shelly_gen2", pattern: /^(.+)\/status\/switch:(\d+)$/, says: /^\{/ },
  { kind: "shelly_gen2", pattern: /^((?!shellies\/).+)\/online$/, says: /^(true|false)$/ },
  { kind: "tasmota", pattern: /^stat\/([^/]+)\/POWER(\d*)$/, says: /^(ON|OFF)$/ },
  { kind: "tasmota", pattern: /^tele\/([^/]+)\/LWT$/, says: /^(Online|Offline)$/ },
  { kind: "esphome", pattern: /^(.+)\/switch\/([^/]+)\/state$/, says: /^(ON|OFF)$/ },
  { kind: "openbeken", pattern: /^(.+)\/(\d+)\/get$/, says: /^[01]$/ },
  { kind: "openbeken", pattern: /^(.+)\/connected$/, says: /^(online|offline)$/ },
];

/** Those that it can switch: with a state, or one for each of several relays (`state_l1`). */
function devicesOfZigbee(topic: string, payload: string): KnownDevice[] {
  const base = topic.slice(0, -"/bridge/devices".length);
  return listAt(parseJson(payload), []).flatMap((device) => {
    const name = valueAt(device, ["friendly_name"]);
    if (typeof name !== "string") return [];
    return statesOf(device).map((state): KnownDevice => {
      const relay = state.slice("state_".length);
      return { kind: "zigbee2mqtt", place: `${base}/${name}`, ...(relay && { relay }) };
    });
  });
}

function statesOf(device: unknown): string[] {
  return listAt(device, ["definition", "exposes"])
    .filter((exposed) => valueAt(exposed, ["type"]) === "switch")
    .flatMap((exposed) => listAt(exposed, ["features"]))
    .map((feature) => String(valueAt(feature, ["property"])))
    .filter((property) => /^state(_\w+)?$/.test(property));
}
