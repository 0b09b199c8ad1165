import { type ClockWithTimers, systemClock } from "../../src/runtime/clock.ts";

/** A clock that stands still but when it is told to go on, and timers that go by it. */
export interface VirtualTime {
  clock: ClockWithTimers;
  /** When the next timer is due. */
  due: () => number;
  /** Sets the clock, and calls the timers due by then, in order. */
  advance: (to: number) => void;
  /** Lets everything run that needs no time to pass. */
  settle: () => Promise<void>;
  /** Something outside of the timers is being waited for. */
  hold: () => () => void;
  restore: () => void;
}

/** Takes the place of setTimeout and setImmediate until restored. */
export function startVirtualTime(from: number): VirtualTime {
  const real = { setTimeout, clearTimeout, setImmediate, clearImmediate };
  const timers = new Map<object, { at: number; ring: () => void }>();
  const immediates = new Set<NodeJS.Immediate>();
  let now = from;
  let held = 0;
  const set = (ring: () => void, milliseconds = 0) => {
    const timer = {};
    timers.set(timer, { at: now + Math.max(0, milliseconds), ring });
    return timer;
  };
  Object.assign(globalThis, {
    setTimeout: set,
    clearTimeout: (timer: object) => timers.delete(timer),
    setImmediate: (run: () => void) => {
      const immediate = real.setImmediate(() => {
        immediates.delete(immediate);
        run();
      });
      immediates.add(immediate);
      return immediate;
    },
    clearImmediate: (immediate: NodeJS.Immediate) => {
      immediates.delete(immediate);
      real.clearImmediate(immediate);
    },
  });
  const first = () => {
    let next: [object, { at: number; ring: () => void }] | undefined;
    for (const entry of timers) if (!next || entry[1].at < next[1].at) next = entry;
    return next;
  };
  return {
    clock: { ...systemClock, now: () => now, steady: () => now - from },
    due: () => first()?.[1].at ?? Number.POSITIVE_INFINITY,
    advance: (to) => {
      for (let next = first(); next && next[1].at <= to; next = first()) {
        timers.delete(next[0]);
        now = Math.max(now, next[1].at);
        next[1].ring();
      }
      now = to;
    },
    settle: async () => {
      do await new Promise((resolve) => real.setImmediate(resolve));
      while (held > 0 || immediates.size > 0);
    },
    hold: () => {
      held += 1;
      return () => {
        held -= 1;
      };
    },
    restore: () => Object.assign(globalThis, real),
  };
}
