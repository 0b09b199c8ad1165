import { fitting, instant, percent, plain, text, type Value } from "../facts/format-value.ts";
import type { Future, PlanSpan } from "../rules/forecast-verdicts.ts";
import { own } from "../rules/own.ts";
import { reasonsOf } from "../rules/reasons.ts";
import type { RulesMemory } from "../rules/rules-memory.ts";
import type { Verdict } from "../rules/verdict.ts";
import type { World } from "../rules/world.ts";
import type { Topic } from "./topic.ts";

export interface RuleTopicsOptions {
  verdicts: readonly Verdict[];
  /** In the order of the verdicts. */
  futures: readonly Future[];
  memory: RulesMemory;
  world: Pick<World, "at">;
  /** `mqtt.grace`. */
  grace: number;
  /** Without a clock that is right only the settings are known. */
  clockRight: boolean;
}

/** What each rule says, why, and what it will say; by topic below the base. */
export function ruleTopics({
  verdicts,
  futures,
  memory,
  world,
  grace,
  clockRight,
}: RuleTopicsOptions): [string, Topic][] {
  return verdicts.flatMap((verdict, index) => {
    const future = futures[index];
    const known = clockRight && future ? { verdict, future, memory, world } : null;
    const topics = [...momentTopics(known, grace), ...datedTopics(known), ...settingTopics(verdict)];
    const name = `rules/${verdict.ready.rule.id}`;
    return topics.map(([part, topic]): [string, Topic] => [part === "" ? name : `${name}/${part}`, topic]);
  });
}

interface KnownRule {
  verdict: Verdict;
  future: Future;
  memory: RulesMemory;
  world: Pick<World, "at">;
}

function momentTopics(known: KnownRule | null, grace: number): [string, Topic][] {
  if (!known) return NOTHING_KNOWN;
  const { verdict, future, memory } = known;
  const since = instant(own(memory.rules, verdict.ready.rule.id)?.since ?? null);
  const expiring = (payload: string, turn: number | null): Topic =>
    turn === null ? { payload } : { payload, expires: turn + grace };
  return [
    ["state", expiring(plain(verdict.state), future.turn)],
    ["since", expiring(plain(since), future.turn)],
    // The reasons can change where the state does not.
    ["", expiring(reasonsJson(known, since), future.tick)],
  ];
}

function reasonsJson({ verdict, world }: KnownRule, since: string | null): string {
  const { day, deciding, complete, because } = reasonsOf(verdict, world);
  const facts = deciding?.facts;
  return fitting(because.map(text), (kept) =>
    JSON.stringify({
      state: verdict.state,
      since,
      day,
      date: facts?.date ?? null,
      color: facts?.color ?? null,
      confidence: percent(facts?.confidence ?? null),
      official: facts?.official ?? null,
      complete,
      because: kept,
    }),
  );
}

function datedTopics(known: KnownRule | null): [string, Topic][] {
  const { next_on = null, next_off = null, spans = [], until = null } = known?.future ?? {};
  return [
    ["next_on", { payload: plain(instant(next_on)) }],
    ["next_off", { payload: plain(instant(next_off)) }],
    ["plan", { payload: planJson(spans, until) }],
  ];
}

/** What does not fit is left out from the end, and the plan then reaches less far. */
function planJson(spans: readonly PlanSpan[], until: number | null): string {
  return fitting(spans, (kept) => {
    const reach = kept.length < spans.length ? (kept.at(-1)?.end ?? null) : until;
    return JSON.stringify({ until: instant(reach), spans: kept.map(spanJson) });
  });
}

function spanJson({ start, end, state, sure }: PlanSpan): Record<string, Value> {
  return { start: instant(start), end: instant(end), state, sure };
}

function settingTopics({ enabled, threshold }: Verdict): [string, Topic][] {
  return [
    ["enabled", { payload: plain(enabled) }],
    ...(threshold === null ? [] : [["threshold", { payload: plain(threshold) }] satisfies [string, Topic]]),
  ];
}

const UNKNOWN_REASONS = {
  state: null,
  since: null,
  day: null,
  date: null,
  color: null,
  confidence: null,
  official: null,
  complete: false,
  because: ["the clock of this machine is wrong"],
};
const NOTHING_KNOWN: [string, Topic][] = [
  ["state", { payload: plain(null) }],
  ["since", { payload: plain(null) }],
  ["", { payload: JSON.stringify(UNKNOWN_REASONS) }],
];
