import { keyOf, listEntities } from "../core/discovery/entities.ts";
import { topicsOfRules } from "../core/rules/rule.ts";
import type { Config } from "./config.ts";
import { didYouMean } from "./nearest-word.ts";
import { findOutputWarnings, topicsOf } from "./output-warnings.ts";
import { findRuleWarnings } from "./rule-warnings.ts";
import type { Warning } from "./warning.ts";

export function findWarnings(config: Config, inContainer: boolean): Warning[] {
  return [
    ...unknownComponents(config),
    ...uselessTls(config),
    ...weakTls(config),
    ...otherTimeZone(config),
    ...missingPassword(config),
    ...findRuleWarnings(config.rules, config.tariff, config.service.base_url !== "none"),
    ...sameSourceTwice(config),
    ...wrongEndsOfTopics(config),
    ...findOutputWarnings(config, inContainer),
  ];
}

function unknownComponents({ homeassistant: { exclude }, rules, outputs }: Config): Warning[] {
  if (exclude.length === 0) return [];
  const keys = listEntities(rules, outputs.list).map(keyOf);
  return exclude.flatMap((key, index) => {
    if (keys.includes(key)) return [];
    const path = ["homeassistant", "exclude", index];
    return [{ path, words: `no component has the key ${key}${didYouMean(key, keys)}` }];
  });
}

/** Quotes keep a space that nobody sees; without quotes a comma at the end of a line belongs to the topic. */
function wrongEndsOfTopics({ mqtt, homeassistant, rules, outputs }: Config): Warning[] {
  const topics: (Omit<Warning, "words"> & { topic: string })[] = [
    { path: ["mqtt", "base_topic"], topic: mqtt.base_topic },
    { path: ["homeassistant", "prefix"], topic: homeassistant.prefix },
    { path: ["homeassistant", "status_topic"], topic: homeassistant.status_topic },
    ...rules.flatMap((rule, index) =>
      topicsOfRules([rule]).map((topic) => ({ path: ["rules", index], id: rule.id, topic })),
    ),
    ...outputs.list.flatMap((output, index) =>
      topicsOf(output).map(({ path, topic }) => ({ path: ["outputs", index, ...path], topic })),
    ),
    ...outputs.list.flatMap(({ confirm }, index) =>
      confirm?.online
        ? [{ path: ["outputs", index, "confirm", "online", "topic"], topic: confirm.online.topic }]
        : [],
    ),
  ];
  return topics
    .map((one) => ({ ...one, meant: one.topic.replace(/[\s,]+$/, "").trim() }))
    .filter(({ topic, meant }) => topic !== meant)
    .map(({ topic, meant: clean, ...place }) => {
      const [given, meant] = [topic, clean].map((one) => JSON.stringify(one));
      const isComma = topic === topic.trim();
      const words = {
        en: `${given} has ${isComma ? "a comma at its end" : "a space at its beginning or end"}: to the broker it is another topic than ${meant}`,
        fr: `${given} ${isComma ? "finit par une virgule" : "commence ou finit par un espace"}, et pour le broker c’est un autre topic que ${meant}`,
      };
      return { ...place, words };
    });
}

function uselessTls({ mqtt: { url, tls } }: Config): Warning[] {
  if (/^(mqtts|wss):/i.test(url)) return [];
  const given = Object.entries(tls).filter(([name, value]) =>
    name === "verify" ? !value : value !== undefined,
  );
  return given.map(([name]) => {
    const words = "set, but mqtt.url is not encrypted (expected mqtts:// or wss://)";
    return { path: ["mqtt", "tls", name], words };
  });
}

function weakTls({ mqtt: { url, tls } }: Config): Warning[] {
  if (tls.verify || !/^(mqtts|wss):/i.test(url)) return [];
  const words = "false, so any machine between vigie and the broker can pose as the broker";
  return [{ path: ["mqtt", "tls", "verify"], words }];
}

/** The law defines the days by French time, with its summer time. */
function otherTimeZone({ tariff: { laws, time_zone } }: Config): Warning[] {
  if (laws === "off" || time_zone === FRANCE) return [];
  const words = `the days of tariff.laws: ${laws} begin and end by the time of ${FRANCE}, got ${time_zone}`;
  return [{ path: ["tariff", "time_zone"], words }];
}

const FRANCE = "Europe/Paris";

function missingPassword({ mqtt: { username, password } }: Config): Warning[] {
  if (username === undefined || password !== undefined) return [];
  const words = {
    en: "there is no password for this user. Set mqtt.password_file or VIGIE_MQTT_PASSWORD_FILE, or a credential named mqtt_password",
    fr: "il n’y a pas de mot de passe pour cet utilisateur. Remplissez le champ du mot de passe du broker",
  };
  return [{ path: ["mqtt", "username"], words }];
}

function sameSourceTwice({ service, official }: Config): Warning[] {
  if (official.source !== service.base_url || official.source === "simulator") return [];
  const words =
    "the same address as service.base_url. One server cannot check itself, and when it is down both sources are: for the colours of RTE itself, set rte";
  return [{ path: ["official", "source"], words }];
}
