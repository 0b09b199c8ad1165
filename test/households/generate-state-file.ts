import type { Draw } from "./draw.ts";
import type { ScriptEvent } from "./scenario.ts";
import type { StateFileMishap } from "./state-file-mishaps.ts";

/** What happens to the state file of a vigie that does not run. Returns how many seconds it takes. */
export function spoilStateFile(draw: Draw, events: ScriptEvent[], at: number): number {
  const mishap = drawMishap(draw);
  events.push({ at, kind: "state file", ...mishap });
  if (mishap.from !== "newer version") return 0;
  // Its supervisor starts an older vigie again and again, until the newer one is back.
  for (const after of [1, 11, 21, 31]) events.push({ at: at + after, kind: "start" });
  events.push({ at: at + 45, kind: "state file", from: "back" });
  return 50;
}

function drawMishap({ one, chance }: Draw): StateFileMishap {
  const from = one(["earlier", "earlier", "earlier", "none", "damaged", "damaged", "version"] as const);
  if (from === "version") return { from: one(["older version", "newer version"]) };
  if (from !== "damaged") return { from };
  const how = one(["cut", "zeroed", "empty", "garbage", "missing"] as const);
  return { from, how, ...(chance(0.3) && { both: true }) };
}
