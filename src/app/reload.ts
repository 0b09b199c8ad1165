import type { Config } from "../config/config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { ConfigError } from "../config/problems.ts";
import { watchConfig } from "../config/watch-files.ts";
import type { Log } from "../runtime/log.ts";

export interface ReloadOptions {
  load: () => Promise<LoadedConfig>;
  configure: (config: Config) => Promise<void>;
  log: Log;
  /** Masked in the log; a new password joins. */
  secrets: string[];
}

/** Reads the configuration again at SIGHUP and when a file of it changed; a wrong one is said and the old one stays. */
export function followConfig(first: LoadedConfig, options: ReloadOptions): () => Promise<void> {
  let current = first;
  let reloading = Promise.resolve();
  const reload = () => {
    reloading = reloading.then(async () => {
      current = (await renew({ first, current }, options)) ?? current;
      await watching.follow(current.read);
    });
  };
  const watching = createWatching(reload);
  reloading = watching.follow(first.read);
  process.on("SIGHUP", reload);
  return async () => {
    process.off("SIGHUP", reload);
    await reloading;
    await watching.follow([]);
  };
}

/** One watch for as long as the files are the same: what changes while a change is taken over is seen, too. */
function createWatching(changed: () => void) {
  let followed: readonly string[] = [];
  let stop: () => Promise<void> = async () => undefined;
  return {
    follow: async (read: readonly string[]) => {
      if (read.join("\n") === followed.join("\n")) return;
      await stop();
      followed = read;
      stop = watchConfig({ read, changed });
    },
  };
}

async function renew(
  { first, current }: { first: LoadedConfig; current: LoadedConfig },
  { load, configure, log, secrets }: ReloadOptions,
): Promise<LoadedConfig | undefined> {
  const loaded = await load().catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) log.error(`Configuration: ${problem}`);
    log.warn("The new configuration is wrong; the one before it stays in force");
    return undefined;
  });
  if (!loaded) return undefined;
  const lost = lostReality(current.config, loaded.config);
  if (lost !== null) {
    log.error(`Configuration: ${lost}`);
    log.warn("The configuration before it stays in force; restart vigie if this is meant");
    return undefined;
  }
  for (const warning of loaded.warnings) log.warn(warning);
  for (const words of needsRestart(first.config, loaded.config)) log.warn(words);
  const { state, log: logging } = first.config;
  const config = { ...loaded.config, state, log: logging };
  if (JSON.stringify(config) === JSON.stringify({ ...current.config, state, log: logging })) {
    log.info("The configuration was read again: nothing takes effect that was not in force");
    return loaded;
  }
  secrets.push(config.mqtt.password ?? "");
  await configure(config);
  log.info("The new configuration is in force");
  return loaded;
}

/** A file that was emptied or half written by a full disk is no wish to leave a real house for invented days. */
function lostReality(old: Config, wanted: Config): string | null {
  if (old.mqtt.url !== "embedded" && wanted.mqtt.url === "embedded") {
    return `mqtt.url: expected a broker as before, got ${wanted.mqtt.url} (or nothing)`;
  }
  if (old.service.base_url !== "simulator" && wanted.service.base_url === "simulator") {
    return `service.base_url: expected an address as before, got ${wanted.service.base_url} (or nothing)`;
  }
  return null;
}

function needsRestart(old: Config, wanted: Config): string[] {
  const rows = {
    state: [old.state, wanted.state],
    log: [JSON.stringify(old.log), JSON.stringify(wanted.log)],
  };
  return Object.entries(rows)
    .filter(([, [before, after]]) => before !== after)
    .map(([name]) => `${name} takes effect at the next start`);
}
