import { z } from "zod";
import { MONTHS, type Month } from "../core/calendar/tariff.ts";
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

/** A percent that a forecast has to reach. 1 is 1 % to vigie, and to everybody else a ratio: it is no percent. */
export function percentFrom(expected: string, insteadOfOne = `${expected}, and not 1`) {
  return wholeNumberFrom(0, 100, expected).refine((given) => given !== 1, { error: insteadOfOne });
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

/** As it is written: `90s`, `5m`, `12h`. */
export function writeLength(length: number): string {
  if (length % HOUR === 0) return `${length / HOUR}h`;
  return length % MINUTE === 0 ? `${length / MINUTE}m` : `${length / 1000}s`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const UNITS: Record<string, number> = { s: 1000, m: MINUTE, h: HOUR };

/** A time on the wall clock, as a part of a pattern. */
export const TIME = "([01]\\d|2[0-3]):[0-5]\\d";
const AN_HOUR = 'a time of day from "00:00" to "23:59", such as "06:30"';
const A_DATE = "a date, such as 2026-08-01";

/** A time on the wall clock, `06:30`. */
export const wallTime = z.string({ error: AN_HOUR }).regex(new RegExp(`^${TIME}$`), { error: AN_HOUR });

export const civilDate = z.iso.date({ error: A_DATE });

const A_NAME =
  "small letters and digits, joined by single underscores, at most 40 characters, such as vigie or house_2";

export const idWord = z
  .string({ error: ({ input }) => (input === undefined ? `an id of ${A_NAME}` : A_NAME) })
  .regex(ID_PATTERN, { error: A_NAME })
  .max(LONGEST_ID, { error: A_NAME });

const A_LABEL = "a name of at most 100 characters, or one for a language or both: { fr: …, en: … }";
const oneName = z.string({ error: A_LABEL }).trim().min(1, { error: A_LABEL }).max(100, { error: A_LABEL });

/** What people read; one text for both languages, or one for each. */
export const nameInLanguages = z.union(
  [
    oneName,
    z
      .strictObject({
        fr: oneName.optional().meta({ description: "In French. Default: the name in English." }),
        en: oneName.optional().meta({ description: "In English. Default: the name in French." }),
      })
      .refine(({ fr, en }) => fr !== undefined || en !== undefined, {
        error: A_LABEL,
        when: ({ issues }) => issues.length === 0,
      }),
  ],
  { error: A_LABEL },
);

/** The id is the name where none is given. */
export function readName(name: z.output<typeof nameInLanguages> | undefined, id: string) {
  const { fr, en } = typeof name === "object" ? name : { fr: name, en: name };
  return { fr: fr ?? en ?? id, en: en ?? fr ?? id };
}

/** Whether there is such a rule is found out where all rules are known. */
export const ruleId = z.string({ error: "the id of a rule, such as rouge_peak" });

/** A text in which this finds nothing wrong. If it is wrong, only its first fault is said. */
export function textWithout(findFault: (text: string) => string | undefined, expected: string) {
  return z.string({ error: expected }).check(({ value, issues }) => {
    const message = findFault(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  });
}

export function oneOrMore<const T extends readonly string[]>(words: T) {
  const error = `one of ${words.join(", ")}, or a list of them`;
  return oneOrList(z.enum(words, { error }), error);
}

function oneOrList<T extends z.ZodType>(one: T, error: string) {
  return z.union([one, z.array(one, { error }).min(1, { error })], { error });
}

const A_MONTH = `one of ${MONTHS.join(", ")}, a number from 1 to 12, or a list of them`;
export const month = oneOrList(
  z.union([z.enum(MONTHS, { error: A_MONTH }), wholeNumberFrom(1, 12, A_MONTH)], { error: A_MONTH }),
  A_MONTH,
);

/** A month by its name, or by its number from 1 on. */
export function monthOf(given: Month | number): Month {
  return typeof given === "number" ? (MONTHS[given - 1] ?? "dec") : given;
}

export function listOf<T>(given: T | T[]): T[] {
  return Array.isArray(given) ? given : [given];
}

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
  const findFault = (text: string) => {
    if (words.includes(text)) return undefined;
    if (hasWrongPort(text)) return `an address with a port from 1 to 65535, such as ${example}`;
    if (!isAddress(text)) return expected;
    return text.includes(added) ? `the address without ${added}, which vigie adds itself` : undefined;
  };
  return textWithout(findFault, expected).transform((text) =>
    words.includes(text) ? text : new URL(text).href.replace(/\/+$/, ""),
  );
}

const A_TOPIC =
  "a topic such as house/vigie: no + or #, no slash at the beginning or end, no two slashes in a row, no $ at the beginning";

const QUOTED = "[“”„«‘’].*[“”»’]$";
const WITHOUT_QUOTES = "a topic without quotes, or in \" or ': others are a part of it";

export const LONGEST_TOPIC = 200;

/** A topic that may be published on. */
export const topic = z
  .string({ error: A_TOPIC })
  .regex(new RegExp(`^(?!\\$|${QUOTED})[^+#/\\p{Cc}\\p{Cs}]+(/[^+#/\\p{Cc}\\p{Cs}]+)*$`, "u"), {
    error: ({ input }) => (new RegExp(`^${QUOTED}`).test(String(input)) ? WITHOUT_QUOTES : A_TOPIC),
  })
  .max(LONGEST_TOPIC, { error: `a topic of at most ${LONGEST_TOPIC} characters` });

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
