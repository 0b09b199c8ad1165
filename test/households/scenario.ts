import type { SourceFault } from "./sources.ts";
import type { StateFileMishap } from "./state-file-mishaps.ts";
import type { LoginRefusal, Retained, SourceName } from "./trace.ts";
import type { WrongEdit } from "./wrong-edits.ts";

/** A whole household as plain data: what is generated, run, shrunk and printed. */
export interface Scenario {
  seed: number;
  /** When it begins, in UTC, such as 2026-01-04T09:12:00Z. */
  from: string;
  /** Seconds that it lives. */
  length: number;
  /** How often the sources say odd things, from 0 to 1. */
  trouble: number;
  /** How many days before its beginning the sources know; fewer make a household live faster. */
  history: number;
  /** Days whose colour is not the invented one, such as some rouge days in a row. */
  colors?: Readonly<Record<string, "bleu" | "blanc" | "rouge">>;
  /** From this day on the service names prices that are so much higher, in EUR/kWh. */
  dearer?: { from: string; by: number };
  /** MQTT 3.1.1 only. */
  oldBroker: boolean;
  /** The configurations that the owner writes, one after the other. The first is that of the first start. */
  configs: readonly HouseConfig[];
  devices: readonly Device[];
  /** In the order of time. */
  events: readonly ScriptEvent[];
}

/** As it stands in the YAML. */
export interface HouseConfig {
  [option: string]: unknown;
  rules: readonly RuleText[];
  outputs: { dry_when_simulated?: boolean; list: readonly OutputText[] };
}

export interface RuleText {
  id: string;
  name?: NameText;
  when: ConditionText;
  lead?: string;
  lag?: string;
  hold?: string;
  threshold?: number;
  when_unknown?: "on" | "off";
}

/** In one language, or in both. */
export type NameText = string | Readonly<Record<"fr" | "en", string>>;

export interface ConditionText {
  [key: string]: unknown;
  all?: ConditionText[];
  any?: ConditionText[];
  not?: ConditionText;
  rule?: string;
}

export type PayloadText = string | Record<string, unknown>;

export interface OutputText {
  id?: string;
  name?: NameText;
  topic?: string;
  url?: string;
  method?: "GET" | "POST" | "PUT";
  headers?: Record<string, string>;
  content_type?: string;
  /** The name of a file that `SECRET_FILES` has. */
  secret_file?: string;
  message?: true;
  choose: readonly { when: string; payload: PayloadText; expect?: PayloadText }[];
  else?: PayloadText;
  unknown?: PayloadText;
  qos?: 0 | 1 | 2;
  retain?: boolean;
  confirm?: ConfirmText;
}

export interface ConfirmText {
  topic?: string;
  url?: string;
  path?: string;
  every?: string;
  for?: string;
  keep?: true;
  online?: { topic: string; equals: PayloadText | boolean };
}

/** What listens to an output, over MQTT and over HTTP, and how it answers. */
export interface Device {
  /** The id of its output. Over HTTP this is how its address begins. */
  id: string;
  /** Where it hears over MQTT what it is to do. Default: its id and `/set`. */
  hears?: string;
  /** Where it reports over MQTT. */
  report?: {
    topic: string;
    retain: boolean;
    /** It also reports what it does each time that so many seconds have passed. */
    every?: number;
  };
  /** Where in the JSON of its reports and answers. */
  path: string | undefined;
  /** Where it says that it is there, and its broker that it is not. */
  online?: { topic: string; there: string; gone: string };
  manner: Manner;
  /** What it does after which payload, in the words of its reports; without an entry the payload itself. */
  words: Readonly<Record<string, string>>;
}

type Manner =
  | "obeys"
  | "ignores"
  | "contradicts"
  | "answers late"
  /** It obeys, and reports nothing by itself. */
  | "is silent"
  /** Another automation switches it back each time. */
  | "is switched back"
  /** It obeys, then does something else and what it was told by turns. */
  | "flaps";

