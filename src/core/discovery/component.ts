import { AVAILABILITY } from "../topics/topic.ts";
import { type Entity, keyOf, type Language } from "./entity.ts";
import { SHAPES } from "./shapes.ts";

/** One entity as a discovery message says it. */
export interface Component {
  platform: string;
  [key: string]: unknown;
}

/** Where its topics lie, and in which language it is called. */
export interface Naming {
  instance: string;
  base: string;
  language: Language;
}

export function describeComponent(entity: Entity, { instance, base, language }: Naming): Component {
  const { shape, topic, icon, category, quiet, attributes, kind } = entity;
  const { platform, ...keys } = SHAPES[shape];
  const key = keyOf(entity);
  return {
    platform,
    unique_id: `${instance}_${key}`,
    default_entity_id: `${platform}.${instance}_${key}`,
    name: entity[language],
    ...(shape === "button" ? {} : { state_topic: `${base}/${topic}` }),
    ...keys,
    ...describeOptions(entity),
    ...(attributes !== undefined && { json_attributes_topic: `${base}/${attributes}` }),
    ...(takesCommands(entity) && { command_topic: `${base}/${entity.command ?? `${topic}/set`}` }),
    // At the root of a device it would be everything's: the root has none.
    ...(kind !== "dated" && { availability_topic: `${base}/${AVAILABILITY}` }),
    ...(icon !== undefined && { icon }),
    ...(category !== undefined && { entity_category: category }),
    ...(quiet && { enabled_by_default: false }),
  };
}

function describeOptions({ shape, options }: Entity): Record<string, unknown> {
  if (options === undefined) return {};
  return shape === "event" ? { event_types: options } : { options };
}

function takesCommands({ shape }: Entity): boolean {
  return shape === "switch" || shape === "slider" || shape === "select" || shape === "button";
}
