import { z } from "zod";
import { options } from "./config-schema.ts";
import type { Path } from "./shown-value.ts";

/** One option, or a group of options, and its names outside of the file. */
export interface Option {
  path: readonly string[];
  /** `VIGIE_MQTT_URL` */
  variable: string;
  /** `mqtt_url`: the name of a credential of systemd. */
  credential: string;
  isGroup: boolean;
  schema: z.ZodType;
}

let listed: readonly Option[] | undefined;

/** Every option; a group comes before its options. Lists, such as `rules`, are one option each. */
export function listOptions(): readonly Option[] {
  listed ??= optionsIn(options, []);
  return listed;
}

function optionsIn(group: z.ZodObject, path: readonly string[]): Option[] {
  return Object.entries(group.shape).flatMap(([key, schema]: [string, z.ZodType]) => {
    const inner = unwrap(schema);
    const isGroup = inner instanceof z.ZodObject;
    const name = [...path, key].join("_");
    const option: Option = {
      path: [...path, key],
      variable: `VIGIE_${name.toUpperCase()}`,
      credential: name,
      isGroup,
      schema,
    };
    return isGroup ? [option, ...optionsIn(inner, option.path)] : [option];
  });
}

/** The path of every key that the file may hold, also in lists (`rules[0].when.day`); the shortest first. */
export function listKeys(): readonly Path[] {
  keys ??= keysIn(options, [], []).toSorted((one, other) => one.length - other.length);
  return keys;
}

let keys: readonly Path[] | undefined;

function keysIn(schema: z.ZodType, path: Path, outer: readonly z.ZodType[]): Path[] {
  const inner = unwrap(schema);
  if (outer.includes(inner)) return [];
  const within = [...outer, inner];
  if (inner instanceof z.ZodArray) return keysIn(inner.element as z.ZodType, [...path, 0], within);
  if (inner instanceof z.ZodUnion)
    return inner.options.flatMap((form) => keysIn(form as z.ZodType, path, within));
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, value]: [string, z.ZodType]) => [
    [...path, key],
    ...keysIn(value, [...path, key], within),
  ]);
}

/** The schema without its default and its transformation. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional
  ) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}
