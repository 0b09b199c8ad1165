import type { Instant } from "../calendar/tariff.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** The earliest instant after now at which time alone can turn any of these rules; null where none can. */
export function nextRuleTurn(verdicts: readonly Verdict[], world: World): Instant | null {
  let earliest: Instant | null = null;
  for (const verdict of verdicts) {
    const tick = verdict.enabled ? nextTick(verdict, world) : null;
    if (tick !== null && (earliest === null || tick < earliest)) earliest = tick;
  }
  return earliest;
}

/** When a rule can next turn, or see something else: a tick, a lead before one, a lag after one, the end of a hold. */
export function nextTick({ ready, held }: Verdict, world: World): Instant | null {
  const { lead, lag } = ready.rule;
  const after = (shift: number) => world.tickAfter(ready.ticks, world.at + shift) - shift;
  let next = Math.min(after(0), held?.until ?? Number.POSITIVE_INFINITY);
  if (lead > 0) next = Math.min(next, after(lead));
  if (lag > 0) next = Math.min(next, after(-lag));
  return Number.isFinite(next) ? next : null;
}
