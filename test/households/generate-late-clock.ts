import type { Draw } from "./draw.ts";
import type { ScriptEvent } from "./scenario.ts";

/**
 * A machine without a clock of its own was off, and starts with an old time, days behind. Its network is away at first: no source
 * answers. When the network is back, the clock is set, at once or some minutes later. Returns how long all of it takes.
 */
export function startLate(
  { one, whole, chance }: Draw,
  at: number,
  longest: number,
  events: ScriptEvent[],
): number {
  const by = one([3, 40, 400, whole(3, 400)]) * DAY;
  const away = Math.min(longest, one([60, 600, HOUR, 3 * HOUR]));
  const set = START + Math.max(1, away + one([-20, 5, 60, 900]));
  const fault = { kind: one(["down", "down", "hangs"] as const) };
  if (chance(0.5)) events.push({ at, kind: "kill", steps: 0 });
  else events.push({ at, kind: "stop" });
  for (const source of ["service", "rte"] as const)
    events.push({ at: at + 6, kind: "source", source, fault, for: START + away - 6 });
  events.push({ at: at + START - 2, kind: "jump", by: -by }, { at: at + START, kind: "start" });
  events.push({ at: at + set, kind: "jump", by });
  return Math.max(set, START + away);
}

/** Seconds from the end of vigie to its start: a stop may take some. */
const START = 15;
const HOUR = 3_600;
const DAY = 86_400;
