import type { Instant } from "../core/calendar/tariff.ts";
import {
  LONGEST_PAUSE_WAITED,
  PER_MINUTE,
  requestAllowance,
  type SentRequests,
  withoutOneRequest,
} from "../core/sources/request-limits.ts";
import { pauseAfter } from "../core/sources/retry-after.ts";
import type { Source } from "../core/sources/source.ts";
import type { ClientMemory } from "../core/sources/source-kept.ts";
import type { Clock } from "../runtime/clock.ts";
import type { MemoryKeeper } from "./memory-keeper.ts";
import { BudgetSpent, ServiceBusy, TooManyRequests } from "./service-errors.ts";

/** Holds requests back until they may be sent; keeps what is spent in the client's memory. */
interface RequestLimiter {
  /** Resolves when the request may be sent within this budget; it is then counted as sent. */
  waitForAllowance(operation: string, budget: number, signal: AbortSignal): Promise<void>;
  /** The last request never left this machine. */
  uncountLast(): void;
  /** The source answered 429; returns for how many milliseconds nothing is sent. */
  pause(retryAfter: number | null): number;
  /** The source answered otherwise. */
  endPause(): void;
}

interface LimiterOptions {
  source: Source;
  memory: MemoryKeeper;
  clock: Clock;
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds: a request that has to wait longer fails. */
  longestWait: number;
}

export function createRequestLimiter(options: LimiterOptions): RequestLimiter {
  const { source, memory, clock, wait, longestWait } = options;
  const now = unsettableTime(clock);
  const longestPause = Math.min(longestWait, LONGEST_PAUSE_WAITED);
  let isCountedBefore = true;
  return {
    waitForAllowance: async (operation, budget, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const { recent, spent, pause } = isCountedBefore ? byClockOfMachine(memory.get()) : memory.get();
        const allowance = requestAllowance({ recent, spent, pause }, now(), budget, longestPause);
        switch (allowance.kind) {
          case "granted":
            isCountedBefore = false;
            memory.set({ ...memory.get(), ...allowance.sent, sent_at: clock.now() });
            return;
          case "wait":
            if (allowance.milliseconds > longestWait) throw new TooManyRequests(source, PER_MINUTE);
            await wait(allowance.milliseconds, signal);
            break;
          case "paused":
            throw new ServiceBusy(source, operation, allowance.milliseconds);
          case "budget spent":
            throw new BudgetSpent(operation, budget);
        }
      }
    },
    uncountLast: () => memory.set({ ...memory.get(), spent: withoutOneRequest(memory.get().spent) }),
    pause: (retryAfter) => {
      const pause = pauseAfter(memory.get().pause, retryAfter, now());
      memory.set({ ...memory.get(), pause });
      return pause.until - now();
    },
    endPause: () => {
      if (memory.get().pause !== null) memory.set({ ...memory.get(), pause: null });
    },
  };
}

/**
 * What was counted before this start or reload, by the clock of the machine: the one by which it was counted may have been
 * behind or ahead, as the machine had slept or its clock was set since that one began.
 */
function byClockOfMachine({ recent, spent, pause, sent_at }: ClientMemory): SentRequests {
  const last = recent.at(-1);
  const behind = last === undefined || sent_at === null ? 0 : sent_at - last;
  return {
    recent: recent.map((at) => at + behind),
    spent,
    pause: pause && { ...pause, until: pause.until + behind },
  };
}

/** The wall time at the start, continued by a clock that cannot be set: setting the clock grants and blocks nothing. */
function unsettableTime(clock: Clock): () => Instant {
  const offset = clock.now() - clock.steady();
  return () => Math.round(offset + clock.steady());
}
