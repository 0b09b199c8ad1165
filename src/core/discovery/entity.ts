import type { Shape } from "./shapes.ts";

/** One row of the table of entities: what Home Assistant makes of one topic. */
export interface Entity {
  /** Below the base topic; the key and every id follow from it. */
  topic: string;
  shape: Shape;
  kind: Kind;
  /** Its name in both languages. */
  fr: string;
  en: string;
  icon?: `mdi:${string}`;
  /** Every state there can be, in the order in which people think of them. */
  options?: readonly string[];
  /** It tells of vigie itself, or sets it; not of the days. */
  category?: "config" | "diagnostic";
  /** Few need it: it is there, and disabled until its owner wants it. */
  quiet?: true;
  /** The topic of the JSON object that it shows as its attributes. */
  attributes?: string;
  /** Where it is told what to do, if not on its own topic and `/set`. */
  command?: string;
}

/**
 * `moment`: true until the next boundary, so unavailable soon after vigie is gone; `command`: of no use without vigie;
 * `dated`: true whenever it is read, so never unavailable.
 */
export type Kind = "moment" | "dated" | "command";

/** A row whose kind is that of the table it stands in. */
export type Row = Omit<Entity, "kind">;

export type Language = "fr" | "en";

/** `now/color` is `now_color`. */
export function keyOf({ topic }: Pick<Entity, "topic">): string {
  return topic.replaceAll("/", "_");
}
