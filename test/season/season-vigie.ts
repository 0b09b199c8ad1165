import { createLoopParts, postMemories, readKeptOf } from "../../src/app/loop-parts.ts";
import type { Sink } from "../../src/app/loop-state.ts";
import type { OwnErrors } from "../../src/app/own-errors.ts";
import { createLoop } from "../../src/app/run-loop.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import type { Tariff } from "../../src/core/calendar/tariff.ts";
import type { Answer, Request } from "../../src/core/contract/answer.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { renderPage } from "../../src/http/page/render-page.ts";
import { createTopicsSink } from "../../src/mqtt/topics-sink.ts";
import type { ClockWithTimers } from "../../src/runtime/clock.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { createOfficialClient } from "../../src/service/official-client.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
import type { RequestOptions } from "../../src/service/service-request.ts";
import type { Store } from "../../src/state/store.ts";
import { SILENT_LOG } from "../support/logs.ts";
import { AUGUST_PRICES, FEBRUARY_PRICES, PARIS } from "../support/tariff.ts";
import { viewOf } from "../support/views.ts";

export const GRACE = 600_000;
/** The owner's prices reach back, so that each day has one. */
const TARIFF: Tariff = {
  ...PARIS,
  rates: [{ ...FEBRUARY_PRICES, from: "2000-01-01" }, AUGUST_PRICES],
};

const BASE = "http://127.0.0.1";
const CONFIG = configSchema.parse({ service: { base_url: BASE }, mqtt: { url: "mqtt://127.0.0.1" } });
const AWAITED: [string, string] = ["06:30", "12:00"];
const nothing = () => undefined;
/** An error of vigie itself ends the test, also if whoever has posted the event catches what is thrown. */
const UNCAUGHT: OwnErrors = {
  protect: runUncaught,
  forget: nothing,
  isFailing: () => false,
};

/** What one run of vigie needs, from its start to its kill; the next run has the same store. */
export interface VigieRunOptions {
  store: Store;
  rules: readonly Rule[];
  clock: ClockWithTimers;
  /** Of the service; undefined with `service.base_url: none`. */
  transport: Transport | undefined;
  /** Of the official source, where there is one. */
  officialTransport?: Transport;
  random: () => number;
  offset: number;
  /** Milliseconds between polls, and while tomorrow is awaited. */
  pace: { every: number; announcement: number };
  want: (topics: Topics) => void;
  sendAgain: () => void;
  /** Each answer that came whole, before vigie makes anything of it. */
  onAnswer: (answer: Answer) => void;
}

/** vigie as the daemon builds it, woken by its own alarm. */
export interface VigieRun {
  /** From now on it compares its clocks as often as it does, until it notices that the clock was set. */
  watchClock: (noticed: () => void) => void;
  polls: () => number;
  /** The page as it is now. */
  page: () => string;
  kill: () => void;
}

export function startVigieRun(options: VigieRunOptions): VigieRun {
  const { clock, store, pace, transport, officialTransport } = options;
  const announcement = { between: AWAITED, every: pace.announcement };
  const config = {
    ...CONFIG,
    tariff: TARIFF,
    rules: [...options.rules],
    service: {
      ...CONFIG.service,
      base_url: transport ? BASE : "none",
      poll: { every: pace.every, announcement },
    },
    official: { source: officialTransport ? "rte" : "off" },
    mqtt: { ...CONFIG.mqtt, grace: GRACE },
  };
  const sleeper = createSleeper(clock, () => {
    const { boundary } = loop.view();
    return Math.min(boundary.now - clock.now(), boundary.steady - clock.steady());
  });
  const loop = createLoop({
    clock: { ...clock, after: sleeper.after },
    longestSleep: 15_000,
    ownErrors: UNCAUGHT,
    wake: nothing,
  });
  const kept = readKeptOf(store, config);
  const memories = postMemories(kept, loop.post);
  const shared = { base: BASE, version: "0", log: SILENT_LOG, clock, random: options.random };
  const client =
    transport &&
    createServiceClient({ ...shared, config: config.service, memory: memories.service, transport });
  const official =
    officialTransport &&
    createOfficialClient({
      ...shared,
      memory: memories.official,
      transport: officialTransport,
      tariff: TARIFF,
    });
  let polls = 0;
  const parts = createLoopParts({
    config,
    store,
    clock,
    kept,
    sources: {
      service: client
        ? {
            ask: async (request: Request, limits: RequestOptions) => {
              if (request.kind === "forecasts") polls += 1;
              const reply = await client.ask(request, limits);
              options.onAnswer(reply.answer);
              return reply;
            },
          }
        : null,
      official: official ?? null,
      isInvented: false,
    },
    broker: "",
    offset: options.offset,
    isDemo: false,
    before: null,
    post: loop.post,
  });
  const topics = createTopicsSink({ setTopics: options.want, republishAll: options.sendAgain });
  loop.begin({
    ...parts,
    sinks: [...parts.sinks, { name: "topics", show: topics.show }, sleeper.sink],
    say: nothing,
  });
  return {
    watchClock: sleeper.watch,
    polls: () => polls,
    page: () => renderPage(viewOf(loop), { language: "fr" }),
    kill: () => {
      loop.pause();
      void parts.stop();
    },
  };
}

/**
 * The loop wakes each 15 s to compare its clocks, two million times a year. While nobody sets the clock, it sleeps until
 * something is due (`untilDue`).
 */
function createSleeper({ after }: ClockWithTimers, untilDue: () => number) {
  let noticed: (() => void) | undefined;
  let rearm: () => void = nothing;
  let jumpsBefore = 0;
  const sink: Sink = {
    name: "whether it has noticed that the clock was set",
    show: ({ jumps }) => {
      if (jumps === jumpsBefore) return;
      jumpsBefore = jumps;
      noticed?.();
      noticed = undefined;
    },
  };
  return {
    after: (milliseconds: number, run: () => void) => {
      let cancel: () => void = nothing;
      const arm = () => {
        cancel();
        cancel = after(noticed ? milliseconds : Math.max(milliseconds, untilDue()), run);
      };
      arm();
      rearm = arm;
      return () => cancel();
    },
    sink,
    watch: (onNoticed: () => void) => {
      noticed = onNoticed;
      rearm();
    },
  };
}

function runUncaught(_part: string, run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return false;
  }
}
