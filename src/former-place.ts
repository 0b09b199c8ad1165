import type { Store } from "./book/store.ts";
import type { Config, MqttConfig } from "./config/config.ts";
import { isBrokerError } from "./mqtt/errors.ts";
import { type Identity, ownerOf } from "./mqtt/owner.ts";
import { purgeBase } from "./mqtt/purge.ts";
import type { Clock } from "./runtime/clock.ts";
import type { Log } from "./runtime/log.ts";
import type { Trouble } from "./runtime/trouble.ts";

interface FormerPlaceOptions {
  config: Config;
  /** The broker in use now. */
  broker: MqttConfig;
  store: Store;
  identity: Identity;
  clock: Clock;
  random: () => number;
  log: Log;
  trouble: Trouble;
  signal: AbortSignal;
}

/** The first place ever is remembered before anything is published there: vigie may end at any moment. */
export async function rememberFirstPlace({ config, store }: Pick<FormerPlaceOptions, "config" | "store">) {
  if (!store.state().published) await rememberPlace(config, store);
}

/**
 * Clears the base topic that was published to before the setting changed, once the new one is whole. What cannot be
 * cleared now is tried again at the next start: the state file remembers it until it is done.
 */
export async function leaveFormerPlace(options: FormerPlaceOptions): Promise<void> {
  const { config, store, identity, log, trouble } = options;
  const { instance, mqtt } = config;
  const former = store.state().published;
  try {
    if (former && former.base_topic !== mqtt.base_topic) {
      const broker = { ...options.broker, base_topic: former.base_topic };
      const self = ownerOf(identity, instance);
      const result = await purgeBase({ ...options, broker, instance: former.instance, self });
      if ("living" in result) return;
      log.info(
        `${result.cleared.length} topics below ${former.base_topic} were cleared: vigie publishes below ${mqtt.base_topic} now`,
      );
    }
    await rememberPlace(config, store);
  } catch (error) {
    if (options.signal.aborted) return;
    if (!isBrokerError(error)) throw error;
    trouble.begins(
      "former place",
      `The topics below ${former?.base_topic} are still there: ${error.message}`,
    );
  }
}

function rememberPlace({ instance, mqtt: { base_topic } }: Config, store: Store): Promise<void> {
  return store.save({ ...store.state(), published: { base_topic, instance } });
}
