import type { Place } from "../core/discovery/announcement.ts";
import { planClearing } from "../core/discovery/migrate-discovery.ts";
import { deliver } from "./deliver-discovery.ts";
import { createReader } from "./discovery-reader.ts";
import type { Link } from "./guests.ts";
import type { Farewell } from "./purge.ts";

/**
 * Takes the messages at these places off the broker, and leaves Home Assistant the time to forget the entities. `before`:
 * it may have been told of them just now.
 */
export function prepareFarewell(
  places: readonly Place[],
  { signal, before }: { signal: AbortSignal; before: boolean },
): Farewell {
  const readers = places.map((place) => ({ place, reader: createReader(place) }));
  const leave = async (link: Link, { place, reader }: (typeof readers)[number]) => {
    const steps = planClearing(await reader.read(link), place);
    await deliver(steps, { link, signal, before, after: true });
    return steps.flat().map(({ topic }) => topic);
  };
  return {
    hear: (message) => {
      for (const { reader } of readers) reader.hear(message);
    },
    leave: async (link) => (await Promise.all(readers.map((one) => leave(link, one)))).flat(),
  };
}
