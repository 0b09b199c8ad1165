import type { Config } from "../config/config.ts";
import { officialAddress } from "../config/official-options.ts";
import { wallTime } from "../core/calendar/dates.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import { outputStatus } from "../core/outputs/output-status.ts";
import { lastSent } from "../core/outputs/outputs-state.ts";
import { type HeardValues, type KeptValues, readKeptValues } from "../core/rules/value-readings.ts";
import type { Topics } from "../core/topics/topic.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { isBudgetSpent } from "../service/request-limits.ts";
import { POLL_LIMIT } from "../service/send-requests.ts";
import { OFFICIAL_SOURCE } from "../service/sources.ts";
import type { Store } from "../state/store.ts";
import { createLoop } from "./loop.ts";
import { openLoopMemory } from "./loop-memory.ts";
import { openSources } from "./open-sources.ts";
import { createPollings } from "./polling.ts";
import { reportBudget } from "./report.ts";

interface PollOnceOptions {
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  signal: AbortSignal;
  /** The values of the house, and what of them the state file should hold; null: they could not be heard. */
  heard: { values: HeardValues; kept: KeptValues } | null;
}

export interface SinglePoll {
  topics: Topics;
  failures: string[];
  /** Not every source has failed. */
  fresh: boolean;
}

/** One poll of each source, from and into the state file, and the topics that follow from it. */
export async function pollOnce(
  config: Config,
  { store, log, problemLog, signal, heard }: PollOnceOptions,
): Promise<SinglePoll> {
  const memory = openLoopMemory(store, {
    source: config.service.base_url,
    official: officialAddress(config.official.source),
    rules: config.rules,
    log,
    values: () => heard?.kept ?? readKeptValues(store.state().values),
  });
  const sources = await openSources(config, {
    memory: memory.client,
    officialMemory: memory.officialClient,
    log,
    clock: systemClock,
    random: Math.random,
  });
  const statuses = () =>
    config.outputs.list.map((output) =>
      outputStatus(output, {
        sent: lastSent(memory.outputs(), output.topic),
        isRefused: false,
        would_send: null,
      }),
    );
  let topics: Topics = new Map();
  const loop = createLoop({
    config,
    serviceKind: sources.serviceKind,
    memory,
    clock: systemClock,
    ask: sources.service?.ask ?? null,
    askOfficial: sources.official?.ask ?? null,
    publish: (wanted) => {
      topics = wanted;
    },
    // `once` sends nothing to devices: it ends, so it could not send the next payload.
    devices: { statuses, update: () => undefined },
    values: { heard: () => heard?.values ?? new Map(), isSettled: () => heard !== null },
    onDayEvent: () => undefined,
    onContradiction: ({ sentence }) => log.warn(sentence),
    onRefusedWord: (sentence) => log.warn(sentence),
    onVerdictChange: () => undefined,
    onSwitchedBack: () => undefined,
    onRefreshed: () => undefined,
  });
  const outcomes: PollOutcome[] = [];
  const end = wallTime(systemClock.now() + POLL_LIMIT, config.tariff.time_zone).slice(11, 16);
  // As the first poll after a start: it keeps to the limits of requests, which the state file counts.
  const polling = createPollings(sources, {
    loop,
    memory,
    tariff: config.tariff,
    times: config.service.poll,
    offset: 0,
    clock: systemClock,
    // A source that does not answer is tried again for minutes: say why as soon as it is known, and until when.
    onFirstFailure: ({ name }, failure) => problemLog.starts(name, `${failure}; trying again until ${end}`),
    onPolled: (source, outcome) => {
      outcomes.push(outcome);
      const { spent } = (source === OFFICIAL_SOURCE ? memory.officialClient : memory.client).get();
      reportBudget(isBudgetSpent(spent, systemClock.now(), source.budget), source, problemLog);
    },
  });
  const stop = () => void polling.stop();
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    await polling.pollIfDue();
    signal.throwIfAborted();
    // Also where the answers said nothing new.
    loop.refresh();
    const failures = outcomes.flatMap((outcome) => outcome.failures);
    return { topics, failures, fresh: outcomes.some((outcome) => outcome.failures.length === 0) };
  } finally {
    signal.removeEventListener("abort", stop);
    await sources.stop();
    await memory.flush();
  }
}
