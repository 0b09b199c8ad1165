import type { Place } from "../core/discovery/describe-device.ts";
import { removeAll } from "../core/discovery/migrate-discovery.ts";
import type { BrokerLink } from "./connection-users.ts";
import { deliver } from "./deliver-discovery.ts";
import { createReader } from "./discovery-reader.ts";
import type { DiscoveryRemoval } from "./purge.ts";

/**
 * Takes the messages at these places off the broker, and leaves Home Assistant the time to forget the entities. `before`:
 * it may have been told of them just now.
 */
export function prepareDiscoveryRemoval(
  places: readonly Place[],
  { signal, before }: { signal: AbortSignal; before: boolean },
): DiscoveryRemoval {
  const readers = places.map((place) => ({ place, reader: createReader(place) }));
  const remove = async (link: BrokerLink, { place, reader }: (typeof readers)[number]) => {
    const steps = removeAll(await reader.read(link), place);
    await deliver(steps, { link, signal, before, after: true });
    return steps.flat().map(({ topic }) => topic);
  };
  return {
    onMessage: (message) => {
      for (const { reader } of readers) reader.hear(message);
    },
    remove: async (link) => (await Promise.all(readers.map((one) => remove(link, one)))).flat(),
  };
}
