import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { configSchema } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Instant } from "../core/calendar/tariff.ts";
import { isShipped } from "../setup/file-before.ts";
import type { Io } from "./io.ts";
import { readNumber } from "./read-number.ts";
import { readTime } from "./read-time.ts";
import { readArgs, WrongUsage } from "./usage.ts";

export interface DemoPlan {
  config: Config;
  /** Where the rules come from. */
  rulesFrom: string;
  /** What its clock shows at the start. */
  from: Instant;
  /** How many times as fast as the real clock its clock runs. */
  speed: number;
}

/** The command line of `vigie demo`, with the configuration that it names; `state` is the folder to use. */
export async function readDemoPlan(args: string[], io: Io, state: string): Promise<DemoPlan> {
  const { values } = readArgs({ args, options: OPTIONS });
  const file = values.config ?? (await findOwnRules());
  const speed = readNumber("--speed", values.speed, `a number from 1 to ${FASTEST}`, isSpeed);
  const config = { ...(await loadRules(file, io)), state };
  const from = readTime("--from", values.from, config.tariff);
  if (from < FIRST || from >= LAST)
    throw new WrongUsage(`Expected --from to be a time from 2000 to 2099, got ${values.from}`);
  return { config, rulesFrom: file ?? "those that vigie comes with, and a boiler", from, speed };
}

/**
 * A configuration for the demo: rules, outputs and tariff are those of the file, and the names that they were checked with.
 * All else has its default: invented days, a broker of its own. No variable counts, as it may name the broker of the house.
 */
async function loadRules(file: string | undefined, { cwd, signal }: Io): Promise<Omit<Config, "state">> {
  const overrides = {
    service: { base_url: "simulator" },
    official: { source: "simulator" },
    mqtt: { url: "embedded" },
    ...(file === undefined && { outputs: [EXAMPLE_OUTPUT] }),
  };
  const request = file === undefined ? { places: SHIPPED } : { file };
  const { config } = await loadConfig({ ...request, env: {}, cwd, signal, overrides });
  const defaults = configSchema.parse({});
  const { instance, tariff, rules, outputs } = config;
  return {
    ...defaults,
    instance,
    tariff,
    rules,
    // There is no device that could confirm.
    outputs: { ...outputs, list: outputs.list.map(({ confirm: _, ...output }) => output) },
    mqtt: { ...defaults.mqtt, base_topic: config.mqtt.base_topic },
    homeassistant: { ...defaults.homeassistant, discovery: "off" },
  };
}

/** A rouge day, a blanc one, then bleu ones before three rouge days: with the simulator's days, on 20 January 2026. */
const OPTIONS = {
  config: { type: "string" },
  from: { type: "string", default: "2026-01-20T20:00" },
  speed: { type: "string", default: "720" },
} as const;

/** Beside the built program, and beside its sources. */
const SHIPPED = ["..", join("..", "..")].map((up) => join(import.meta.dirname, up, "config", "vigie.yaml"));

/** The shipped file is in the checkout where a set-up writes. undefined: it is as it came. */
async function findOwnRules(): Promise<string | undefined> {
  for (const place of SHIPPED) {
    const text = await readFile(place, "utf8").catch(() => null);
    if (text !== null) return isShipped(text) ? undefined : place;
  }
  return undefined;
}

/** The shipped configuration has none. */
const EXAMPLE_OUTPUT = {
  id: "boiler",
  name: { fr: "Ballon d'eau chaude", en: "Boiler" },
  topic: "shellies/boiler/relay/0/command",
  choose: [{ when: "rouge_peak", payload: "off" }],
  else: "on",
};

function isSpeed(speed: number): boolean {
  return speed >= 1 && speed <= FASTEST;
}

const FASTEST = 100_000;
/** The simulator has no seasons beyond the year 9999; a slip of a digit is told sooner. */
const FIRST = Date.parse("2000-01-01T00:00Z");
const LAST = Date.parse("2100-01-01T00:00Z");
