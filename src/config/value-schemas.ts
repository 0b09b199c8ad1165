import { z } from "zod";
import { hasWrongPort } from "./address.ts";
import { ID_PATTERN, LONGEST_ID } from "./id-word.ts";

// Schemas that several groups of options share. The error of a schema says what is expected.

/** A number from one to another, both included. */
export function numberFrom(least: number, most: number, expected: string) {
  return z.number({ error: expected }).min(least, { error: expected }).max(most, { error: expected });
}

export function wholeNumberFrom(least: number, most: number, expected: string) {
  return z.int({ error: expected }).min(least, { error: expected }).max(most, { error: expected });
}

/** The error of a group: what is expected where the value is no group; an unknown key in it is described elsewhere. */
export function noGroup(expected: string): z.core.$ZodErrorMap {
  return (issue) => (issue.code === "invalid_type" ? expected : undefined);
}

/** `30s`, `5m`, `1h`; read as milliseconds. */
export function duration(least: string, most: string) {
  return durationText(least, most).transform(milliseconds);
}

/** The same as it is written. */
export function durationText(least: string, most: string) {
  const expected = `a duration from ${least} to ${most} in s, m or h, such as 5m`;
  // Of a text that is no duration the pattern says so.
  const isWithin = (text: string) =>
    !DURATION.test(text) ||
    (milliseconds(text) >= milliseconds(least) && milliseconds(text) <= milliseconds(most));
  return z
    .string({ error: expected })
    .regex(DURATION, { error: expected })
    .refine(isWithin, { error: expected });
}

const DURATION = /^\d{1,9}[smh]$/;

/** One of a few lengths of time; read as milliseconds. */
export function durationOf<const T extends string>(lengths: readonly T[]) {
  return z.enum(lengths).transform(milliseconds);
}

export function milliseconds(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? Number.NaN);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

const TIME = "([01]\\d|2[0-3]):[0-5]\\d";
const AN_HOUR = 'a time of day from "00:00" to "23:59", such as "06:30"';
const A_WINDOW = 'two different times of day, such as "22:00-06:00"';
const A_DATE = "a date, such as 2026-08-01";

/** A time on the wall clock, `06:30`. */
export const wallTime = z.string({ error: AN_HOUR }).regex(new RegExp(`^${TIME}$`), { error: AN_HOUR });

/** `22:00-06:00`; read as its two times. */
export const dailyWindow = z
  .string({ error: A_WINDOW })
  .regex(new RegExp(`^${TIME}-${TIME}$`), { error: A_WINDOW })
  .transform((text) => ({ from: text.slice(0, 5), to: text.slice(6) }))
  .refine(({ from, to }) => from !== to, { error: A_WINDOW });

export const civilDate = z.iso.date({ error: A_DATE });

const A_NAME =
  "small letters and digits, joined by single underscores, at most 40 characters, such as vigie or house_2";

export const idWord = z
  .string({ error: ({ input }) => (input === undefined ? `an id of ${A_NAME}` : A_NAME) })
  .regex(ID_PATTERN, { error: A_NAME })
  .max(LONGEST_ID, { error: A_NAME });

const A_LABEL = "a name of at most 100 characters, or one for each language: { fr: …, en: … }";
const oneName = z.string({ error: A_LABEL }).trim().min(1, { error: A_LABEL }).max(100, { error: A_LABEL });

/** What people read; one text for both languages, or one for each. */
export const nameInLanguages = z.union(
  [
    oneName,
    z.strictObject({
      fr: oneName.meta({ description: "In French." }),
      en: oneName.meta({ description: "In English." }),
    }),
  ],
  { error: A_LABEL },
);

/** The id is the name where none is given. */
export function readName(name: z.output<typeof nameInLanguages> | undefined, id: string) {
  return typeof name === "object" ? name : { fr: name ?? id, en: name ?? id };
}

/** Whether there is such a rule is found out where all rules are known. */
export const ruleId = z.string({ error: "the id of a rule, such as rouge_peak" });

interface AddressOptions {
  /** What may be written instead of an address. */
  words: readonly string[];
  isAddress: (text: string) => boolean;
  expected: string;
  /** An address with a port. */
  example: string;
  /** The beginning of the paths that vigie adds to the address. */
  added: string;
}

/** The address of a source of days, without slashes at its end, or one of a few words. */
export function sourceAddress({ words, isAddress, expected, example, added }: AddressOptions) {
  const withoutPath = `the address without ${added}, which vigie adds itself`;
  return z
    .string({ error: expected })
    .refine((text) => words.includes(text) || !hasWrongPort(text), {
      error: `an address with a port from 1 to 65535, such as ${example}`,
      abort: true,
    })
    .refine((text) => words.includes(text) || isAddress(text), { error: expected, abort: true })
    .refine((text) => !text.includes(added), { error: withoutPath })
    .transform((text) => (words.includes(text) ? text : new URL(text).href.replace(/\/+$/, "")));
}

const A_TOPIC =
  "a topic such as house/vigie: no + or #, no slash at the beginning or end, no two slashes in a row, no $ at the beginning";

/** A topic that may be published on. */
export const topic = z
  .string({ error: A_TOPIC })
  .regex(/^(?!\$)[^+#/\p{Cc}\p{Cs}]+(\/[^+#/\p{Cc}\p{Cs}]+)*$/u, { error: A_TOPIC })
  .max(200, { error: "a topic of at most 200 characters" });

/** A place in JSON: `battery`, `data.0.level`. */
export function jsonPath(examples: string) {
  const error = `keys joined by dots, such as ${examples}`;
  return z
    .string({ error })
    .regex(/^(?!\$([.[]|$)|value_json\b)[^.[\]{}]+(\.[^.[\]{}]+)*$/, { error })
    .max(200, { error });
}

/** A text that may be left empty, which is the same as leaving it out. */
export function optionalText(expected: string) {
  return z
    .string({ error: expected })
    .nullish()
    .transform((text) => text || undefined)
    .optional();
}
