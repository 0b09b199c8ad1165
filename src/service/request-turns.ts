import type { Instant } from "../core/calendar/tariff.ts";
import type { Clock } from "../runtime/clock.ts";
import type { MemoryKeeper } from "./client-memory.ts";
import { DAILY_BUDGET, pauseAfter, takeTurn, unspend } from "./politeness.ts";
import { BudgetSpent, ServiceBusy } from "./service-errors.ts";

/** Waits for one's turn to send, and keeps what is spent in the memory. */
interface Turns {
  take(asked: string, essential: boolean, signal: AbortSignal): Promise<void>;
  /** The last request never left this machine. */
  giveBack(): void;
  /** The service answered 429; returns for how many milliseconds nothing is sent. */
  pause(retryAfter: number | null): number;
  /** The service answered otherwise. */
  resume(): void;
}

interface TurnsOptions {
  memory: MemoryKeeper;
  clock: Clock;
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export function createTurns({ memory, clock, wait }: TurnsOptions): Turns {
  const now = ownTime(clock);
  let taken: readonly Instant[] = [];
  const take: Turns["take"] = async (asked, essential, signal) => {
    for (;;) {
      signal.throwIfAborted();
      const { spent, pause } = memory.get();
      const turn = takeTurn({ taken, spent, pause }, now(), essential);
      switch (turn.kind) {
        case "go":
          taken = turn.politeness.taken;
          memory.set({ ...memory.get(), spent: turn.politeness.spent });
          return;
        case "wait":
          await wait(turn.milliseconds, signal);
          break;
        case "busy":
          throw new ServiceBusy(asked, turn.milliseconds);
        case "spent":
          throw new BudgetSpent(asked, DAILY_BUDGET);
      }
    }
  };
  return {
    take,
    giveBack: () => memory.set({ ...memory.get(), spent: unspend(memory.get().spent) }),
    pause: (retryAfter) => {
      const pause = pauseAfter(memory.get().pause, retryAfter, now());
      memory.set({ ...memory.get(), pause });
      return pause.until - now();
    },
    resume: () => {
      if (memory.get().pause !== null) memory.set({ ...memory.get(), pause: null });
    },
  };
}

/** The wall's time at the start, carried on by a clock that cannot be set: a step of the wall frees and locks nothing. */
function ownTime(clock: Clock): () => Instant {
  const offset = clock.now() - clock.steady();
  return () => Math.round(offset + clock.steady());
}
