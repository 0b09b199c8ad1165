import type { IsoDate, Tariff } from "../core/calendar/tariff.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import type { Clock } from "../runtime/clock.ts";
import {
  type DueOfficial,
  dueOfficial,
  findDifferences,
  nothingAsked,
  shiftAsked,
} from "../service/official-times.ts";
import { duePoll, type PollTimesInput } from "../service/poll-times.ts";
import { FORECAST_SERVICE, OFFICIAL_SOURCE, type Source } from "../service/sources.ts";
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
  onFirstFailure: (source: Source, failure: string) => void;
  /** After each poll, whether it succeeded or not. */
  onPolled: OnOutcome;
}

export type OnOutcome = (source: Source, outcome: PollOutcome) => void;

export interface Polling {
  /** Polls where a poll is due by now; resolves at its end. */
  pollIfDue: () => Promise<void>;
  /** Polls although none is due: a command asks for it, and is told the first failure, or else the outcome. */
  pollNow: (onOutcome: OnOutcome) => void;
  /** Ends a poll that is under way. */
  stop: () => Promise<void>;
}

/**
 * Polls the forecast service. While the sources say that this machine's clock is wrong, polls come by their time. When the
 * last one was is kept by this machine's clock, and shifted alike: a time that changes with each answer makes no poll due.
 */
export function createPolling(options: PollingOptions): Polling {
  const { loop, memory, clock, times, tariff, offset } = options;
  let lastPoll: number | null = null;
  const sentBeforeStart = memory.client.get().sent_at;

  const findDue = () => {
    const input = { poll: times, tariff, knownDays: memory.days(), offset };
    const behind = loop.clockBehind();
    const last = lastPoll ?? sentBeforeStart;
    const due = duePoll(clock.now() + behind, last === null ? null : last + behind, input);
    if (lastPoll !== null) return due;
    // A start polls at once. But it goes beyond the day's budget only if an hourly poll was due since the last request:
    // vigie may be killed and started again every ten seconds.
    return { essential: due?.essential ?? false, recheck: true };
  };
  return pollOneAtATime({
    source: FORECAST_SERVICE,
    findDue,
    // If the hourly poll is due, this poll counts as it. So repeated presses do not delay it.
    forCommand: () => ({ essential: findDue()?.essential ?? false, recheck: true }),
    poll: (ways, limits) => {
      lastPoll = clock.now();
      return loop.poll({ ...ways, ...limits });
    },
    ...options,
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
  const findDue = () => {
    const behind = loop.clockBehind();
    return dueOfficial(clock.now() + behind, shiftAsked(asked, behind), input);
  };
  return pollOneAtATime<readonly DueOfficial[]>({
    source: OFFICIAL_SOURCE,
    findDue: () => {
      const due = findDue();
      return due.length > 0 ? due : null;
    },
    forCommand: () => {
      const due = findDue();
      const isLightDue = due.some(({ request }) => request.kind === "light");
      return isLightDue ? due : [{ request: { kind: "light" }, essential: false }, ...due];
    },
    poll: async (due, limits) => {
      const now = clock.now();
      for (const { request } of due) asked = { ...asked, [request.kind]: now };
      const outcome = await loop.pollOfficial({
        due,
        ...limits,
        onAnswered: ({ kind }) => {
          if (kind === "season") asked = { ...asked, season_answered: clock.now() };
        },
      });
      asked = { ...asked, differences: findDifferences(clock.now() + loop.clockBehind(), input) };
      return outcome;
    },
    ...options,
  });
}

/** The polls of the sources that there are, each with its own times. */
export function createPollings(
  { service, official }: { service: unknown; official: unknown },
  options: PollingOptions,
): Polling {
  const pollings: Polling[] = [];
  if (service) pollings.push(createPolling(options));
  if (official) pollings.push(createOfficialPolling(options));
  return {
    pollIfDue: async () => {
      await Promise.all(pollings.map((polling) => polling.pollIfDue()));
    },
    pollNow: (onOutcome) => {
      for (const polling of pollings) polling.pollNow(onOutcome);
    },
    stop: async () => {
      await Promise.all(pollings.map((polling) => polling.stop()));
    },
  };
}

/** Ends a poll, and is told each failure after which a request is tried again. */
interface PollLimits {
  signal: AbortSignal;
  onRetry: (failure: string) => void;
}

interface PollWays<Due> extends Pick<PollingOptions, "onFirstFailure" | "onPolled"> {
  source: Source;
  /** What is due now; null: nothing. */
  findDue: () => Due | null;
  /** What a command asks for. */
  forCommand: () => Due;
  poll: (due: Due, limits: PollLimits) => Promise<PollOutcome>;
}

function pollOneAtATime<Due>(ways: PollWays<Due>): Polling {
  const { source, findDue, forCommand, poll } = ways;
  const stopping = new AbortController();
  let polling = Promise.resolve();
  let isPolling = false;
  let hasFailed = false;
  /** The command that waits for the outcome of the poll. */
  let awaiting: OnOutcome | null = null;

  const tellOutcome = (outcome: PollOutcome) => {
    awaiting?.(source, outcome);
    awaiting = null;
  };
  const onRetry = (failure: string) => {
    if (!hasFailed) ways.onFirstFailure(source, failure);
    hasFailed = true;
    tellOutcome({ answers: 0, failures: [failure] });
  };
  const start = async (due: Due) => {
    isPolling = true;
    const outcome = await poll(due, { signal: stopping.signal, onRetry });
    isPolling = false;
    if (stopping.signal.aborted) return;
    tellOutcome(outcome);
    ways.onPolled(source, outcome);
  };
  return {
    // Do not start a second poll. The poll stays due and starts at a later check.
    pollIfDue: () => {
      const due = isPolling ? null : findDue();
      if (due !== null) polling = start(due);
      return polling;
    },
    // If a poll runs already, the command starts no other.
    pollNow: (onOutcome) => {
      awaiting = onOutcome;
      if (!isPolling) polling = start(forCommand());
    },
    stop: () => {
      stopping.abort();
      return polling;
    },
  };
}
