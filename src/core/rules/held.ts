import { type Beliefs, knownDaysBelieved } from "./beliefs.ts";
import type { World } from "./world.ts";

/** The world by forecasts that were heard before; null where they are the same as now. One for all that believe alike. */
export function worldsBelieved(world: World): (beliefs: Beliefs) => World | null {
  const byObject = new Map<Beliefs, World | null>();
  const byText = new Map<string, World | null>();
  const open = (beliefs: Beliefs) => {
    // Equal beliefs are different objects after a restart.
    const text = JSON.stringify(beliefs);
    const known = byText.get(text);
    if (known !== undefined) return known;
    const knownDays = knownDaysBelieved(world.knownDays, beliefs, world.at, world.tariff);
    const opened = knownDays && world.withKnownDays(knownDays);
    byText.set(text, opened);
    return opened;
  };
  return (beliefs) => {
    const known = byObject.get(beliefs);
    if (known !== undefined) return known;
    const opened = open(beliefs);
    byObject.set(beliefs, opened);
    return opened;
  };
}
