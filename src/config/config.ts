import type { Tariff } from "../core/calendar/tariff.ts";
import type { Outputs } from "../core/outputs/output.ts";
import type { Rule } from "../core/rules/rule.ts";
import type { LogFormat, LogLevel } from "../runtime/log.ts";

/**
 * The configuration after it was read and checked. Options have the names of the configuration file (config-schema.ts
 * describes each), every default is filled in, durations are milliseconds and paths are absolute.
 */
export interface Config {
  instance: string;
  service: ServiceConfig;
  mqtt: MqttConfig;
  homeassistant: HomeAssistantConfig;
  tariff: Tariff;
  rules: Rule[];
  outputs: Outputs;
  /** The state folder. */
  state: string;
  log: { level: LogLevel; format: LogFormat };
}

export interface ServiceConfig {
  /** An address without a slash at the end, or `simulator`. */
  base_url: string;
  allow_simulator: boolean;
  /** More spellings of colours. */
  colors: Record<string, "bleu" | "blanc" | "rouge">;
  confidence: "auto" | "ratio" | "percent";
  rate_unit: "EUR/kWh" | "c€/kWh";
  history_parameters: "auto" | { start: string; end: string };
  poll: { every: number; announcement: { between: [string, string]; every: number } };
  late_after: string;
  check_clock: "auto" | "off";
}

export interface HomeAssistantConfig {
  discovery: "device" | "components" | "off";
  prefix: string;
  status_topic: string;
  language: "fr" | "en";
  /** Keys of components that are not published. */
  exclude: string[];
}

export interface MqttConfig {
  /** mqtt:// mqtts:// ws:// wss:// without user and password, or `embedded`. */
  url: string;
  username?: string | undefined;
  password?: string | undefined;
  base_topic: string;
  grace: number;
  tls: {
    ca_file?: string | undefined;
    cert_file?: string | undefined;
    key_file?: string | undefined;
    server_name?: string | undefined;
    verify: boolean;
  };
}

export const DEFAULT_INSTANCE = "vigie";

/** Instances, ids of rules and the like: they become parts of topics and of Home Assistant's ids. */
export const ID_PATTERN = /^[a-z0-9]+(_[a-z0-9]+)*$/;
export const LONGEST_ID = 40;
