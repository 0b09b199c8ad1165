import { keyOf, listEntities } from "../core/discovery/entities.ts";
import { lintRules } from "../core/rules/lint-rules.ts";
import { isLoopback } from "./address.ts";
import type { Config } from "./config.ts";
import { nearest } from "./nearest-word.ts";

/** What is allowed, but probably not what its owner means. */
export function findWarnings(config: Config, inContainer: boolean): string[] {
  return [
    ...warnOfExclude(config),
    ...warnOfTls(config),
    ...warnOfZone(config),
    ...warnOfPassword(config),
    ...lintRules(config.rules, config.tariff),
    ...(inContainer ? warnOfLoopback(config) : []),
  ];
}

function warnOfExclude({ homeassistant: { exclude }, rules }: Config): string[] {
  if (exclude.length === 0) return [];
  const keys = listEntities(rules).map(keyOf);
  return exclude
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const near = nearest(key, keys);
      const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
      return `homeassistant.exclude: ${key} is the key of no component${meant}`;
    });
}

function warnOfTls({ mqtt: { url, tls } }: Config): string[] {
  const given = Object.entries(tls).filter(([name, value]) =>
    name === "verify" ? !value : value !== undefined,
  );
  const names = given.map(([name]) => `mqtt.tls.${name}`).join(", ");
  if (names !== "" && !/^(mqtts|wss):/i.test(url)) {
    return [`${names}: set, but mqtt.url is not encrypted (expected mqtts:// or wss://)`];
  }
  return tls.verify ? [] : ["mqtt.tls.verify: false, so anybody on the way can pose as the broker"];
}

/** The days of a tariff by law are those of the land's clock, summer time and all. */
function warnOfZone({ tariff: { laws, time_zone } }: Config): string[] {
  if (laws === "off" || time_zone === FRANCE) return [];
  return [`tariff.time_zone: the days of tariff.laws: ${laws} turn by ${FRANCE}, got ${time_zone}`];
}

const FRANCE = "Europe/Paris";

function warnOfPassword({ mqtt: { username, password } }: Config): string[] {
  return username !== undefined && password === undefined
    ? [
        "mqtt.username: there is no password for it (VIGIE_MQTT_PASSWORD_FILE, or a credential named mqtt_password)",
      ]
    : [];
}

function warnOfLoopback({ mqtt, service }: Config): string[] {
  const addresses = { "mqtt.url": mqtt.url, "service.base_url": service.base_url };
  const names = Object.entries(addresses)
    .filter(([, address]) => isLoopback(address))
    .map(([name]) => name);
  if (names.length === 0) return [];
  return [
    `${names.join(", ")}: in a container this address is the container itself, not the machine that it runs on`,
  ];
}
