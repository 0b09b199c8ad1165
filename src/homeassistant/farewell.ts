import type { Farewell } from "../mqtt/purge.ts";
import type { Place } from "./announcement.ts";
import { deliver } from "./deliver.ts";
import { planClearing } from "./plan.ts";
import { createReader } from "./reader.ts";

/** Takes the messages of an instance off the broker, and leaves Home Assistant the time to forget its entities. */
export function prepareFarewell(place: Place, signal: AbortSignal): Farewell {
  const reader = createReader(place);
  return {
    hear: reader.hear,
    leave: async (link) => {
      const found = await reader.read(link);
      const steps = planClearing(found, place);
      await deliver(steps, { link, signal, wary: true });
      return steps.flat().map(({ topic }) => topic);
    },
  };
}
