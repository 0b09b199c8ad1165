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

/** The keys that are allowed at this place of the configuration, inside of lists as well. */
export function keysAt(path: Path): string[] {
  const schema = path.reduce<z.ZodType | undefined>(
    (parent, key) => parent && schemaOf(parent, key),
    options,
  );
  return schema ? keysOf(schema) : [];
}

function keysOf(schema: z.ZodType): string[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return (inner.options as z.ZodType[]).flatMap(keysOf);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function schemaOf(parent: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  const inner = unwrap(parent);
  if (inner instanceof z.ZodUnion) {
    const found = (inner.options as z.ZodType[]).map((form) => schemaOf(form, key));
    return found.find((schema) => schema !== undefined);
  }
  if (inner instanceof z.ZodArray) return typeof key === "number" ? (inner.element as z.ZodType) : undefined;
  if (!(inner instanceof z.ZodObject) || !Object.hasOwn(inner.shape, key)) return undefined;
  return inner.shape[String(key)] as z.ZodType;
}

/** The schema without its default and its transformation. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}
