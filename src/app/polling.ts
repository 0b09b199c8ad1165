import type { Tariff } from "../core/calendar/tariff.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import type { Clock } from "../runtime/clock.ts";
import { duePoll, type PollTimesInput } from "../service/poll-times.ts";
import type { Loop } from "./loop.ts";
import type { LoopMemory } from "./loop-memory.ts";

interface PollingOptions {
  loop: Loop;
  memory: LoopMemory;
  tariff: Tariff;
  /** `service.poll`. */
  times: PollTimesInput["poll"];
  /** 0 to 1: this installation's phase: how far its polls are shifted within the hour. */
  offset: number;
  clock: Clock;
  /** The first failure since the start, as soon as it is known: a poll tries again for minutes before it has failed. */
  onFirstFailure: (failure: string) => void;
  /** After each poll, whether it succeeded or not. */
  onPolled: (outcome: PollOutcome) => void;
}

interface Polling {
  /** Polls where a poll is due by now. */
  pollIfDue: () => void;
  /** Polls although none is due: a command asks for it, and is told the first failure, or else the outcome. */
  pollNow: (onOutcome: (outcome: PollOutcome) => void) => void;
  /** Ends a poll that is under way. */
  stop: () => Promise<void>;
}

export function createPolling(options: PollingOptions): Polling {
  const { loop, memory, clock, times, tariff, offset } = options;
  const stopping = new AbortController();
  let lastPoll: number | null = null;
  const sentBeforeStart = memory.client.get().sent_at;
  let polling = Promise.resolve();
  let isPolling = false;
  let hasFailed = false;
  /** The command that waits for the outcome of the poll. */
  let awaiting: ((outcome: PollOutcome) => void) | null = null;

  const tellOutcome = (outcome: PollOutcome) => {
    awaiting?.(outcome);
    awaiting = null;
  };
  const findDue = () => {
    const input = { poll: times, tariff, knownDays: memory.days(), offset };
    const due = duePoll(clock.now(), lastPoll ?? sentBeforeStart, input);
    if (lastPoll !== null) return due;
    // A start polls at once. But it goes beyond the day's budget only if an hourly poll was due since the last request:
    // vigie may be killed and started again every ten seconds.
    return { essential: due?.essential ?? false, recheck: true };
  };
  const poll = async (ways: { essential: boolean; recheck: boolean }) => {
    lastPoll = clock.now();
    isPolling = true;
    const onRetry = (failure: string) => {
      if (!hasFailed) options.onFirstFailure(failure);
      hasFailed = true;
      tellOutcome({ answers: 0, failures: [failure] });
    };
    const outcome = await loop.poll({ ...ways, onRetry, signal: stopping.signal });
    isPolling = false;
    if (stopping.signal.aborted) return;
    tellOutcome(outcome);
    options.onPolled(outcome);
  };
  return {
    // Do not start a second poll. The poll stays due and starts at a later check.
    pollIfDue: () => {
      const due = isPolling ? null : findDue();
      if (due) polling = poll(due);
    },
    // If the hourly poll is due, this poll counts as it. So repeated presses do not delay it.
    // If a poll runs already, the command starts no other.
    pollNow: (onOutcome) => {
      awaiting = onOutcome;
      if (isPolling) return;
      polling = poll({ essential: findDue()?.essential ?? false, recheck: true });
    },
    stop: () => {
      stopping.abort();
      return polling;
    },
  };
}
