import { within } from "../trace.ts";
import type { Look } from "./output-life.ts";

/**
 * Whether the device hears nothing, as far as vigie knows: it says that it is away, and has reported nothing since. One that did
 * something else since then, so that it is `contrary`, is there.
 */
export function isOutOfReach({ life, calm }: Look, steady: number): "yes" | "no" | "perhaps" {
  const settled = steady - calm.lag(steady);
  const shown = [
    life.awaySinceAt(settled),
    ...within(life.awaySinces, settled, steady).map(({ since }) => since),
  ];
  if (shown.every((since) => since === null)) return "no";
  const before = life.presences.filter((one) => one.steady <= steady);
  const gone = before[before.findLastIndex(({ isThere }) => isThere) + 1];
  if (!gone || shown.includes(null)) return "perhaps";
  const reports = within(life.reports, gone.steady - calm.lag(steady), steady);
  if (reports.every(({ isLive }) => isLive === "no")) return "yes";
  const turned = within(life.states, gone.steady + calm.lag(steady), steady);
  return turned.some(({ state }) => state === "contrary") ? "no" : "perhaps";
}
