import { createProblemLog } from "../../src/app/create-problem-log.ts";
import { createLineLog } from "../../src/app/line-log.ts";
import { createLoopParts, keptSources, postMemories, readKeptOf } from "../../src/app/loop-parts.ts";
import type { Sink } from "../../src/app/loop-state.ts";
import { createOwnErrors, type OwnErrors } from "../../src/app/own-errors.ts";
import { createLoop } from "../../src/app/run-loop.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Instant, Tariff } from "../../src/core/calendar/tariff.ts";
import type { Request } from "../../src/core/contract/answer.ts";
import type { KnownDays } from "../../src/core/days/known-days.ts";
import type { LogLine } from "../../src/core/log/log-line.ts";
import { saidAtStart } from "../../src/core/loop/changes.ts";
import type { Command } from "../../src/core/loop/command.ts";
import type { Kept, Known } from "../../src/core/loop/known.ts";
import type { Outputs } from "../../src/core/outputs/output.ts";
import type { OutputsEvent } from "../../src/core/outputs/take-outputs.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { HeardValue, KeptValues } from "../../src/core/rules/value-readings.ts";
import type { Log } from "../../src/runtime/log.ts";
import type { OfficialClient } from "../../src/service/official-client.ts";
import type { RequestOptions } from "../../src/service/service-request.ts";
import type { SourceReply } from "../../src/service/source-sink.ts";
import { withKept } from "../../src/state/kept.ts";
import { emptyState } from "../../src/state/state.ts";
import type { Store } from "../../src/state/store.ts";
import { createPollsByHand } from "./drive-poll.ts";
import { logTo } from "./logs.ts";
import { createMemoryStore } from "./memory-store.ts";
import { PARIS } from "./tariff.ts";
import { passTurns } from "./turns.ts";

type AskService = (request: Request, options: RequestOptions) => Promise<SourceReply>;

/** A rule without settings, and one with a threshold. */
export const RULES = rulesOptions.parse([
  {
    id: "ahead",
    when: {
      any: [
        { day: "next", color: "rouge" },
        { day: "now", color: "rouge" },
      ],
    },
  },
  { id: "week", threshold: 60, when: { day: "next_7_days", color: "rouge", confidence: "threshold" } },
]);

/** An error of vigie itself fails the test. */
export const THROWN_ERRORS: OwnErrors = {
  forget: () => undefined,
  protect: (_part, run) => {
    run();
    return true;
  },
  isFailing: () => false,
};

const CONFIG = configSchema.parse({
  service: { base_url: "http://127.0.0.1" },
  mqtt: { url: "mqtt://127.0.0.1" },
});

/** Resolves when all has run that needs no time: what is posted, the looks that wait for the end of a turn, the saves. */
export function settled(): Promise<void> {
  return passTurns(3);
}

export interface TestLoopOptions {
  /** What the service answers; null: there is none. */
  ask?: AskService | null;
  /** What RTE answers; by itself it is not asked. */
  askOfficial?: OfficialClient["ask"] | null;
  /** If the sources are polled when that is due; otherwise the test polls them. */
  polls?: "by hand" | "when due";
  isInvented?: boolean;
  /** The last payloads of the house, as the test changes them. */
  heard?: Map<string, HeardValue>;
  isSettled?: () => boolean;
  kept?: KeptValues;
  rules?: readonly Rule[];
  outputs?: Outputs;
  checkClock?: "auto" | "off";
  store?: Store;
  /** As `official.source`. */
  official?: string;
  /** What the state file holds of the days. */
  days?: KnownDays;
  /** Without `steady` this machine's clock was never set. */
  clock: { at: number; steady?: number };
  /** Errors of vigie itself are logged, and fail no test. */
  areErrorsLogged?: boolean;
  log?: Log;
  /** Before a reload: what was known then. */
  before?: Known;
  /** Shown after the sources and the disk. */
  sinks?: readonly Sink[];
  tariff?: Tariff;
}

/**
 * The real loop on a clock that the test sets, between a store in memory and lists of what it says. Nothing wakes it by
 * itself: `refresh` does.
 */
