import { vi } from "vitest";
import { systemClock } from "../../src/runtime/clock.ts";

const { after } = systemClock;

/**
 * Until they are released vigie's own waits in this process take no real time: those of less than five seconds are over at
 * once, and longer ones when the test says so.
 */
export function holdWaits() {
  const real = new Set<number>();
  const held = new Set<{ length: number; run: () => void }>();
  const spy = vi.spyOn(systemClock, "after").mockImplementation((length, run) => {
    if (real.has(length)) return after(length, run);
    if (length < 5_000) return after(0, run);
    const wait = { length, run };
    held.add(wait);
    return () => void held.delete(wait);
  });
  return {
    /** From now on the waits of so many milliseconds take their time. */
    leave: (milliseconds: number) => void real.add(milliseconds),
    /** Ends the waits of so many milliseconds. */
    end: (milliseconds: number) => {
      for (const wait of held) {
        if (wait.length !== milliseconds) continue;
        held.delete(wait);
        wait.run();
      }
    },
    release: () => spy.mockRestore(),
  };
}
