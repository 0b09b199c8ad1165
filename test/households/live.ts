import { FOUND } from "./found.ts";
import { runHousehold } from "./household.ts";
import type { HouseConfig, Scenario, ScriptEvent } from "./scenario.ts";
import type { Trace } from "./trace.ts";

/** The found household whose title begins so. */
export function liveFound(what: string): Promise<Trace> {
  const found = FOUND.find((one) => one.what.startsWith(what));
  if (!found) throw new Error(`no household in which ${what}`);
  return runHousehold(found.scenario);
}

/** A household without devices that begins with the first of these configurations. */
export function liveIn(
  configs: HouseConfig | HouseConfig[],
  events: readonly ScriptEvent[],
  { from = "2026-01-05T14:00:00Z", length = 3_600 }: Partial<Pick<Scenario, "from" | "length">> = {},
): Promise<Trace> {
  return runHousehold({
    seed: 1,
    from,
    length,
    trouble: 0,
    history: 3,
    oldBroker: false,
    configs: [configs].flat(),
    devices: [],
    events: [{ at: 1, kind: "start" }, ...events],
  });
}
