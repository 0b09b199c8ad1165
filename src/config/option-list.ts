import { z } from "zod";
import { options } from "./config-schema.ts";

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

/** The schema without its default and its transformation. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}
