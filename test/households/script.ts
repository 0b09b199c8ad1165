import { instantInParis } from "./calendar.ts";
import type { Scenario, ScriptEvent } from "./scenario.ts";

/** What happens, and when by the wall clock in Paris: `12:30`, from `24:00` on on the day after. */
export type Happening = readonly [time: string, event: WithoutTime<ScriptEvent>];

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "at"> : never;

type House = Pick<Scenario, "configs"> &
  Partial<Pick<Scenario, "seed" | "trouble" | "history" | "colors" | "oldBroker" | "devices">>;

interface Script extends House {
  /** The day in Paris. */
  date: string;
  /** Times of day. */
  from: string;
  to: string;
  happenings: readonly Happening[];
}

/** A scenario as a plan of a day. Nothing goes wrong by itself. */
export function scenarioOf({ date, from, to, happenings, ...rest }: Script): Scenario {
  const midnight = instantInParis(date, "00:00");
  const began = secondsOf(from);
  return {
    seed: 1,
    trouble: 0,
    history: 3,
    oldBroker: false,
    devices: [],
    ...rest,
    from: new Date(midnight + began * 1_000).toISOString(),
    length: secondsOf(to) - began,
    // The house is there before anything happens in it.
    events: happenings.map(([time, event]) => ({ ...event, at: Math.max(1, secondsOf(time) - began) })),
  };
}

/** After so many seconds. */
function secondsOf(time: string): number {
  const [hours, minutes, seconds = 0] = time.split(":").map(Number);
  return hours! * 3_600 + minutes! * 60 + seconds;
}

/** What often happens. */
export const START = { kind: "start" } as const;
export const STOP = { kind: "stop" } as const;
export const KILL = { kind: "kill", steps: 0 } as const;
export const QUIET = { kind: "quiet" } as const;

/** Somebody commands vigie: `simulation`, `rules/peak/enabled`. */
export function commands(topic: string, payload: string) {
  return { kind: "command", topic: `vigie/${topic}/set`, payload } as const;
}