export function openTestLoop({ rules = [], days, clock, ...options }: TestLoopOptions) {
  const {
    store = createMemoryStore(emptyState("test")),
    isSettled = () => true,
    polls = "by hand",
  } = options;
  const { heard = new Map<string, HeardValue>(), kept: keptValues = {} } = options;
  const { ask = () => Promise.reject(new Error("this loop asks nothing")), askOfficial = null } = options;
  const lines: string[] = [];
  const events: object[] = [];
  const everSaid: LogLine[] = [];
  const log = options.log ?? logTo(lines);
  const steady = () => clock.steady ?? clock.at;
  const timers = new Map<() => void, number>();
  const machine = {
    now: () => clock.at,
    steady,
    after: (milliseconds: number, run: () => void) => {
      timers.set(run, steady() + milliseconds);
      return () => void timers.delete(run);
    },
    atRealPace: <T>(answer: Promise<T>) => answer,
  };
  const problemLog = createProblemLog(log, machine);
  const config = {
    tariff: options.tariff ?? PARIS,
    rules: [...rules],
    outputs: options.outputs ?? CONFIG.outputs,
    service: { ...CONFIG.service, base_url: "test", check_clock: options.checkClock ?? "off" },
    official: { source: options.official ?? "rte" },
    mqtt: CONFIG.mqtt,
  };
  const loop = createLoop({
    clock: machine,
    longestSleep: 15_000,
    ownErrors: options.areErrorsLogged ? createOwnErrors(problemLog) : THROWN_ERRORS,
    wake: () => undefined,
  });
  const { post } = loop;
  if (days)
    void store.save(withKept(store.state(), { ...readKeptOf(store, config), days }, keptSources(config)));
  const kept: Kept = readKeptOf(store, config);
  const refresh = () => post({ kind: "time" });
  const byHand = createPollsByHand(refresh);
  const parts = createLoopParts({
    config,
    store,
    clock: machine,
    kept,
    sources: {
      service: ask && { ask },
      official: askOfficial && { ask: askOfficial },
      isInvented: options.isInvented ?? false,
    },
    broker: "mqtt://127.0.0.1",
    offset: 0,
    isDemo: false,
    before: options.before ? { config, known: options.before } : null,
    post,
  });
  const sources = polls === "by hand" ? parts.config.sources.map(byHand.sourceOf) : parts.config.sources;
  const lineLog = createLineLog(log, { problemLog, clock: machine });
  const begin = (known: Known, said = parts.said) =>
    loop.begin({
      ...parts,
      config: { ...parts.config, sources },
      said,
      known,
      sinks: [...parts.sinks, ...(options.sinks ?? []), byHand.sink],
      say: (changes) => {
        lineLog.write(changes.lines);
        everSaid.push(...changes.lines);
        events.push(...changes.events);
      },
    });
  const { passing } = parts.known;
  const values = { ...passing.values, awaitedSince: isSettled() ? null : steady() };
  const known = options.heard ? { ...values, heard: new Map(heard) } : values;
  begin({ ...parts.known, passing: { ...passing, values: known } });

  const payload = (topic: string) => loop.view().topics.get(topic)?.payload;
  return {
    loop: { ...loop, refresh, poll: byHand.pollService, pollOfficial: byHand.pollOfficial },
    /** What the clients of the sources count and learn. */
    memories: postMemories(kept, post),
    config: parts.config,
    store,
    log,
    lines,
    /** What the log was given, also if it left it out. */
    said: everSaid,
    /** The messages on the topic `event`. */
    events,
    /** From now on these days are known, as if they had been from the start. */
    know: (known: KnownDays) => {
      const before = loop.pause();
      begin({ ...before, kept: { ...before.kept, days: known } }, saidAtStart(before.kept));
    },
    days: () => loop.known().kept.days,
    /** The values are those of `heard` now. */
    noticeValues: () => {
      post({ kind: "values", heard: new Map(heard), kept: { ...keptValues }, isSettled: isSettled() });
      return settled();
    },
    /** Resolves when it is in force. */
    command: (command: Command, topic = "x/set") => {
      post({ kind: "commands", commands: [{ topic, command }] });
      return settled();
    },
    outputs: (event: OutputsEvent) => post({ kind: "outputs", event }),
    /** Ends the requests that are under way. */
    stop: parts.stop,
    /** Goes on from boundary to boundary, as the loop wakes. */
    goTo: (at: Instant, afterEach: () => void = () => undefined) => {
      const next = () => {
        const { boundary } = loop.view();
        return Math.min(boundary.now, clock.at + (boundary.steady - steady()));
      };
      while (next() <= at) {
        const to = Math.max(clock.at, next());
        if (clock.steady !== undefined) clock.steady += to - clock.at;
        clock.at = to;
        refresh();
        afterEach();
      }
      clock.at = at;
    },
    /** All that waits for time to pass runs now. */
    runTimers: () => {
      const due = [...timers.keys()];
      timers.clear();
      for (const run of due) run();
    },
    /** In how many milliseconds the first of it runs. */
    nextTimer: () => Math.min(...timers.values()) - steady(),
    payload,
    topics: () => loop.view().topics,
    expires: (topic: string) => loop.view().topics.get(topic)?.expires,
  };
}
