import type { Config } from "../config/config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import type { ReadFile } from "../config/read-text.ts";
import { watchConfig } from "../config/watch-files.ts";
import type { Log } from "../runtime/log.ts";

interface ReloadOptions {
  load: () => Promise<LoadedConfig>;
  /** Starts again with this configuration. */
  restart: (config: Config) => Promise<void>;
  log: Log;
  /** Masked in the log; a new password is added. */
  secrets: string[];
}

/**
 * Reads the configuration again on SIGHUP and when one of its files has changed. A wrong configuration is logged, and the
 * one before it stays in force. Returns its stop.
 */
export function followConfig(first: LoadedConfig, options: ReloadOptions): () => Promise<void> {
  let current = first;
  let reloading = Promise.resolve();
  const reload = () => {
    reloading = reloading.then(async () => {
      current = (await reloadOnce(first, current, options)) ?? current;
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
  process.on("SIGHUP", reload);
  return async () => {
    process.off("SIGHUP", reload);
    await reloading;
    await stopWatching();
  };
}

/** The configuration that is in force after it; undefined where the one before stays. */
async function reloadOnce(
  first: LoadedConfig,
  current: LoadedConfig,
  { load, restart, log, secrets }: ReloadOptions,
): Promise<LoadedConfig | undefined> {
  const loaded = await load().catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) log.error(`Configuration: ${problem}`);
    log.warn("The new configuration is wrong; the one before it stays in force");
    return undefined;
  });
  if (!loaded) return undefined;
  const refusal = refuseInvented(current.config, loaded.config);
  if (refusal !== null) {
    log.error(`Configuration: ${refusal}`);
    log.warn("The configuration before it stays in force; restart vigie if this change is meant");
    return undefined;
  }
  for (const warning of loaded.warnings) {
    if (!current.warnings.includes(warning)) log.warn(warning);
  }
  const { state, log: logging } = first.config;
  if (loaded.config.state !== state) log.warn("state takes effect at the next start");
  if (!isSame(loaded.config.log, logging)) log.warn("log takes effect at the next start");
  const config = { ...loaded.config, state, log: logging };
  if (isSame(config, { ...current.config, state, log: logging })) {
    log.info("The configuration was read again: nothing has changed");
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
