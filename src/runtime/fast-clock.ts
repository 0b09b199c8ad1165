import type { ClockWithTimers } from "./clock.ts";

/**
 * A clock that shows a chosen instant when it is first read, and then runs `speed` times as fast as the real one. It stands
 * still while this process computes, and never goes past a wait that is over before that was called back: where this machine
 * cannot keep up, the clock is slower, and nothing comes late.
 */
export function fastClock(from: number, speed: number, real: ClockWithTimers): ClockWithTimers {
  const waits = new Set<Wait>();
  let at = from;
  let lastRead: number | undefined;
  let isStill = false;
  /** Answers of other programs that are awaited. */
  let awaited = 0;
  let cancelTimer: () => void = () => undefined;

  const pace = () => (awaited > 0 ? Math.min(1, speed) : speed);
  /** The same until the event loop has come round. */
  const read = () => {
    if (isStill) return at;
    isStill = true;
    setImmediate(() => {
      isStill = false;
    });
    const steady = real.steady();
    const limit = firstOf(waits)?.due ?? Number.POSITIVE_INFINITY;
    at = Math.min(at + (steady - (lastRead ?? steady)) * pace(), limit);
    lastRead = steady;
    return at;
  };
  const setTimer = () => {
    cancelTimer();
    const first = firstOf(waits);
    if (first) cancelTimer = real.after((first.due - read()) / pace(), () => end(first));
  };
  const end = (wait: Wait) => {
    read();
    // A real timer rings up to a millisecond early.
    at = wait.due;
    waits.delete(wait);
    setTimer();
    wait.run();
  };
  return {
    now: () => Math.floor(read()),
    steady: () => read() - from,
    after: (milliseconds, run) => {
      const wait = { due: read() + milliseconds, run };
      waits.add(wait);
      setTimer();
      return () => {
        read();
        waits.delete(wait);
        setTimer();
      };
    },
    atRealPace: async (answer) => {
      read();
      awaited += 1;
      setTimer();
      try {
        return await answer;
      } finally {
        read();
        awaited -= 1;
        setTimer();
      }
    },
  };
}

interface Wait {
  due: number;
  run: () => void;
}

/** The one that ends first; of two that end at once, the older. */
function firstOf(waits: ReadonlySet<Wait>): Wait | undefined {
  let first: Wait | undefined;
  for (const wait of waits) if (!first || wait.due < first.due) first = wait;
  return first;
}
