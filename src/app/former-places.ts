import type { Config, MqttConfig } from "../config/config.ts";
import type { Owner } from "../core/topics/topic.ts";
import type { BrokerLink } from "../mqtt/base-connection.ts";
import { BrokerError } from "../mqtt/broker-errors.ts";
import { removeDiscovery } from "../mqtt/discovery-publisher.ts";
import { hasInstance, type Identity, nameOwner, ownerOf } from "../mqtt/owner.ts";
import { purgeFormer } from "../mqtt/purge.ts";
import { openShortConnection, type ShortConnectionOptions } from "../mqtt/short-connection.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { aborted } from "../runtime/wait.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../state/store.ts";

interface FormerPlacesOptions extends Pick<ShortConnectionOptions, "connect"> {
  config: Config;
  /** The broker in use now. */
  broker: MqttConfig;
  store: Store;
  identity: Identity;
  clock: Clock;
  random: () => number;
  log: Log;
  problemLog: ProblemLog;
  signal: AbortSignal;
}

/** To be saved before anything is published there: vigie may end at any moment. */
export function withPlace(state: State, config: Config): State {
  return { ...state, published: [...formerPlaces(config, state), placeOf(config)] };
}

/**
 * Clears what was published before the settings changed, base topics and discovery messages, after the new ones are published.
 * What cannot be cleared now is tried again at the next start: the state file remembers it until it is done.
 */
export async function clearFormerPlaces(options: FormerPlacesOptions): Promise<void> {
  const { config, store, problemLog, signal } = options;
  const former = formerPlaces(config, store.state());
  // The discovery messages of a base topic are cleared before its topics.
  for (const base of new Set(former.map(({ base_topic }) => base_topic))) {
    const places = former.filter(({ base_topic }) => base_topic === base);
    try {
      if (!(await clearPlaces(places, base, options))) continue;
      const rest = store.state().published.filter((place) => !places.includes(place));
      // A disk that hangs keeps vigie from no reload and no end.
      await Promise.race([store.save({ ...store.state(), published: rest }), aborted(signal)]);
      problemLog.isOver(`former place ${base}`, `The topics below ${base} are cleared`);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BrokerError)) throw error;
      problemLog.starts(
        `former place ${base}`,
        `The topics below ${base}, where vigie published before, cannot be cleared yet: ${error.message}`,
      );
    }
  }
}

/** Where this installation publishes, or did. */
type PublishedPlace = State["published"][number];

/** Clears these places, which share a base topic; false if its owner, a copy of this installation, still runs. */
async function clearPlaces(
  places: readonly PublishedPlace[],
  base_topic: string,
  options: FormerPlacesOptions,
): Promise<boolean> {
  const { config, identity, clock, log, signal } = options;
  const { instance, mqtt, homeassistant, tariff } = config;
  const left = places.filter((one) => one.instance !== instance || one.prefix !== homeassistant.prefix);
  // Another vigie that has the base topic and the former instance may own the discovery messages there, too.
  const clearDiscovery = (link: BrokerLink, otherOwner: Owner | null) => {
    const ours = left.filter((place) => !(otherOwner && hasInstance(otherOwner, place.instance)));
    return removeDiscovery(link, ours, { signal, pauseBefore: true });
  };
  const broker = { ...options.broker, base_topic };
  const visiting = { ...options, broker, instance };
  if (base_topic === mqtt.base_topic) {
    await leaveDiscovery((link) => clearDiscovery(link, null), visiting);
    return true;
  }
  const result = await purgeFormer({ ...visiting, me: ownerOf(identity, instance), clearDiscovery });
  if ("living" in result) return false;
  const { cleared, otherOwner } = result;
  if (otherOwner) {
    const name = nameOwner(otherOwner, clock.now(), tariff.time_zone);
    log.info(
      `The topics below ${base_topic}, where vigie published before, are left to their owner: ${name}`,
    );
  } else if (cleared.length > 0) {
    const where = `below ${base_topic}: vigie publishes below ${mqtt.base_topic} now`;
    log.info(`Cleared ${cleared.length} topics ${where}`);
  }
  return true;
}

async function leaveDiscovery(
  clearDiscovery: (link: BrokerLink) => Promise<string[]>,
  options: ShortConnectionOptions,
): Promise<void> {
  const visit = await openShortConnection(options);
  try {
    await clearDiscovery(visit.link);
  } finally {
    await visit.close();
  }
}

function formerPlaces(config: Config, { published }: State): PublishedPlace[] {
  const here = placeOf(config);
  return published.filter((place) => !isSame(place, here));
}

function placeOf({ instance, mqtt: { base_topic }, homeassistant: { prefix } }: Config): PublishedPlace {
  return { base_topic, instance, prefix };
}

function isSame(one: PublishedPlace, other: PublishedPlace): boolean {
  return (
    one.base_topic === other.base_topic && one.instance === other.instance && one.prefix === other.prefix
  );
}
