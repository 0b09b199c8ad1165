import type { State } from "./book/state.ts";
import type { Store } from "./book/store.ts";
import type { Config, MqttConfig } from "./config/config.ts";
import { prepareFarewell } from "./homeassistant/farewell.ts";
import { isBrokerError } from "./mqtt/errors.ts";
import { type Identity, ownerOf } from "./mqtt/owner.ts";
import { type Farewell, purgeBase } from "./mqtt/purge.ts";
import { openVisit, type VisitOptions } from "./mqtt/visit.ts";
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
 * Clears what was published before the settings changed, base topic and discovery messages, once the new ones are whole.
 * What cannot be cleared now is tried again at the next start: the state file remembers it until it is done.
 */
export async function leaveFormerPlace(options: FormerPlaceOptions): Promise<void> {
  const { config, store, trouble } = options;
  const former = store.state().published;
  try {
    if (former && !(await isLeft(former, options))) return;
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

type FormerPlace = NonNullable<State["published"]>;

/** Whether nothing of ours is left where vigie published formerly; false where another vigie lives there. */
async function isLeft(former: FormerPlace, options: FormerPlaceOptions): Promise<boolean> {
  const { config, identity, log, signal } = options;
  const { instance, mqtt, homeassistant } = config;
  const isAnnouncedElsewhere = former.instance !== instance || former.prefix !== homeassistant.prefix;
  const farewell = isAnnouncedElsewhere ? prepareFarewell(former, signal) : undefined;
  const visiting = { ...options, instance: former.instance };
  if (former.base_topic === mqtt.base_topic) {
    if (farewell) await leaveDiscovery(farewell, visiting);
    return true;
  }
  const broker = { ...options.broker, base_topic: former.base_topic };
  const self = ownerOf(identity, instance);
  const result = await purgeBase({ ...visiting, broker, self, ...(farewell && { farewell }) });
  if ("living" in result) return false;
  log.info(
    `${result.cleared.length} topics below ${former.base_topic} were cleared: vigie publishes below ${mqtt.base_topic} now`,
  );
  return true;
}

async function leaveDiscovery(farewell: Farewell, options: VisitOptions): Promise<void> {
  const visit = await openVisit({ ...options, beyond: farewell.hear });
  try {
    await farewell.leave(visit.link);
  } finally {
    await visit.leave();
  }
}

function rememberPlace(
  { instance, mqtt: { base_topic }, homeassistant: { prefix } }: Config,
  store: Store,
): Promise<void> {
  return store.save({ ...store.state(), published: { base_topic, instance, prefix } });
}
