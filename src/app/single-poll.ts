import type { Config } from "../config/config.ts";
import { wallTime } from "../core/calendar/dates.ts";
import type { LogLine, ProblemLine } from "../core/log/log-line.ts";
import { isOf } from "../core/loop/problems.ts";
import type { View } from "../core/loop/view.ts";
import type { HeardValues, KeptValues } from "../core/rules/value-readings.ts";
import { POLL_LIMIT } from "../core/sources/poll.ts";
import { RTE } from "../core/sources/rte-source.ts";
import { FORECAST_SERVICE } from "../core/sources/service-source.ts";
import type { Source } from "../core/sources/source.ts";
import type { Topics } from "../core/topics/topic.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { ProblemLog } from "../runtime/problem-log.ts";
import { aborted } from "../runtime/wait.ts";
import { withKept } from "../state/kept.ts";
import type { Store } from "../state/store.ts";
import { createLoopParts, keptSources, postMemories, readKeptOf } from "./loop-parts.ts";
import { openSources } from "./open-sources.ts";
import { createOwnErrors } from "./own-errors.ts";
import { createLoop, type Post } from "./run-loop.ts";

interface PollOnceOptions {
  store: Store;
  log: Log;
  problemLog: ProblemLog;
  signal: AbortSignal;
  /** The values of other programs, and what of them the state file should hold; null: they could not be heard. */
  heard: { values: HeardValues; kept: KeptValues } | null;
}

export interface SinglePoll {
  topics: Topics;
  failures: string[];
  /** Not every source has failed, and vigie itself has not. */
  fresh: boolean;
}

/** One poll of each source, from and into the state file, and the topics that follow from it. No device is sent anything. */
export async function pollOnce(config: Config, options: PollOnceOptions): Promise<SinglePoll> {
  const { store, problemLog, signal } = options;
  const ownErrors = createOwnErrors(problemLog);
  const loop = createLoop({
    clock: systemClock,
    longestSleep: LONGEST_SLEEP,
    ownErrors,
    wake: () => undefined,
  });
  const { parts, sources } = await openParts(config, options, loop.post);
  const tell = createTeller({ ...options, config });
  const polled = new AbortController();
  try {
    signal.throwIfAborted();
    loop.begin({
      ...parts,
      sinks: [
        ...parts.sinks,
        {
          name: "the end of the polls",
          show: ({ sinceStart }) => {
            if (sinceStart.unpolled.length === 0) polled.abort();
          },
        },
      ],
      say: ({ lines }) => tell(lines, loop.view()),
    });
    await aborted(AbortSignal.any([polled.signal, signal]));
    signal.throwIfAborted();
    const view = loop.view();
    const failed = failuresOf(view, parts.config.sources);
    const failures = failed.flat();
    const hasFailed = ownErrors.isFailing();
    if (hasFailed) failures.push("an error of vigie itself, which the log describes");
    return {
      topics: view.topics,
      failures,
      fresh: !hasFailed && failed.length < parts.config.sources.length,
    };
  } finally {
    await parts.stop();
    const known = loop.pause();
    await sources.stop();
    await store.save(withKept(store.state(), known.kept, keptSources(config)));
  }
}

async function openParts(config: Config, { store, log, heard }: PollOnceOptions, post: Post) {
  const saved = readKeptOf(store, config);
  const kept = { ...saved, values: heard?.kept ?? saved.values };
  const sources = await openSources(config, {
    memories: postMemories(kept, post),
    movedDays: { get: () => store.state().moved_days ?? {} },
    log,
    clock: systemClock,
    random: Math.random,
  });
  const parts = createLoopParts({
    config,
    store,
    clock: systemClock,
    kept,
    sources,
    broker: "",
    // As the first poll after a start: it keeps to the limits of requests, which the state file counts.
    offset: 0,
    isDemo: false,
    before: null,
    post,
  });
  const { passing } = parts.known;
  const values = {
    ...passing.values,
    heard: heard?.values ?? new Map(),
    ...(heard && { awaitedSince: null }),
  };
  // A device over HTTP would be recorded as sent to, though nothing sends.
  const outputs = { ...passing.outputs, isEnding: true };
  const known = { ...parts.known, passing: { ...passing, values, outputs } };
  return { parts: { ...parts, known }, sources };
}

/** A source that does not answer is tried again for minutes: say why as soon as it is known, and until when. */
function createTeller({
  config,
  log,
  problemLog,
}: Pick<PollOnceOptions, "log" | "problemLog"> & { config: Config }) {
  const end = wallTime(systemClock.now() + POLL_LIMIT, config.tariff.time_zone).slice(11, 16);
  const tellProblem = (line: ProblemLine, { requests }: View) => {
    if ("isOver" in line) return problemLog.isOver(line.problem, line.isOver);
    const source = [FORECAST_SERVICE, RTE].find((one) => isOf(one, line.problem));
    if (!source) problemLog.starts(line.problem, line.starts);
    else if (requests[source.id])
      problemLog.starts(line.problem, `${line.starts}; trying again until ${end}`);
  };
  return (lines: readonly LogLine[], view: View) => {
    for (const line of lines) {
      if ("problem" in line) tellProblem(line, view);
      else if (line.level === "warn") log.warn(line.sentence);
    }
  };
}

/** What failed in the polls that are over, by source. */
function failuresOf({ problems }: View, sources: readonly Source[]): string[][] {
  const found = sources.map((source) => [...problems].filter(([key]) => isOf(source, key)));
  return found
    .filter((ofSource) => ofSource.length > 0)
    .map((ofSource) => ofSource.map(([, { sentence }]) => sentence));
}

/** Milliseconds: `once` ends within minutes. */
const LONGEST_SLEEP = 15_000;
