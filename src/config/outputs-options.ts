import { createHash } from "node:crypto";
import { z } from "zod";
import type { Language } from "../core/calendar/day-in-words.ts";
import type {
  Confirmation,
  HttpAccess,
  HttpTarget,
  MqttTarget,
  Output,
  Outputs,
  Payload,
} from "../core/outputs/output.ts";
import { confirm } from "./confirm-options.ts";
import { requestOptions } from "./http-output-options.ts";
import { idOfTopic } from "./id-word.ts";
import { placeOfAddress } from "./output-address.ts";
import { branch, expect, isGroup, payload } from "./payload-options.ts";
import { idWord, nameInLanguages, readName, topic } from "./value-schemas.ts";

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
      "Names the output in topics and entities: small letters and digits, joined by underscores. Each once. Default: the topic in small letters, with _ for all else, at most 40 characters; with url there is no default.",
  }),
  name: nameInLanguages.exactOptional().meta({
    description:
      "What people read, in one language or both: { fr: …, en: … }. Default: the id, or the topic where none is given.",
  }),
  topic: topic.exactOptional().meta({
    description:
      "Topic of the device, written in full; one output a topic. Each output has either topic or url.",
  }),
  ...requestOptions,
  message: z.boolean().default(false).meta({
    description:
      "Whether people read it: it is sent once when its choice begins and once for each later day for which its rule is ON, and not again because a placeholder in it has changed. Goes without else and confirm. Default false.",
  }),
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
    .exactOptional()
    .meta({
      description:
        "How the message is secured on its way to the broker: 0, 1 or 2. Default 1: with 0 it may be lost, 2 costs more and is seldom worth it.",
    }),
  retain: z.boolean().exactOptional().meta({
    description:
      "Whether the broker keeps the message for a device that comes later. Default false: a retained command switches the device again at each of its starts.",
  }),
  confirm: confirm.exactOptional(),
});

export const A_LIST_OF_OUTPUTS =
  "a list of outputs, each beginning with - id: …, [] for none, or { dry_when_simulated: …, list: [ … ] }";
// A schema with an id stands once in the JSON schema, wherever it is used.
const list = z.array(output.meta({ id: "output" }), { error: A_LIST_OF_OUTPUTS });

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
    { error: A_LIST_OF_OUTPUTS },
  )
  .default([])
  .meta({
    description:
      "What is sent to devices while a rule is ON: a list of outputs, or { dry_when_simulated, list }. Default none; with service.base_url: simulator and mqtt.url: embedded two outputs for devices that are simulated there.",
  });

type GivenOutput = z.output<typeof output>;
type GivenConfirmation = z.output<typeof confirm>;

export function finishOutputs(given: z.output<typeof outputsOptions>, language: Language): Outputs {
  const { dry_when_simulated, list: outputs } = Array.isArray(given)
    ? { dry_when_simulated: false, list: given }
    : given;
  return { dry_when_simulated, list: outputs.map((output) => readOutput(output, language)) };
}

function readOutput(given: GivenOutput, language: Language): Output {
  const { id, name, topic: at, url, confirm: confirmation, message } = given;
  const access = url === undefined && confirmation?.url === undefined ? undefined : readAccess(given);
  return {
    id: id ?? idOfTopic(at ?? ""),
    name: readName(name, id ?? at ?? ""),
    language,
    key: url === undefined ? (at ?? "") : keyOfAddress(id ?? "", url),
    to: url === undefined ? readTopic(given) : readRequest(url, given),
    ...(access && { access }),
    message,
    ...readPayloads(given),
    ...(confirmation && { confirm: readConfirmation(confirmation) }),
  };
}

/** With another address it is another device, of which nothing is known. The state file must not show the address itself. */
function keyOfAddress(id: string, url: string): string {
  return `http:${id}:${createHash("sha256").update(url).digest("hex").slice(0, 8)}`;
}

function readTopic({ topic: at = "", qos = 1, retain = false }: GivenOutput): MqttTarget {
  return { kind: "mqtt", topic: at, qos, retain };
}

function readRequest(url: string, { method, content_type }: GivenOutput): HttpTarget {
  return {
    kind: "http",
    place: placeOfAddress(url),
    url,
    method: method ?? (url.includes("{payload}") ? "GET" : "POST"),
    ...(content_type !== undefined && { content_type }),
  };
}

function readAccess({ headers = {}, secret_file, tls }: GivenOutput): HttpAccess {
  return {
    headers,
    ...(secret_file !== undefined && { secret_file }),
    ...(tls?.ca_file !== undefined && { ca_file: tls.ca_file }),
  };
}

/** `confirm.expect` is that of each payload that has none of its own. */
function readPayloads({ confirm: confirmation, choose, else: otherwise, unknown }: GivenOutput) {
  const usual = confirmation?.expect;
  const read = <Given extends Payload>(one: Given): Given =>
    usual === undefined || one.expect !== undefined ? one : { ...one, expect: usual };
  const readBranch = (one: string | Payload) => read(typeof one === "string" ? { payload: one } : one);
  return {
    choose: choose.map(read),
    ...(otherwise !== undefined && { else: readBranch(otherwise) }),
    ...(unknown !== undefined && { unknown: readBranch(unknown) }),
  };
}

function readConfirmation({ expect: _, topic: at = "", url, ...rest }: GivenConfirmation): Confirmation {
  const from: Confirmation["from"] =
    url === undefined ? { kind: "mqtt", topic: at } : { kind: "http", place: placeOfAddress(url), url };
  return { from, ...rest };
}
