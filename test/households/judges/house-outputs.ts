import { HOUR } from "../calendar.ts";
import { readDuration } from "./truth/duration.ts";

/** An output as its owner wrote it. Durations in milliseconds. */
export interface OutputText {
  id: string;
  to: { kind: "mqtt"; topic: string } | { kind: "http"; host: string; url: string; isPut: boolean };
  /** In which a payload says a day in words. */
  language: "fr" | "en";
  /** Its requests need a file that may be gone. */
  needsSecretFile: boolean;
  isMessage: boolean;
  /** Over MQTT. */
  qos: number;
  choose: readonly ChoiceText[];
  else: PayloadText | undefined;
  unknown: PayloadText | undefined;
  confirm: ConfirmText | undefined;
  /** All that was written: what has another one is configured otherwise. */
  written: string;
}

export interface PayloadText {
  payload: Template;
  expect: Template | undefined;
}

interface ChoiceText extends PayloadText {
  /** The id of a rule. */
  when: string;
}

/** An object is sent as JSON. */
export type Template = string | object;

interface ConfirmText {
  from: { kind: "mqtt"; topic: string } | { kind: "http"; host: string };
  path: string | undefined;
  every: number;
  for: number;
  keep: boolean;
  online: { topic: string; equals: Template } | undefined;
}

type Given = Record<string, unknown>;

export function readOutput(given: Given, language: "fr" | "en"): OutputText {
  const { id, topic, url, confirm } = given as Record<string, string | undefined>;
  return {
    id: id ?? idOf(topic ?? ""),
    to:
      url === undefined
        ? { kind: "mqtt", topic: topic ?? "" }
        : { kind: "http", host: new URL(url).origin, url, isPut: given.method === "PUT" },
    language,
    needsSecretFile: given.secret_file !== undefined,
    isMessage: given.message === true,
    qos: (given.qos as number | undefined) ?? 1,
    choose: (given.choose as Given[]).map((one) => ({ ...readPayload(one), when: String(one.when) })),
    else: readBranch(given.else),
    unknown: readBranch(given.unknown),
    confirm: confirm === undefined ? undefined : readConfirm(given.confirm as Given),
    written: JSON.stringify([given, language]),
  };
}

/** `zigbee2mqtt_boiler_set` of `zigbee2mqtt/Boiler/set`. */
function idOf(topic: string): string {
  return topic
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40);
}

function readPayload({ payload, expect }: Given): PayloadText {
  return { payload: payload as Template, expect: expect as Template | undefined };
}

/** A text, or `{ payload, expect }`. */
function readBranch(given: unknown): PayloadText | undefined {
  if (given === undefined) return undefined;
  return readPayload(typeof given === "object" && given !== null ? (given as Given) : { payload: given });
}

function readConfirm(given: Given): ConfirmText {
  const { topic, url, path, every = "30s", for: wait, online } = given as Record<string, string | undefined>;
  return {
    from:
      url === undefined ? { kind: "mqtt", topic: topic ?? "" } : { kind: "http", host: new URL(url).origin },
    path,
    every: readDuration(every),
    for: wait === undefined ? HOUR : readDuration(wait),
    keep: given.keep === true,
    online: online === undefined ? undefined : readOnline(given.online as Given),
  };
}

function readOnline({ topic, equals }: Given): { topic: string; equals: Template } {
  const isObject = typeof equals === "object" && equals !== null;
  return { topic: String(topic), equals: isObject ? equals : String(equals) };
}
