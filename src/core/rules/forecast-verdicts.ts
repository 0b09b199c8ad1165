import type { Instant } from "../calendar/tariff.ts";
import { isSure, settle } from "./evaluate-rules.ts";
import { worldsBelieved } from "./held.ts";
import { own } from "./own.ts";
import type { RulesMemory } from "./rules-memory.ts";
import { sayBetween } from "./spans.ts";
import type { Truth } from "./truth.ts";
import { nextTick } from "./turn.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** What a rule will say, as far as is known. */
export interface Future {
  /** How far that is. */
  until: Instant;
  spans: readonly PlanSpan[];
  /** When it next turns ON, or OFF, so far as is known. */
  next_on: Instant | null;
  next_off: Instant | null;
  /** The next instant at which time alone can change its state; null where none does. */
  turn: Instant | null;
  /** The next instant at which time alone can change its reasons. */
  tick: Instant | null;
}

export interface PlanSpan {
  start: Instant;
  end: Instant;
  state: Truth;
  /** No forecast decides. */
  sure: boolean;
}

/** The future of each rule: the same evaluation, asked at every later instant at which it can turn. */
export function planRules(verdicts: readonly Verdict[], world: World, memory: RulesMemory): Future[] {
  const believing = worldsBelieved(world);
  return verdicts.map((verdict) => {
    const since = own(memory.rules, verdict.ready.rule.id)?.since ?? world.at;
    if (!verdict.enabled) return switchedOff(world, since);
    const old = verdict.held && believing(verdict.held.believed);
    const spans = spansAhead(verdict, world, old);
    // What is so now began when it began: the plan stays as it is until something turns.
    if (spans[0]) spans[0].start = Math.min(spans[0].start, since);
    return future(spans, world, nextTick(verdict, world));
  });
}

function switchedOff({ until }: World, since: Instant): Future {
  const spans = [{ start: since, end: until, state: false, sure: true }];
  return { until, spans, next_on: null, next_off: null, turn: null, tick: null };
}

/** While a verdict is held, the forecasts it keeps to; then what they say now. */
function spansAhead(verdict: Verdict, world: World, old: World | null): PlanSpan[] {
  const { at, until } = world;
  const release = old && verdict.held ? Math.min(verdict.held.until, until) : at;
  const spans: PlanSpan[] = [];
  if (old && release > at) addStretch(spans, verdict, old, [at, release]);
  if (until > release) addStretch(spans, verdict, world, [release, until]);
  return spans;
}

function addStretch(
  spans: PlanSpan[],
  { ready, threshold }: Verdict,
  world: World,
  [from, to]: readonly [Instant, Instant],
): void {
  for (const said of sayBetween(ready, world, [from, to], threshold)) {
    const { start } = said;
    const state = settle(ready.rule, said.truth);
    const sure = isSure(said);
    const last = spans.at(-1);
    if (last) last.end = start;
    if (last?.state !== state || last.sure !== sure) spans.push({ start, end: to, state, sure });
  }
  const last = spans.at(-1);
  if (last) last.end = to;
}

function future(spans: readonly PlanSpan[], world: World, tick: Instant | null): Future {
  const turnTo = (state: boolean) =>
    spans.find((span, index) => index > 0 && span.state === state && spans[index - 1]?.state !== state)
      ?.start ?? null;
  const turned = spans.find(({ state }) => state !== spans[0]?.state);
  return {
    until: world.until,
    spans,
    next_on: turnTo(true),
    next_off: turnTo(false),
    turn: turned?.start ?? world.until,
    tick,
  };
}
