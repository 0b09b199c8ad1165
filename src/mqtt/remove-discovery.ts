import type { Place } from "../core/discovery/describe-device.ts";
import { removeAll } from "../core/discovery/migrate-discovery.ts";
import type { BrokerLink } from "./connection-users.ts";
import { deliver } from "./deliver-discovery.ts";
import { readDiscovery } from "./discovery-reader.ts";

/**
 * Takes the messages at these places off the broker, and leaves Home Assistant the time to forget the entities. `before`:
 * it may have been told of them just now. Resolves with the topics that were cleared.
 */
export async function removeDiscovery(
  link: BrokerLink,
  places: readonly Place[],
  { signal, before }: { signal: AbortSignal; before: boolean },
): Promise<string[]> {
  const removeAt = async (place: Place) => {
    const steps = removeAll(await readDiscovery(link, place), place);
    await deliver(steps, { link, signal, before, after: true });
    return steps.flat().map(({ topic }) => topic);
  };
  return (await Promise.all(places.map(removeAt))).flat();
}
