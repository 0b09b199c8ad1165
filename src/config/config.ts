import type { z } from "zod";
import type { configSchema } from "./config-schema.ts";

/**
 * The configuration after it was read and checked. Options have the names of the configuration file (the schemas describe
 * each), every default is filled in, durations are milliseconds and paths are absolute.
 */
export type Config = z.output<typeof configSchema>;
export type ServiceConfig = Config["service"];
export type MqttConfig = Config["mqtt"];
export type HomeAssistantConfig = Config["homeassistant"];
export type HttpConfig = Config["http"];
