import { createLoop } from "../../src/app/loop.ts";
import { openLoopMemory } from "../../src/app/loop-memory.ts";
import { createOfficialPolling } from "../../src/app/polling.ts";
import type { Instant, Tariff } from "../../src/core/calendar/tariff.ts";
import type { Answer } from "../../src/core/contract/answer.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { renderPage } from "../../src/http/page/render-page.ts";
import { startAlarm } from "../../src/runtime/alarm.ts";
import type { ClockWithTimers } from "../../src/runtime/clock.ts";
import type { Transport } from "../../src/service/http-transport.ts";
import { createOfficialClient } from "../../src/service/official-client.ts";
import { duePoll } from "../../src/service/poll-times.ts";
import { createServiceClient } from "../../src/service/service-client.ts";
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

const SERVICE = { colors: {}, confidence: "auto", rate_unit: "EUR/kWh", history_parameters: "auto" } as const;
const AWAITED: [string, string] = ["06:30", "12:00"];
const nothing = () => undefined;

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
  /** Milliseconds from one look whether a poll is due to the next, between polls, and while tomorrow is awaited. */
  pace: { look: number; every: number; announcement: number };
  want: (topics: Topics) => void;
  sendAgain: () => void;
  /** Each answer that came whole, before vigie makes anything of it. */
  onAnswer: (answer: Answer) => void;
}

/** vigie as the daemon builds it, driven from outside as the schedule would. */
export interface VigieRun {
  /** When something is due next, by the machine's clock. */
  due: () => Instant;
  /** Does what is due. */
  turn: () => void;
  /** The real alarm, until it notices that the clock was set. All year round it would wake two million times. */
  watchClock: (noticed: () => void) => void;
  polls: () => number;
  /** The page as it is now. */
  page: () => string;
  kill: () => void;
}

export function startVigieRun(options: VigieRunOptions): VigieRun {
  const { clock, offset, store, pace } = options;
  const memory = openLoopMemory(store, {
    source: options.transport ? "season" : "none",
    official: "rte",
    rules: options.rules,
    log: SILENT_LOG,
    values: () => ({}),
  });
  const stopping = new AbortController();
  const client =
    options.transport &&
    createServiceClient({
      config: SERVICE,
      base: "http://127.0.0.1",
      version: "0",
      log: SILENT_LOG,
      memory: memory.client,
      clock,
      random: options.random,
      transport: options.transport,
    });
  const official =
    options.officialTransport &&
    createOfficialClient({
      base: "http://127.0.0.1",
      version: "0",
      log: SILENT_LOG,
      memory: memory.officialClient,
      clock,
      random: options.random,
      transport: options.officialTransport,
      tariff: TARIFF,
    });
  const loop = createLoop({
    config: {
      rules: options.rules,
      tariff: TARIFF,
      service: { late_after: "12:00", check_clock: "auto" },
      mqtt: { grace: GRACE },
    },
    serviceKind: client ? "real" : "none",
    memory,
    clock,
    publish: options.want,
    askOfficial: official?.ask ?? null,
    ask: client
      ? async (request, ways) => {
          const reply = await client.ask(request, ways);
          options.onAnswer(reply.answer);
          return reply;
        }
      : null,
    devices: { statuses: () => [], update: nothing },
    values: { heard: () => new Map(), isSettled: () => true },
    onDayEvent: nothing,
    onContradiction: nothing,
    onRefusedWord: nothing,
    onVerdictChange: nothing,
    onSwitchedBack: nothing,
    onRefreshed: nothing,
  });
  let lastPoll: Instant | null = null;
  let polls = 0;
  const poll = { every: pace.every, announcement: { between: AWAITED, every: pace.announcement } };
  const officialPolling =
    official &&
    createOfficialPolling({
      loop,
      memory,
      tariff: TARIFF,
      times: poll,
      offset,
      clock,
      onFirstFailure: nothing,
      onPolled: nothing,
    });
  const pollIfDue = () => {
    void officialPolling?.pollIfDue();
    const input = { poll, tariff: TARIFF, knownDays: memory.days(), offset };
    const due = client && duePoll(clock.now(), lastPoll, input);
    if (!due) return;
    lastPoll = clock.now();
    polls += 1;
    void loop.poll({ ...due, signal: stopping.signal });
  };
  pollIfDue();
  let look = nextLook(clock.now(), options);
  const due = () => Math.min(loop.snapshot().boundary, look);
  const turn = () => {
    const now = clock.now();
    if (now >= loop.snapshot().boundary) loop.refresh();
    if (now < look) return;
    look = nextLook(now, options);
    pollIfDue();
  };
  const jumped = () => {
    look = nextLook(clock.now(), options);
    loop.refresh();
    options.sendAgain();
    pollIfDue();
  };
  let stopAlarm: () => void = nothing;
  const watchClock: VigieRun["watchClock"] = (noticed) => {
    const { stop } = startAlarm({
      clock,
      longestSleep: 15_000,
      due,
      onDue: turn,
      onWake: nothing,
      onJump: () => {
        jumped();
        // The alarm arms itself once more after this.
        setTimeout(stop);
        noticed();
      },
    });
    stopAlarm = stop;
  };
  const kill = () => {
    stopAlarm();
    stopping.abort();
    void officialPolling?.stop();
  };
  return {
    due,
    turn,
    watchClock,
    polls: () => polls,
    page: () => renderPage(viewOf(loop), { language: "fr" }),
    kill,
  };
}

/** At the installation's own second (what `pollCron` says, at the pace of this run). */
function nextLook(now: Instant, { offset, pace }: Pick<VigieRunOptions, "offset" | "pace">): Instant {
  const second = Math.floor(offset * 60) * 1_000;
  return Math.floor((now - second) / pace.look) * pace.look + second + pace.look;
}
