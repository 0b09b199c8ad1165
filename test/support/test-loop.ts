import { createLoop, type LoopOptions } from "../../src/app/loop.ts";
import { openLoopMemory } from "../../src/app/loop-memory.ts";
import { reportSwitchedBack } from "../../src/app/report.ts";
import { rulesOptions } from "../../src/config/rules-options.ts";
import type { DayEvent } from "../../src/core/days/day-events.ts";
import type { KnownDays } from "../../src/core/days/known-days.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { HeardValue, KeptValues } from "../../src/core/rules/value-readings.ts";
import type { VerdictChange } from "../../src/core/rules/verdict-changes.ts";
import type { Topics } from "../../src/core/topics/topic.ts";
import { emptyState } from "../../src/state/state.ts";
import type { Store } from "../../src/state/store.ts";
import { logTo } from "./logs.ts";
import { createMemoryStore } from "./memory-store.ts";
import { PARIS } from "./tariff.ts";

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

interface TestLoopOptions extends Partial<Pick<LoopOptions, "ask" | "askOfficial" | "serviceKind">> {
  /** The last payloads of the house, as the test changes them. */
  heard?: Map<string, HeardValue>;
  isSettled?: () => boolean;
  kept?: KeptValues;
  rules?: readonly Rule[];
  checkClock?: "auto" | "off";
  store?: Store;
  /** The address of the official source, as the state file has it. */
  official?: string;
  days?: KnownDays;
  /** Without `steady` this machine's clock was never set. */
  clock: { at: number; steady?: number };
  devices?: Partial<LoopOptions["devices"]>;
}

/** The real loop on a clock that the test sets, between a store in memory and lists of what it publishes. */
export function openTestLoop({ rules = [], days, clock, devices, ...options }: TestLoopOptions) {
  const { store = createMemoryStore(emptyState("test")), isSettled = () => true, kept = {} } = options;
  const { heard = new Map() } = options;
  const lines: string[] = [];
  const changes: VerdictChange[] = [];
  const events: DayEvent[] = [];
  let topics: Topics = new Map();
  const log = logTo(lines);
  const memory = openLoopMemory(store, {
    source: "test",
    official: options.official ?? "rte",
    rules,
    log,
    values: () => ({ ...kept }),
  });
  const know = (known: KnownDays) => memory.keepAnswer(known, memory.lastAnswered());
  if (days) know(days);
  const loop = createLoop({
    config: {
      rules,
      tariff: PARIS,
      service: { late_after: "12:00", check_clock: options.checkClock ?? "off" },
      mqtt: { grace: 600_000 },
    },
    serviceKind: options.serviceKind ?? "real",
    memory,
    clock: { now: () => clock.at, steady: () => clock.steady ?? clock.at },
    ask: options.ask === undefined ? () => Promise.reject(new Error("this loop asks nothing")) : options.ask,
    askOfficial: options.askOfficial ?? null,
    publish: (wanted) => {
      topics = wanted;
    },
    devices: { statuses: () => [], update: () => undefined, ...devices },
    values: { heard: () => heard, isSettled: () => isSettled() },
    onDayEvent: (event) => void events.push(event),
    onContradiction: ({ sentence }) => void lines.push(sentence),
    onRefusedWord: (sentence, { name }) => void lines.push(`${name}: ${sentence}`),
    onVerdictChange: (change) => void changes.push(change),
    onSwitchedBack: (rule, enabled) => reportSwitchedBack(rule, enabled, log),
    onRefreshed: () => undefined,
  });
  return {
    loop,
    memory,
    store,
    log,
    lines,
    changes,
    events,
    know,
    payload: (topic: string) => topics.get(topic)?.payload,
    topics: () => topics,
    expires: (topic: string) => topics.get(topic)?.expires,
  };
}
