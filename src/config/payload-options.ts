import { z } from "zod";
import type { JsonObject } from "../core/outputs/output.ts";

const A_PAYLOAD = 'a text, in quotes where it is a number: "18"';
/** Of `true` it says which text is meant, as of a number. */
const expectedInsteadOf = (other: string) => (issue: { input?: unknown }) =>
  typeof issue.input === "boolean"
    ? `a text, in quotes where it is true or false: "${issue.input}"; ${other}`
    : `${A_PAYLOAD}; ${other}`;
const A_TEMPLATE = expectedInsteadOf("or an object with one key or more, sent as JSON");

/** A text, or an object that is sent as JSON. */
export const template = z.preprocess(
  (given, { issues }) => {
    const unquoted = findUnquotedPlaceholder(given);
    // A placeholder without quotes is a key without a value, too.
    const keys = unquoted ? [] : keysWithoutValue(given);
    if (unquoted) issues.push({ code: "custom", input: given, ...unquoted });
    for (const key of keys) issues.push({ code: "custom", input: null, path: [key], message: A_VALUE });
    return given;
  },
  z.union(
    [
      z.string({ error: A_TEMPLATE }).min(1, { error: A_TEMPLATE }),
      z
        .record(z.string(), z.json())
        .refine((given) => Object.keys(given).length > 0)
        .transform((given): JsonObject => given),
    ],
    { error: A_TEMPLATE },
  ),
);

/** To YAML `{ setpoint: 20,5 }` has a key `5` without a value, and `{ state:"ON" }` a key `state:"ON"`. */
function keysWithoutValue(given: unknown): string[] {
  if (!isGroup(given)) return [];
  return Object.entries(given).flatMap(([key, value]) => (value === null ? [key] : []));
}

const A_VALUE =
  "a value for this key: decimals have a point (20.5), and a space follows each colon. Where null itself is meant, write the payload as a text in quotes, such as '{\"a\":null}'";

export const expect = template.meta({
  description:
    "What the device reports once it has done what this payload says; of a JSON object, all that it must contain. Default: the payload itself.",
});

export const payload = template.meta({
  id: "payload",
  description:
    "What is sent: a text (numbers in quotes), or an object that is sent as JSON. May contain facts: {next.color}, {next.date} (2026-11-25), {next.day} (the same in words), {left.rouge}, …; in a text an unknown one becomes None.",
});

const A_BRANCH = expectedInsteadOf("or { payload: …, expect: … }");

/** `else` and `unknown`: a text, or a payload with what the device then reports. */
export const branch = z.preprocess(
  (given, { issues }) => {
    const unquoted = findUnquotedPlaceholder(given, 0);
    const isBare = isGroup(given) && !("payload" in given) && !("expect" in given);
    if (unquoted) issues.push({ code: "custom", input: given, ...unquoted });
    else if (isBare)
      issues.push({
        code: "custom",
        input: given,

        message: `${A_PAYLOAD}; an object that is sent as JSON is written { payload: { … } }`,
      });
    return given;
  },
  z.union(
    [
      z.string({ error: A_BRANCH }).min(1, { error: A_BRANCH }),
      z.strictObject({ payload, expect: expect.exactOptional() }),
    ],
    { error: A_BRANCH },
  ),
);

/**
 * `{next.color}` without quotes is, to YAML, an object with the key `next.color`; `{{next.color}}` one whose key is that
 * object, which is read as the text `{ next.color }`.
 */
function findUnquotedPlaceholder(
  given: unknown,
  deepest = Number.POSITIVE_INFINITY,
  path: PropertyKey[] = [],
): { path: PropertyKey[]; message: string } | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const entries = Object.entries(given);
  const [[key, value] = ["", ""]] = entries;
  const name = UNQUOTED.exec(key)?.[1];
  if (entries.length === 1 && value === null && name !== undefined)
    return { path, message: `the placeholder in quotes: "{${name}}"` };
  if (path.length >= deepest) return undefined;
  for (const [name, inner] of entries) {
    const found = findUnquotedPlaceholder(inner, deepest, [
      ...path,
      Array.isArray(given) ? Number(name) : name,
    ]);
    if (found) return found;
  }
  return undefined;
}

const UNQUOTED = /^(?:\{ )?([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)(?: \})?$/i;

export function isGroup(given: unknown): given is object {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}
