import { keyOf, listEntities } from "../core/discovery/entities.ts";
import { lintRules } from "../core/rules/lint-rules.ts";
import { isLoopback } from "./address.ts";
import type { Config } from "./config.ts";
import { didYouMean } from "./nearest-word.ts";

/** What is allowed, but probably not what is meant. */
export function findWarnings(config: Config, inContainer: boolean): string[] {
  return [
    ...unknownComponents(config),
    ...uselessOrWeakTls(config),
    ...otherTimeZone(config),
    ...missingPassword(config),
    ...lintRules(config.rules, config.tariff),
    ...(inContainer ? loopbackInContainer(config) : []),
  ];
}

function unknownComponents({ homeassistant: { exclude }, rules, outputs }: Config): string[] {
  if (exclude.length === 0) return [];
  const keys = listEntities(rules, outputs.list).map(keyOf);
  return exclude
    .filter((key) => !keys.includes(key))
    .map((key) => `homeassistant.exclude: no component has the key ${key}${didYouMean(key, keys)}`);
}

function uselessOrWeakTls({ mqtt: { url, tls } }: Config): string[] {
  const given = Object.entries(tls).filter(([name, value]) =>
    name === "verify" ? !value : value !== undefined,
  );
  const names = given.map(([name]) => `mqtt.tls.${name}`).join(", ");
  if (names !== "" && !/^(mqtts|wss):/i.test(url)) {
    return [`${names}: set, but mqtt.url is not encrypted (expected mqtts:// or wss://)`];
  }
  if (tls.verify) return [];
  return ["mqtt.tls.verify: false, so any machine between vigie and the broker can pose as the broker"];
}

/** The law defines the days by French time, with its summer time. */
function otherTimeZone({ tariff: { laws, time_zone } }: Config): string[] {
  if (laws === "off" || time_zone === FRANCE) return [];
  return [
    `tariff.time_zone: the days of tariff.laws: ${laws} begin and end by the time of ${FRANCE}, got ${time_zone}`,
  ];
}

const FRANCE = "Europe/Paris";

function missingPassword({ mqtt: { username, password } }: Config): string[] {
  if (username === undefined || password !== undefined) return [];
  return [
    "mqtt.username: there is no password for this user. Set VIGIE_MQTT_PASSWORD_FILE, or a credential named mqtt_password",
  ];
}

function loopbackInContainer({ mqtt, service }: Config): string[] {
  const addresses = { "mqtt.url": mqtt.url, "service.base_url": service.base_url };
  const names = Object.entries(addresses)
    .filter(([, address]) => isLoopback(address))
    .map(([name]) => name);
  if (names.length === 0) return [];
  return [
    `${names.join(", ")}: in a container this address is the container itself, not the machine that it runs on`,
  ];
}
