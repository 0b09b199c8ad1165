import type { Config } from "../config/config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import type { ReadFile } from "../config/read-text.ts";
import { watchConfig } from "../config/watch-files.ts";
import type { Log } from "../runtime/log.ts";
import type { ReloadSignal } from "../runtime/reload-signal.ts";

interface ReloadOptions {
  load: () => Promise<LoadedConfig>;
  /** Starts again with this configuration. */
  restart: (config: Config) => Promise<void>;
  reloadSignal: ReloadSignal;
  log: Log;
  /** Masked in the log; a new password is added. */
  secrets: string[];
}

export interface FollowedConfig {
  /** The configuration in force, with what is wrong with the one that was read last. */
  current: () => LoadedConfig;
  stop: () => Promise<void>;
}

/**
 * Reads the configuration again on a reload signal and when one of its files has changed. A wrong configuration is logged, and the
 * one before it stays in force.
 */
export function followConfig(first: LoadedConfig, options: ReloadOptions): FollowedConfig {
  let current = first;
  let reloading = Promise.resolve();
  const reload = () => {
    reloading = reloading.then(async () => {
      current = await reloadOnce(first, current, options);
      await watch(current.read);
    });
  };
  let watched: readonly string[] = [];
  let stopWatching: () => Promise<void> = async () => undefined;
  // The same watch goes on while the files are the same, so that no change during a reload is missed.
  const watch = async (read: readonly ReadFile[]) => {
    const paths = read.map(({ path }) => path);
    if (paths.join("\n") === watched.join("\n")) return;
    await stopWatching();
    watched = paths;
    stopWatching = watchConfig({ read, changed: reload });
  };
  reloading = watch(first.read);
  const stopListening = options.reloadSignal.listen(reload);
  return {
    current: () => current,
    stop: async () => {
      stopListening();
      await reloading;
      await stopWatching();
    },
  };
}

/** What is in force after it, which may be the configuration before it. */
async function reloadOnce(
  first: LoadedConfig,
  current: LoadedConfig,
  { load, restart, log, secrets }: ReloadOptions,
): Promise<LoadedConfig> {
  const refuse = (problems: readonly string[], what: string): LoadedConfig => {
    for (const problem of problems) log.error(`Configuration: ${problem}`);
    log.warn(what);
    return { ...current, refused: problems };
  };
  const loaded = await load().catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    return error;
  });
  if (loaded instanceof ConfigError)
    return refuse(loaded.problems, "The new configuration is wrong; the one before it stays in force");
  const refusal = refuseInvented(current.config, loaded.config);
  if (refusal !== null) {
    const what = "The configuration before it stays in force; restart vigie if this change is meant";
    return refuse([refusal], what);
  }
  for (const warning of loaded.warnings) {
    if (!current.warnings.includes(warning)) log.warn(warning);
  }
  const { state, log: logging } = first.config;
  if (loaded.config.state !== state) log.warn("state takes effect at the next start");
  if (!isSame(loaded.config.log, logging)) log.warn("log takes effect at the next start");
  const config = { ...loaded.config, state, log: logging };
  if (isSame(config, { ...current.config, state, log: logging })) {
    if (loaded.refused.length === 0) log.info("The configuration was read again: nothing has changed");
    return loaded;
  }
  secrets.push(config.mqtt.password ?? "");
  await restart(config);
  log.info("The new configuration is in force");
  return loaded;
}

/** A file that was emptied, or half written on a full disk, must not make a running vigie publish invented days. */
function refuseInvented(old: Config, wanted: Config): string | null {
  if (old.mqtt.url !== "embedded" && wanted.mqtt.url === "embedded") {
    return "mqtt.url: expected a broker as before, got embedded (or nothing)";
  }
  if (old.service.base_url !== "simulator" && wanted.service.base_url === "simulator") {
    return "service.base_url: expected an address as before, got simulator (or nothing)";
  }
  if (old.official.source !== "simulator" && wanted.official.source === "simulator") {
    return `official.source: expected ${old.official.source} as before, or another real one, got simulator`;
  }
  return null;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
