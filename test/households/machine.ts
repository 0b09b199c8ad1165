import { replaceTimers } from "./replace-timers.ts";
import { createTimerQueue, type Timer } from "./timer-queue.ts";

/** The clock that a process reads, and its timers. */
interface ProcessClock {
  /** The wall clock, in milliseconds since 1970. */
  now: () => number;
  /** Milliseconds that only go forward. */
  steady: () => number;
  /** Runs when so many milliseconds have passed. Returns how to cancel it. */
  after: (milliseconds: number, run: () => void) => () => void;
}

/**
 * Virtual time, and the machine on which vigie runs in it: a clock that may be set, and timers that end with the process and
 * stand still while the machine is suspended. `setTimeout` and `setImmediate` are vigie's until `restore`; the world around it
 * uses `later`.
 */
export interface Machine {
  /** For vigie. */
  clock: ProcessClock;
  /** Milliseconds of true time since the beginning. */
  steady: () => number;
  trueTime: () => number;
  /** For the world around vigie: this much later in true time. */
  later: (milliseconds: number, run: () => void) => void;
  /** For what arrives at vigie's process: not while it is suspended, and never after its end. */
  arrive: (milliseconds: number, run: () => void) => void;
  /** Sets the clock. */
  jump: (by: number) => void;
  suspend: () => void;
  resume: () => void;
  /** The number of the process that runs; null while none does. What one has begun may still end when it is gone. */
  process: () => number | null;
  startProcess: () => void;
  /** The process has ended: nothing of it runs any more, and nothing arrives there. */
  endProcess: () => void;
  /** Lives until this much true time has passed since the beginning, or until `isOver`. */
  live: (until: number, isOver: () => boolean) => Promise<void>;
  restore: () => void;
}

/** `onError`: vigie's process threw it, and nobody caught it. */
export function startMachine(from: number, onError: (error: unknown) => void): Machine {
  const queue = createTimerQueue();
  let now = 0;
  let process: number | null = null;
  let processes = 0;
  let skew = 0;
  let suspendedAt: number | null = null;
  let suspendedFor = 0;
  /** What was due while the machine was suspended. */
  let held: Timer[] = [];

  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      onError(error);
    }
  };
  const ring = (timer: Timer) => {
    if (timer.of === "world") timer.run();
    else if (timer.process === null || timer.process !== process) return;
    else if (suspendedAt === null) guarded(timer.run);
    else held.push(timer);
  };
  const arrive: Machine["arrive"] = (milliseconds, run) =>
    void queue.add({ at: now + milliseconds, run, of: "arrivals", process });
  /** As a real timer: at least a millisecond. */
  const after: ProcessClock["after"] = (milliseconds, run) => {
    const wait = Number.isFinite(milliseconds) ? Math.max(1, milliseconds) : 1;
    const timer = queue.add({ at: now + wait, run, of: "vigie", process });
    return () => {
      timer.process = null;
    };
  };
  const { settle, restore } = replaceTimers({ after, processNow: () => process, guarded, onError });
  return {
    clock: {
      now: () => Math.round(from + now + skew),
      steady: () => (suspendedAt ?? now) - suspendedFor,
      after,
    },
    steady: () => now,
    // Timers may be due at parts of one, and the simulator serves whole ones only.
    trueTime: () => Math.round(from + now),
    later: (milliseconds, run) => void queue.add({ at: now + milliseconds, run, of: "world", process: null }),
    arrive,
    jump: (by) => {
      skew += by;
    },
    suspend: () => {
      suspendedAt ??= now;
    },
    resume: () => {
      if (suspendedAt === null) return;
      const length = now - suspendedAt;
      suspendedFor += length;
      suspendedAt = null;
      const shifted = [...held, ...queue.take(({ of }) => of === "vigie")];
      held = [];
      for (const timer of shifted) {
        timer.at = timer.of === "vigie" ? timer.at + length : now;
        queue.putBack(timer);
      }
    },
    process: () => process,
    startProcess: () => {
      processes += 1;
      process = processes;
    },
    endProcess: () => {
      process = null;
      held = [];
    },
    live: async (until, isOver) => {
      for (let at = queue.nextAt(); at <= until && !isOver(); at = queue.nextAt()) {
        now = Math.max(now, at);
        while (queue.nextAt() <= now) ring(queue.removeFirst());
        await settle();
      }
      if (!isOver()) now = Math.max(now, until);
    },
    restore,
  };
}
