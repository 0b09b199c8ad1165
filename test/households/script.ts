import { instantInParis } from "./calendar.ts";
import type { Scenario, ScriptEvent } from "./scenario.ts";
import type { SourceFault } from "./sources.ts";
import type { SourceName } from "./trace.ts";

/**
 * What happens, and when: `12:30`, or `24:30` for half past midnight of the day after. It counts from midnight in Paris, so after
 * the clocks have changed in a night it is not what they show.
 */
export type Happening = readonly [time: string, event: WithoutTime<ScriptEvent>];

type WithoutTime<Event> = Event extends unknown ? Omit<Event, "at"> : never;

type House = Pick<Scenario, "configs"> & Partial<Omit<Scenario, "from" | "length" | "events">>;

type Script = House & {
  /** The day in Paris. */
  date: string;
  /** Times, as those of the happenings. */
  from: string;
  to: string;
  happenings: readonly Happening[];
};

/** A scenario as a plan of a day. Without `trouble` nothing goes wrong but what happens in it. */
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
    // At its second 0 there is no house yet.
    events: happenings.map(([time, event]) => ({ ...event, at: Math.max(1, secondsOf(time) - began) })),
  };
}

/** Seconds since midnight. */
function secondsOf(time: string): number {
  const [hours, minutes, seconds = 0] = time.split(":").map(Number);
  return hours! * 3_600 + minutes! * 60 + seconds;
}

export const START = { kind: "start" } as const;
export const STOP = { kind: "stop" } as const;
export const KILL = { kind: "kill", steps: 0 } as const;
export const QUIET = { kind: "quiet" } as const;

/** Somebody sends vigie a command. `topic`: `simulation`, `rules/peak/enabled`. */
export function sendsCommand(topic: string, payload: string) {
  return { kind: "command", topic: `vigie/${topic}/set`, payload } as const;
}

/** A device or a sensor of the house says this once. */
export function publishes(topic: string, payload: string, retain = true) {
  return { kind: "report", topic, payload, retain } as const;
}

export function sourceFault(source: SourceName, fault: SourceFault, seconds: number) {
  return { kind: "source", source, fault, for: seconds } as const;
}
