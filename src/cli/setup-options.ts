import {
  DEVICE_KINDS,
  DEVICE_USES,
  type Device,
  type DeviceKind,
  type DeviceUse,
} from "../config/device-templates.ts";
import { nearest } from "../config/nearest-word.ts";
import type { GivenDevice, SetupOptions } from "../setup/context.ts";
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
  try: { type: "boolean" },
  config: { type: "string" },
  yes: { type: "boolean" },
} as const;

/** `use=boiler,kind=tasmota,place=boiler` */
function readDevice(text: string): GivenDevice {
  const wrong = (problem: string) => new WrongUsage(`--device ${text}: ${problem}`);
  const { use = "", kind = "", ...rest } = readPairs(text, wrong);
  if (!isUse(use)) throw wrong(`expected use to be one of ${USES.join(", ")}, got ${use || "nothing"}`);
  if (!isKind(kind))
    throw wrong(`expected kind to be one of ${DEVICE_KINDS.join(", ")}, got ${kind || "nothing"}`);
  const { needed, others } = kind === "other" ? OF_OTHERS : OF_KINDS;
  const missing = needed.filter((key) => rest[key] === undefined);
  if (missing.length > 0) throw wrong(`expected ${missing.join(" and ")} for kind=${kind}, got nothing`);
  const useless = Object.keys(rest).filter((key) => ![...needed, ...others, "id", "name"].includes(key));
  if (useless.length > 0) throw wrong(`expected no ${useless.join(" and no ")} for kind=${kind}`);
  return { use, device: deviceOf(kind, rest), id: rest["id"], name: rest["name"] };
}

function readPairs(text: string, wrong: (problem: string) => WrongUsage): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",")) {
    const [, key = "", value = ""] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (!KEYS.includes(key) || value === "") {
      const near = KEYS.includes(key) ? undefined : nearest(key, KEYS);
      const meant = near === undefined ? "" : ` (did you mean ${near}?)`;
      throw wrong(`expected KEY=VALUE with a key of ${KEYS.join(", ")}, got ${JSON.stringify(part)}${meant}`);
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

const USES = Object.keys(DEVICE_USES);
const OF_KINDS = { needed: ["place"], others: ["relay"] };
const OF_OTHERS = { needed: ["topic", "payload"], others: ["else", "report"] };
const KEYS = [
  "use",
  "kind",
  ...[OF_KINDS, OF_OTHERS].flatMap(({ needed, others }) => [...needed, ...others]),
  "id",
  "name",
];

function isUse(word: string): word is DeviceUse {
  return USES.includes(word);
}

function isKind(word: string): word is DeviceKind {
  return (DEVICE_KINDS as readonly string[]).includes(word);
}
