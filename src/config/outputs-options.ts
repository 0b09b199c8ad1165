import { z } from "zod";
import type { JsonObject, Output, Outputs, Payload } from "../core/outputs/output.ts";
import { idOfTopic } from "./id-word.ts";
import { duration, idWord, jsonPath, nameInLanguages, readName, topic } from "./value-schemas.ts";

const A_PAYLOAD = 'a text, in quotes where it is a number: "18"';
/** Of `true` it says which text is meant, as of a number. */
const expectedInsteadOf = (other: string) => (issue: { input?: unknown }) =>
  typeof issue.input === "boolean"
    ? `a text, in quotes where it is true or false: "${issue.input}"; ${other}`
    : `${A_PAYLOAD}; ${other}`;
const A_TEMPLATE = expectedInsteadOf("or an object with one key or more, sent as JSON");

/** A text, or an object that is sent as JSON. */
const template = z.preprocess(
  (given, { issues }) => {
    const unquoted = findUnquotedPlaceholder(given);
    // A placeholder without quotes is a key without a value, too.
    const keys = unquoted ? [] : keysWithoutValue(given);
    if (unquoted) issues.push({ code: "custom", input: given, continue: false, ...unquoted });
    for (const key of keys)
      issues.push({ code: "custom", input: null, continue: false, path: [key], message: A_VALUE });
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

const expect = template.meta({
  description:
    "What the device publishes once it has done what this payload says; of a JSON object, all that it must contain. Default: the payload itself.",
});

const payload = template.meta({
  id: "payload",
  description:
    "What is sent: a text (numbers in quotes), or an object that is sent as JSON. May contain facts: {next.color}, {next.date}, {left.rouge}, …; in a text an unknown one becomes None.",
});

const A_BRANCH = expectedInsteadOf("or { payload: …, expect: … }");

/** `else` and `unknown`: a text, or a payload with what the device then reports. */
const branch = z.preprocess(
  (given, { issues }) => {
    const unquoted = findUnquotedPlaceholder(given, 0);
    const isBare = isGroup(given) && !("payload" in given) && !("expect" in given);
    if (unquoted) issues.push({ code: "custom", input: given, continue: false, ...unquoted });
    else if (isBare)
      issues.push({
        code: "custom",
        input: given,
        continue: false,
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

function isGroup(given: unknown): given is object {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

const confirm = z
  .strictObject({
    topic: topic.meta({ description: "Topic on which the device publishes its state." }),
    path: jsonPath("state or switch.output").exactOptional().meta({
      description:
        "Where the value is in the JSON that the device publishes: keys joined by dots. Default: the message as a whole counts.",
    }),
    expect: template.exactOptional().meta({
      description:
        "What the device publishes once it has done what the payload says; only where the output has one payload, else write expect beside each payload. Default: the payload itself.",
    }),
    every: duration("5s", "1h").prefault("30s").meta({
      description: "How long to wait before the payload is sent again. Default 30s.",
    }),
    for: duration("5s", "24h").prefault("1h").meta({
      description:
        "How long to go on before vigie reports that the device does not follow (the problem `output`); at least as long as `every`. Default 1h.",
    }),
  })
  .check(({ value, issues }) => {
    // A duration that is wrong itself is still a text, and no bound of the other.
    if (typeof value.every !== "number" || !(value.for < value.every)) return;
    const message = `at least ${value.every / 1000}s, the value of confirm.every`;
    issues.push({ code: "custom", path: ["for"], message, input: value.for });
  })
  .meta({
    description:
      "Sends the payload again until the device itself confirms it. Default none: it is sent once.",
  });

/** What else people write there, and where it belongs. */
const A_RULE_ID = ({ input }: { input?: unknown }) => {
  const expected = "the id of a rule, such as rouge_peak";
  if (input === undefined)
    return `${expected} (the payload of all other times stands beside choose, as else)`;
  if (Array.isArray(input))
    return `${expected} (for several, that of a rule with when: { any: [{ rule: … }, { rule: … }] })`;
  return isGroup(input) ? `${expected} (write this condition as the when of that rule)` : expected;
};

const choice = z.strictObject({
  when: z
    .string({ error: A_RULE_ID })
    .meta({ description: "Id of a rule: the payload applies while this rule is ON." }),
  payload,
  expect: expect.exactOptional(),
});

const output = z.strictObject({
  id: idWord.exactOptional().meta({
    description:
      "Names the output in topics and entities: small letters and digits, joined by underscores. Each once. Default: the topic in small letters, with _ for all else, at most 40 characters.",
  }),
  name: nameInLanguages.exactOptional().meta({
    description:
      "What people read, in one language or both: { fr: …, en: … }. Default: the id, or the topic where none is given.",
  }),
  topic: topic.meta({ description: "Topic of the device, written in full; one output a topic." }),
  choose: z
    .array(choice, { error: 'a list of choices, such as [{ when: rouge_peak, payload: "off" }]' })
    .min(1, { error: "at least one choice" })
    .meta({ description: "Payloads and their rules; the first one whose rule is ON counts." }),
  else: branch.exactOptional().meta({
    description:
      "Payload while none of these rules is ON, as a text or as { payload, expect }. Default none: nothing is sent when a choice ends. Never sent before a choice was: vigie does not undo what it did not do.",
  }),
  unknown: branch.exactOptional().meta({
    description:
      "Payload while the rule that decides is unknown, as a text or as { payload, expect }. Default none: the payload that was sent last stays.",
  }),
  qos: z
    .union([z.literal(0), z.literal(1), z.literal(2)], { error: "0, 1 or 2" })
    .default(1)
    .meta({
      description:
        "How the message is secured on its way to the broker: 0, 1 or 2. Default 1: with 0 it may be lost, 2 costs more and is seldom worth it.",
    }),
  retain: z.boolean().default(false).meta({
    description:
      "Whether the broker keeps the message for a device that comes later. Default false: a retained command switches the device again at each of its starts.",
  }),
  confirm: confirm.exactOptional(),
});

const A_LIST = "a list of outputs ([] for none), or { dry_when_simulated: …, list: … }";
// A schema with an id stands once in the JSON schema, wherever it is used.
const list = z.array(output.meta({ id: "output" }), { error: A_LIST });

/**
 * A list, or a group with the list in it: only there an option that is about all outputs can be set, as
 * `outputs.dry_when_simulated`.
 */
export const outputsOptions = z
  .union(
    [
      list,
      z.strictObject({
        dry_when_simulated: z.boolean().default(false).meta({
          description:
            "Whether outputs ignore a simulation and follow the true days. Default false: a simulation reaches the devices, which is what it is for.",
        }),
        list: list.default([]).meta({ description: "The outputs. Default none." }),
      }),
    ],
    { error: A_LIST },
  )
  .default([])
  .meta({
    description:
      "What is sent to devices while a rule is ON: a list of outputs, or { dry_when_simulated, list }. Default none; with service.base_url: simulator and mqtt.url: embedded two outputs for devices that are simulated there.",
  });

type GivenOutput = z.output<typeof output>;

export function finishOutputs(given: z.output<typeof outputsOptions>): Outputs {
  const { dry_when_simulated, list: outputs } = Array.isArray(given)
    ? { dry_when_simulated: false, list: given }
    : given;
  return { dry_when_simulated, list: outputs.map(readOutput) };
}

/** `confirm.expect` is that of each payload that has none of its own. */
function readOutput({ id, name, confirm, choose, else: otherwise, unknown, ...rest }: GivenOutput): Output {
  const { expect: usual, ...confirmation } = confirm ?? { expect: undefined };
  const read = <Given extends Payload>(one: Given): Given =>
    usual === undefined || one.expect !== undefined ? one : { ...one, expect: usual };
  const readBranch = (one: string | Payload) => read(typeof one === "string" ? { payload: one } : one);
  return {
    ...rest,
    id: id ?? idOfTopic(rest.topic),
    name: readName(name, id ?? rest.topic),
    choose: choose.map(read),
    ...(otherwise !== undefined && { else: readBranch(otherwise) }),
    ...(unknown !== undefined && { unknown: readBranch(unknown) }),
    ...("topic" in confirmation && { confirm: confirmation }),
  };
}
