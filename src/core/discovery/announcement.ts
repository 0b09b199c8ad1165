import { type Component, describeComponent } from "./component.ts";
import { listEntities } from "./entities.ts";
import { keyOf, type Language } from "./entity.ts";
import type { RuleToShow } from "./rule-entities.ts";

/** All that Home Assistant should know of this instance. */
export interface Announcement {
  place: Place;
  mode: Mode;
  /** Who speaks, and of which device. */
  about: About;
  /** By their keys. */
  components: Components;
}

/** Where the messages of an instance lie. */
export interface Place {
  prefix: string;
  instance: string;
}

export type Mode = "device" | "components" | "off";
export type Components = Readonly<Record<string, Component>>;

interface About {
  device: { identifiers: string[]; name: string; manufacturer: string; model: string; sw_version: string };
  origin: { name: string; sw_version: string };
}

export function announce(config: AnnouncedConfig, version: string): Announcement {
  const { instance, mqtt, homeassistant, rules } = config;
  const { prefix, discovery, exclude, language } = homeassistant;
  const entities = listEntities(rules).filter((entity) => !exclude.includes(keyOf(entity)));
  const naming = { instance, language, base: mqtt.base_topic };
  return {
    place: { prefix, instance },
    mode: discovery,
    about: {
      device: {
        identifiers: [`${ORIGIN}_${instance}`],
        name: nameDevice(instance),
        manufacturer: ORIGIN,
        model: MODELS[language],
        sw_version: version,
      },
      origin: { name: ORIGIN, sw_version: version },
    },
    components: Object.fromEntries(
      entities.map((entity) => [keyOf(entity), describeComponent(entity, naming)]),
    ),
  };
}

/** What of the configuration decides it. */
interface AnnouncedConfig {
  instance: string;
  mqtt: { base_topic: string };
  homeassistant: { discovery: Mode; prefix: string; exclude: readonly string[]; language: Language };
  rules: readonly RuleToShow[];
}

/** By this name vigie knows its own messages again. */
export const ORIGIN = "vigie";

const MODELS: Record<Language, string> = { fr: "Jours de couleur", en: "Colour days" };

/** `maison_mer` is `Maison mer`. */
function nameDevice(instance: string): string {
  return instance.charAt(0).toUpperCase() + instance.slice(1).replaceAll("_", " ");
}
