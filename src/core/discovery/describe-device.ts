import type { Language } from "../calendar/day-in-words.ts";
import { AVAILABILITY } from "../topics/topic.ts";
import { type Entity, keyOf, listEntities, type OutputToShow, type RuleToShow } from "./entities.ts";
import { SHAPES, type Shape } from "./value-kinds.ts";

/** All that Home Assistant should know of this instance: the device, and each of its entities. */
export interface DeviceDescription {
  place: DiscoveryPlace;
  mode: Mode;
  about: About;
  /** By their keys. */
  components: Components;
}

/** What decides the topics of an instance's discovery messages. */
export interface DiscoveryPlace {
  prefix: string;
  instance: string;
}

/** One message for the device, one for each entity, or none. */
type Mode = "device" | "components" | "off";

/** What Home Assistant last said of itself on its status topic; null where nothing was heard since vigie connected. */
export type HomeAssistantStatus = "online" | "offline" | null;

export type Components = Readonly<Record<string, Component>>;

/** One entity in Home Assistant's own keys. */
export interface Component {
  platform: string;
  [key: string]: unknown;
}

interface About {
  device: { identifiers: string[]; name: string; manufacturer: string; model: string; sw_version: string };
  origin: { name: string; sw_version: string };
}

/** What of the configuration decides it. */
interface DescribedConfig {
  instance: string;
  mqtt: { base_topic: string };
  homeassistant: { discovery: Mode; prefix: string; exclude: readonly string[]; language: Language };
  rules: readonly RuleToShow[];
  outputs: { list: readonly OutputToShow[] };
}

export function describeDevice(config: DescribedConfig, version: string): DeviceDescription {
  const { instance, mqtt, homeassistant, rules, outputs } = config;
  const { prefix, discovery, exclude, language } = homeassistant;
  const entities = listEntities(rules, outputs.list).filter((entity) => !exclude.includes(keyOf(entity)));
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
    components: Object.fromEntries(entities.map((entity) => [keyOf(entity), describeEntity(entity, naming)])),
  };
}

/** By this name vigie recognizes its own messages. */
export const ORIGIN = "vigie";

const MODELS: Record<Language, string> = { fr: "Jours de couleur", en: "Colour days" };

/** `maison_mer` is `Maison mer`. */
function nameDevice(instance: string): string {
  return instance.charAt(0).toUpperCase() + instance.slice(1).replaceAll("_", " ");
}

interface Naming {
  instance: string;
  base: string;
  language: Language;
}

/** A changed key order would change the payload, and it would be sent again. */
export function describeEntity(entity: Entity, { instance, base, language }: Naming): Component {
  const { shape, topic, options, attributes, kind, category, disabled } = entity;
  const { platform, icon: usualIcon, ...shapeKeys } = { icon: undefined, ...SHAPES[shape] };
  const icon = entity.icon ?? usualIcon;
  const key = keyOf(entity);
  return {
    platform,
    unique_id: `${instance}_${key}`,
    default_entity_id: `${platform}.${instance}_${key}`,
    name: entity[language],
    ...(shape !== "button" && { state_topic: `${base}/${topic}` }),
    ...shapeKeys,
    ...(options !== undefined && { [shape === "event" ? "event_types" : "options"]: options }),
    ...(attributes !== undefined && { json_attributes_topic: `${base}/${attributes}` }),
    ...(COMMANDED.has(shape) && { command_topic: `${base}/${entity.command ?? `${topic}/set`}` }),
    // Never at the root of the device message, where it would hold for the dated entities too.
    ...(kind !== "dated" && { availability_topic: `${base}/${AVAILABILITY}` }),
    ...(icon !== undefined && { icon }),
    ...(category !== undefined && { entity_category: category }),
    ...(disabled && { enabled_by_default: false }),
  };
}

/** Shapes that take commands. */
const COMMANDED: ReadonlySet<Shape> = new Set(["switch", "slider", "select", "button"]);
