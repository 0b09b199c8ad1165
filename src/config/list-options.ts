import { z } from "zod";
import { options } from "./config-schema.ts";

export type Path = readonly PropertyKey[];

/** One option, or a group of them, and its names outside of the file. */
export interface Option {
  path: readonly string[];
  /** `VIGIE_MQTT_URL`. */
  variable: string;
  /** `mqtt_url`, as systemd's credentials are named. */
  credential: string;
  isGroup: boolean;
  schema: z.ZodType;
}

/** Every option, groups before what is in them. */
export function listOptions(): readonly Option[] {
  listed ??= optionsBelow(options, []);
  return listed;
}

let listed: readonly Option[] | undefined;

/** Values that no message may show: what holds the password, or is it, or stands in its place. */
export function isSecret(path: Path): boolean {
  return SECRET.every((key, index) => index >= path.length || path[index] === key);
}

const SECRET = ["mqtt", "password"];

/** The words that may stand at this place of the file. */
export function keysAt(path: Path): string[] {
  const schema = path.reduce<z.ZodType | undefined>(child, options);
  const object = schema && groupIn(schema);
  return object ? Object.keys(object.shape) : [];
}

function optionsBelow(schema: z.ZodType, path: readonly string[]): Option[] {
  const group = bare(schema);
  if (!(group instanceof z.ZodObject)) return [];
  return Object.entries(group.shape).flatMap(([key, inner]) => {
    const below = [...path, key];
    const name = below.join("_");
    const isGroup = bare(inner as z.ZodType) instanceof z.ZodObject;
    const variable = `VIGIE_${name.toUpperCase()}`;
    const option = { path: below, variable, credential: name, isGroup, schema: inner as z.ZodType };
    return [option, ...optionsBelow(inner as z.ZodType, below)];
  });
}

/** The schema without its default. */
function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return bare(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? bare(schema.in as z.ZodType) : schema;
}

function child(parent: z.ZodType | undefined, key: PropertyKey): z.ZodType | undefined {
  if (!parent) return undefined;
  const schema = bare(parent);
  if (schema instanceof z.ZodArray && typeof key === "number") return schema.element as z.ZodType;
  if (schema instanceof z.ZodUnion) {
    return (schema.options as z.ZodType[]).map((one) => child(one, key)).find((found) => found !== undefined);
  }
  const group = groupIn(schema);
  return group && Object.hasOwn(group.shape, key) ? (group.shape[String(key)] as z.ZodType) : undefined;
}

/** The group of options that this is, or may be. */
function groupIn(schema: z.ZodType): z.ZodObject | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return inner;
  if (!(inner instanceof z.ZodUnion)) return undefined;
  return (inner.options as z.ZodType[]).map(groupIn).find((group) => group !== undefined);
}
