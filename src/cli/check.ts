import { parseArgs } from "node:util";
import type { Config } from "../config/config.ts";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import type { Io } from "./io.ts";

type CheckIo = Pick<Io, "env" | "cwd" | "stdout" | "stderr">;

/** Asks each endpoint and the broker, and says what was assumed; the exit code. */
export type LiveCheck = (config: Config, io: CheckIo) => Promise<number>;

/** Is the configuration right? With `--live`, also whether the service and the broker answer. */
export async function check(args: string[], io: CheckIo, checkLive?: LiveCheck): Promise<number> {
  const options = parseOptions(args, io);
  if (!options) return 2;
  const loaded = await load(options.config, io);
  if (!loaded) return 2;
  describe(loaded, io);
  return options.live && checkLive ? checkLive(loaded.config, io) : 0;
}

function parseOptions(args: string[], { stderr }: CheckIo): { config?: string; live?: boolean } | undefined {
  try {
    return parseArgs({ args, options: { config: { type: "string" }, live: { type: "boolean" } } }).values;
  } catch (error) {
    stderr.write(`vigie check: ${(error as Error).message}\n`);
    return undefined;
  }
}

async function load(
  file: string | undefined,
  { env, cwd, stderr }: CheckIo,
): Promise<LoadedConfig | undefined> {
  try {
    return await loadConfig({ file, env, cwd });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) stderr.write(`${problem}\n`);
    return undefined;
  }
}

function describe({ config, file, warnings }: LoadedConfig, { stderr }: CheckIo): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  const { service, mqtt, instance, rules, state } = config;
  const source = service.base_url === "simulator" ? "simulator (invented days)" : service.base_url;
  const broker = mqtt.url === "embedded" ? "embedded (one of vigie's own, on 127.0.0.1)" : mqtt.url;
  const user = mqtt.username === undefined ? "" : ` as ${mqtt.username}`;
  stderr.write(`The configuration is right.
  file      ${file ?? "none: everything comes from variables"}
  source    ${source}
  broker    ${broker}${user}
  topics    ${mqtt.base_topic}/… (instance ${instance})
  rules     ${rules.length === 0 ? "none: the days are told, nothing is switched" : rules.length}
  state     ${state}
`);
}
