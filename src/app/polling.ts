import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import type { Clock } from "../runtime/clock.ts";
import { type DueOfficial, dueOfficial, findDifferences, nothingAsked } from "../service/official-times.ts";
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
  /** After each poll, whether it succeeded or not. */
  onPolled: (outcome: PollOutcome) => void;
}

export interface Polling {
  /** Polls where a poll is due by now. */
  pollIfDue: () => void;
  /** Polls although none is due: a command asks for it. */
  pollNow: () => void;
  /** Ends a poll that is under way. */
  stop: () => Promise<void>;
}

/** Polls the forecast service. */
export function createPolling(options: PollingOptions): Polling {
  const { loop, memory, clock, times, tariff, offset } = options;
  let lastPoll: number | null = null;
  const sentBeforeStart = memory.client.get().sent_at;

  const findDue = () => {
    const input = { poll: times, tariff, knownDays: memory.days(), offset };
    const due = duePoll(clock.now(), lastPoll ?? sentBeforeStart, input);
    if (lastPoll !== null) return due;
    // A start polls at once. But it goes beyond the day's budget only if an hourly poll was due since the last request:
    // vigie may be killed and started again every ten seconds.
    return { essential: due?.essential ?? false, recheck: true };
  };
  return pollOneAtATime({
    findDue,
    // If the hourly poll is due, this poll counts as it. So repeated presses do not delay it.
    forCommand: () => ({ essential: findDue()?.essential ?? false, recheck: true }),
    poll: (ways, signal) => {
      lastPoll = clock.now();
      return loop.poll({ ...ways, signal });
    },
    onPolled: options.onPolled,
  });
}

/** Polls the official source: by its own times, so that one source that hangs never delays the other. */
export function createOfficialPolling(options: PollingOptions): Polling {
  const { loop, memory, clock, tariff, offset } = options;
  const { between } = options.times.announcement;
  let asked = nothingAsked(memory.officialClient.get().sent_at);
  const input = {
    between,
    tariff,
    offset,
    wordFor: (date: IsoDate) => memory.days().days[date]?.rte_word,
    serviceColor: (date: IsoDate) => {
      const { service_word, forecast } = memory.days().days[date] ?? {};
      return service_word?.color ?? forecast?.color ?? null;
    },
  };
  const findDue = () => dueOfficial(clock.now(), asked, input);
  return pollOneAtATime<readonly DueOfficial[]>({
    findDue: () => {
      const due = findDue();
      return due.length > 0 ? due : null;
    },
    forCommand: () => {
      const due = findDue();
      const isLightDue = due.some(({ request }) => request.kind === "light");
      return isLightDue ? due : [{ request: { kind: "light" }, essential: false }, ...due];
    },
    poll: async (due, signal) => {
      const now = clock.now();
      for (const { request } of due) asked = { ...asked, [request.kind]: now };
      const outcome = await loop.pollOfficial({
        due,
        signal,
        onAnswered: ({ kind }) => {
          if (kind === "season") asked = { ...asked, season_answered: clock.now() };
        },
      });
      asked = { ...asked, differences: findDifferences(clock.now(), input) };
      return outcome;
    },
    onPolled: options.onPolled,
  });
}

/** Several sources, each with polls of its own. */
export function joinPollings(pollings: readonly Polling[]): Polling {
  return {
    pollIfDue: () => {
      for (const polling of pollings) polling.pollIfDue();
    },
    pollNow: () => {
      for (const polling of pollings) polling.pollNow();
    },
    stop: async () => {
      await Promise.all(pollings.map((polling) => polling.stop()));
    },
  };
}

interface PollWays<Due> {
  /** What is due now; null: nothing. */
  findDue: () => Due | null;
  /** What a command asks for. */
  forCommand: () => Due;
  poll: (due: Due, signal: AbortSignal) => Promise<PollOutcome>;
  onPolled: (outcome: PollOutcome) => void;
}

function pollOneAtATime<Due>({ findDue, forCommand, poll, onPolled }: PollWays<Due>): Polling {
  const stopping = new AbortController();
  let polling = Promise.resolve();
  let isPolling = false;
  const start = async (due: Due) => {
    isPolling = true;
    const outcome = await poll(due, stopping.signal);
    isPolling = false;
    if (!stopping.signal.aborted) onPolled(outcome);
  };
  return {
    // Do not start a second poll. The poll stays due and starts at a later check.
    pollIfDue: () => {
      const due = isPolling ? null : findDue();
      if (due !== null) polling = start(due);
    },
    // If a poll runs already, the command starts no other.
    pollNow: () => {
      if (!isPolling) polling = start(forCommand());
    },
    stop: () => {
      stopping.abort();
      return polling;
    },
  };
}