/** What is wrong with the way over HTTP to a device, or with how it answers. */
export type WebFault =
  /** The port is closed; or nobody answers, not even to the connection. */
  | { kind: "refuses" | "is unreachable" }
  /** It closes the connection before it has read the request, or after it has obeyed: it answers questions then. */
  | { kind: "closes before" | "closes after" }
  /** It reads the request, obeys, and answers after so many seconds; null: never. */
  | { kind: "hangs"; seconds: number | null }
  | { kind: "status"; status: 302 | 401 | 404 | 429 | 500 | 502 | 503; retryAfter?: number }
  /** What an answer is: 10 MB, no JSON, JSON without what is asked for, compressed; or all of the request once more. */
  | { kind: "long" | "no json" | "no value" | "compressed" | "echo" };

/** `at`, `for` and `every` are seconds; `at` since the beginning. */
export type ScriptEvent = { at: number } & (
  | { kind: "start" | "stop" }
  /** After so many steps (requests, messages, writes) from here, at the latest after 10 s. */
  | { kind: "kill"; steps: number }
  /** The owner writes another configuration. A vigie that runs reads it. */
  | { kind: "edit"; config: number; wrong?: WrongEdit }
  /** The same configuration is put in force once more. */
  | { kind: "reload" }
  | { kind: "jump"; by: number }
  | { kind: "suspend"; for: number }
  | { kind: "broker"; how: "stopped" | "killed" | "frozen"; for: number; retained: Retained }
  /** The broker writes what it holds to its disk: with `retained: "saved"` it comes up with this. */
  | { kind: "broker saves" }
  /** Meanwhile the broker delivers what it sends to vigie with QoS 1 twice: at once, and once more after a lost connection. */
  | { kind: "duplicates"; for: number }
  /** Meanwhile the broker lets nobody connect without this password. `cuts`: it also ends the connections that it has. */
  | { kind: "password"; password: string; code: LoginRefusal; cuts: boolean; for: number }
  | { kind: "connection lost" }
  | { kind: "latency"; milliseconds: number; for: number }
  /** `ends`: the broker ends the connection at a message of this topic. */
  | { kind: "refuse"; topic: string; ends?: true; for: number }
  | { kind: "source"; source: SourceName; fault: SourceFault; for: number }
  | { kind: "disk"; fault: "hangs" | "fails"; for: number }
  | ({ kind: "state file" } & StateFileMishap)
  | { kind: "command"; topic: string; payload: string; retain?: boolean }
  | { kind: "home assistant"; payload: "online" | "offline" }
  /** Somebody else publishes on a topic of vigie; retained if nothing else is said, with QoS 1. */
  | { kind: "foreign"; topic: string; payload: string; retain?: false; qos?: 0 | 2 }
  /** A vigie on another machine starts with the same base topic: it asks first, or takes it over. It ends after so long. */
  | { kind: "other vigie"; how: "asks" | "takes over"; for: number }
  /** Somebody deletes all that the broker holds at this topic and below it. */
  | { kind: "delete"; below: string }
  /** Somebody publishes this as the report of a device. */
  | { kind: "report"; topic: string; payload: string; retain: boolean }
  /** Somebody operates a device by hand: it does something else then, or what it was told. */
  | { kind: "press"; device: string }
  /**
   * A device has no power for so long, and does something else then. `back`: what it publishes when it has power again: that it is there
   * and its state, the state first, only that it is there, or nothing. `keeps`: only its connection was away, and it does what it did.
   */
  | {
      kind: "power";
      device: string;
      for: number;
      back: "report" | "report first" | "online" | "silence";
      keeps?: true;
    }
  /** `device`: only of this one of the host. */
  | { kind: "web"; host: string; device?: string; fault: WebFault; for: number }
  /** A file with a secret cannot be read for so long. */
  | { kind: "secret file"; name: string; for: number }
  | Series
  /** From here on nothing has happened for a while: what the broker holds is noted. */
  | { kind: "quiet" }
  /** Somebody looks at all that can be read of vigie. */
  | { kind: "look"; name: string }
);

/** A value of the house that is published again and again: one of some words, or a number that moves between two bounds. */
export interface Series {
  kind: "series";
  topic: string;
  /** On average. */
  every: number;
  for: number;
  retain: boolean;
  values: { words: readonly string[] } | { low: number; high: number; path: string | undefined };
}
