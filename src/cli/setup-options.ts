import { DEVICE_KINDS, type Device, type DeviceKind, USES } from "../config/device-templates.ts";
import { fieldsOf, MESSAGE_KINDS, type MessageKind, usualServer } from "../config/message-templates.ts";
import { nearest } from "../config/nearest-word.ts";
import type { GivenDevice, GivenMessage, SetupOptions } from "../setup/context.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** The command line of `vigie setup`; throws WrongUsage with the first thing that is wrong in it. */
export function readSetupOptions(args: string[]): SetupOptions {
  const { values } = readArgs({ args, options: OPTIONS });
  const { language } = values;
  if (language !== undefined && language !== "fr" && language !== "en")
    throw new WrongUsage(`Expected --language to be fr or en, got ${language}`);
  return {
    service: values.service,
    official: values.official,
    broker: values.broker,
    username: values.username,
    passwordFile: values["password-file"],
    caFile: values["ca-file"],
    language,
    devices: (values.device ?? []).map(readDevice),
    messages: (values.message ?? []).map(readMessage),
    tries: values.try ?? false,
    config: values.config,
    yes: values.yes ?? false,
  };
}

const OPTIONS = {
  service: { type: "string" },
  official: { type: "string" },
  broker: { type: "string" },
  username: { type: "string" },
  "password-file": { type: "string" },
  "ca-file": { type: "string" },
  language: { type: "string" },
  device: { type: "string", multiple: true },
  message: { type: "string", multiple: true },
  try: { type: "boolean" },
  config: { type: "string" },
  yes: { type: "boolean" },
} as const;

/** `use=boiler,kind=tasmota,place=boiler` */
function readDevice(text: string): GivenDevice {
  const wrong: Wrong = (problem) => new WrongUsage(`--device ${text}: ${problem}`);
  const { use = "", kind: givenKind = "", id, name, ...rest } = readPairs(text, KEYS, wrong);
  const given = { use: oneOf("use", use, USES, wrong), id, name };
  const kind = oneOf("kind", givenKind, DEVICE_KINDS, wrong);
  expectKeys(rest, kind, kind === "other" ? OF_OTHERS : OF_KINDS, wrong);
  return { ...given, device: deviceOf(kind, rest) };
}

/** `kind=ntfy,server=https://ntfy.example.org,secret_file=/etc/vigie/ntfy` */
function readMessage(text: string): GivenMessage {
  const wrong: Wrong = (problem) => new WrongUsage(`--message ${text}: ${problem}`);
  const { kind: givenKind = "", id, name, ...rest } = readPairs(text, KEYS_OF_MESSAGES, wrong);
  const kind = oneOf("kind", givenKind, MESSAGE_KINDS, wrong);
  expectKeys(rest, kind, keysOfMessage(kind), wrong);
  return { message: { kind, ...rest }, id, name };
}

function keysOfMessage(kind: MessageKind): KindKeys {
  const others = usualServer(kind) === undefined ? [] : ["server"];
  const keys = fieldsOf(kind).map((field) => (field === "secret" ? "secret_file" : field));
  return { needed: keys.filter((key) => !others.includes(key)), others };
}

type Wrong = (problem: string) => WrongUsage;

function oneOf<Word extends string>(key: string, given: string, words: readonly Word[], wrong: Wrong): Word {
  const word = words.find((one) => one === given);
  if (word === undefined)
    throw wrong(`expected ${key} to be one of ${words.join(", ")}, got ${given || "nothing"}`);
  return word;
}

/** What a kind of device or message needs, and what it may have, too. */
interface KindKeys {
  needed: readonly string[];
  others: readonly string[];
}

function expectKeys(
  given: Record<string, string>,
  kind: string,
  { needed, others }: KindKeys,
  wrong: Wrong,
): void {
  const missing = needed.filter((key) => given[key] === undefined);
  if (missing.length > 0) throw wrong(`expected ${missing.join(" and ")} for kind=${kind}, got nothing`);
  const useless = Object.keys(given).filter((key) => ![...needed, ...others].includes(key));
  if (useless.length > 0) throw wrong(`expected no ${useless.join(" and no ")} for kind=${kind}`);
}

function readPairs(text: string, keys: readonly string[], wrong: Wrong): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",")) {
    const [, key = "", value = ""] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (!keys.includes(key) || value === "") {
      const near = keys.includes(key) ? undefined : nearest(key, keys);
      const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
      throw wrong(`expected KEY=VALUE with a key of ${keys.join(", ")}, got ${JSON.stringify(part)}${meant}`);
    }
    if (pairs[key] !== undefined) throw wrong(`expected ${key} once`);
    pairs[key] = value;
  }
  return pairs;
}

function deviceOf(kind: DeviceKind, rest: Record<string, string>): Device {
  const { place = "", relay, topic = "", payload = "", report } = rest;
  if (kind !== "other") return { kind, place, relay };
  return { kind, topic, payload, otherwise: rest["else"], report };
}

const OF_KINDS = { needed: ["place"], others: ["relay"] };
const OF_OTHERS = { needed: ["topic", "payload"], others: ["else", "report"] };
const KEYS = [
  "use",
  "kind",
  ...[OF_KINDS, OF_OTHERS].flatMap(({ needed, others }) => [...needed, ...others]),
  "id",
  "name",
];

const KEYS_OF_MESSAGES = ["kind", "server", "from", "to", "secret_file", "id", "name"];
