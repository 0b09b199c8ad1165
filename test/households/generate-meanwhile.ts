import type { Draw } from "./draw.ts";
import type { Disturbance } from "./generate-scenario.ts";
import type { ScriptEvent } from "./scenario.ts";
import type { SourceFault } from "./sources.ts";

const USUAL = [
  "kill",
  "kill",
  "stop",
  "edit",
  "reload",
  "connection",
  "command",
  "home assistant",
  "foreign",
  "report",
  "press",
  "power",
  "web",
  "chatter",
] as const satisfies readonly Disturbance[];

/** Nobody kills a machine that sleeps, and what its owner writes is read when it wakes up. */
const ASLEEP = [
  "broker",
  "broker",
  "source",
  "source",
  "disk",
  "edit",
  "command",
  "command",
  "home assistant",
  "foreign",
  "report",
  "report",
  "press",
  "power",
  "power",
  "web",
  "chatter",
] as const satisfies readonly Disturbance[];

/** What lasts, and what else may happen meanwhile. */
export const MEANWHILE: Readonly<Partial<Record<Disturbance, readonly [Disturbance, ...Disturbance[]]>>> = {
  broker: USUAL,
  "slow broker": USUAL,
  refuse: USUAL,
  source: USUAL,
  "odd answers": USUAL,
  disk: USUAL,
  jump: [...USUAL, "command", "broker", "broker", "source", "source", "disk", "suspend"],
  suspend: ASLEEP,
};

/**
 * Two things fail at once, and each begins and ends at a time of its own. Perhaps the power fails meanwhile: the machine starts again
 * while both still fail. `comeBack`: after a kill. Returns how long all of it takes.
 */
export function breakTwo(
  { draw, events }: { draw: Draw; events: ScriptEvent[] },
  at: number,
  longest: number,
  comeBack: (at: number, longest: number) => number,
): number {
  const { one, whole, chance } = draw;
  const pair = one<readonly [Part, Part]>([
    ["broker", "service"],
    ["broker", "rte"],
    ["disk", "broker"],
    ["disk", "service"],
    ["service", "rte"],
    ["rte", "service"],
  ]);
  const length = Math.min(longest, one([120, 600, HOUR, 3 * HOUR]));
  if (length < 60) return 0;
  const later = whole(0, Math.round(length / 3));
  const end = Math.min(longest, one([length, Math.round((2 * length) / 3), later + whole(60, 2 * length)]));
  events.push({ at, ...drawFault(draw, pair[0], length) });
  events.push({ at: at + later, ...drawFault(draw, pair[1], end - later) });
  const both = Math.min(length, end);
  if (chance(0.4) || both - later < 30) return Math.max(length, end);
  const cut = later + whole(1, both - later - 20);
  events.push({ at: at + cut, kind: "kill", steps: chance(0.5) ? 0 : whole(1, 60) });
  const back = cut + 11;
  const stillBoth = Math.max(0, both - back);
  return Math.max(length, end, back + comeBack(at + back, chance(0.7) ? stillBoth : longest - back));
}

type Part = "broker" | "disk" | "service" | "rte";

type Fault =
  | Omit<ScriptEvent & { kind: "broker" }, "at">
  | Omit<ScriptEvent & { kind: "disk" }, "at">
  | Omit<ScriptEvent & { kind: "source" }, "at">;

function drawFault({ one, chance }: Draw, part: Part, length: number): Fault {
  switch (part) {
    case "broker":
      return {
        kind: "broker",
        how: one(["stopped", "killed", "frozen"]),
        for: length,
        retained: chance(0.7) ? "kept" : "lost",
      };
    case "disk":
      return { kind: "disk", fault: one(["hangs", "fails"]), for: length };
    case "service":
    case "rte":
      return {
        kind: "source",
        source: part,
        fault: one<SourceFault>([
          { kind: "down" },
          { kind: "hangs" },
          { kind: "status", status: 503 },
          { kind: "status", status: 429, retryAfter: 3_000 },
          { kind: "wrong words" },
        ]),
        for: length,
      };
  }
}

const HOUR = 3_600;
