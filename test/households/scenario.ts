import type { SourceFault } from "./sources.ts";
import type { SourceName } from "./trace.ts";

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
  when: ConditionText;
  lead?: string;
  lag?: string;
  hold?: string;
  threshold?: number;
  when_unknown?: "on" | "off";
}

export interface ConditionText {
  [key: string]: unknown;
  all?: ConditionText[];
  any?: ConditionText[];
  not?: ConditionText;
  rule?: string;
}

type PayloadText = string | Record<string, unknown>;

export interface OutputText {
  topic: string;
  choose: readonly { when: string; payload: PayloadText; expect?: PayloadText }[];
  else?: PayloadText;
  unknown?: PayloadText;
  qos?: 0 | 1 | 2;
  retain?: boolean;
  confirm?: { topic: string; path?: string; every?: string; for?: string };
}

/** What listens to an output, and how it answers. */
export interface Device {
  /** Of its commands. */
  topic: string;
  /** Where it reports, and where in its JSON. */
  report: string;
  path: string | undefined;
  retain: boolean;
  manner: "obeys" | "ignores" | "contradicts" | "answers late";
  /** It also reports what it does each time that so many seconds have passed. */
  every?: number;
  /** What it reports after which payload; without an entry the payload itself. */
  words: Readonly<Record<string, string>>;
}

/** `at`, `for` and `every` are seconds; `at` since the beginning. */
export type ScriptEvent = { at: number } & (
  | { kind: "start" | "stop" }
  /** After so many steps (requests, messages, writes) from here, at the latest after 10 s. */
  | { kind: "kill"; steps: number }
  /** The owner writes another configuration. A vigie that runs reads it. */
  | { kind: "edit"; config: number }
  /** The same configuration is put in force once more. */
  | { kind: "reload" }
  | { kind: "jump"; by: number }
  | { kind: "suspend"; for: number }
  | { kind: "broker"; how: "stopped" | "killed" | "frozen"; for: number; retained: "kept" | "lost" }
  | { kind: "connection lost" }
  | { kind: "latency"; milliseconds: number; for: number }
  | { kind: "refuse"; topic: string; for: number }
  | { kind: "source"; source: SourceName; fault: SourceFault; for: number }
  | { kind: "disk"; fault: "hangs" | "fails"; for: number }
  | { kind: "state file"; from: "earlier" | "none" }
  | { kind: "command"; topic: string; payload: string; retain?: boolean }
  | { kind: "home assistant"; payload: "online" | "offline" }
  /** Somebody else writes a retained topic below the base topic. */
  | { kind: "foreign"; topic: string; payload: string }
  /** Somebody operates a device by hand: it reports this. */
  | { kind: "report"; topic: string; payload: string; retain: boolean }
  | Series
  /** From here on nothing has happened for a while: what the broker holds is noted. */
  | { kind: "quiet" }
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
