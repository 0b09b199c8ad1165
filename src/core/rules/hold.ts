import type { Instant } from "../calendar/tariff.ts";
import type { RuleSpan, Timeline } from "./condition-types.ts";
import type { Rule } from "./rule.ts";
import type { KeptHold, KeptSpan } from "./rules-state.ts";
import { BARE_SPAN, clip, findSpan, spanAt, withWhenUnknown } from "./timeline.ts";
import { isByValue, isSure, type Truth } from "./truth.ts";

/** A forecast or a value has turned a rule: until `until` no other one turns it again. */
export interface HoldTime {
  turned: Instant;
  /** `hold` after that; sooner, if another day decides by then. */
  until: Instant;
}

/** What the next evaluation of a rule with a hold needs to know. */
export interface HoldMemory {
  /**
   * What the rule was published as, and what it is from now on as long as nothing but time changes it. While the plan stands against
   * what is known, it is not replaced. null: no evaluation before counts.
   */
  plan: Timeline | null;
  running: HoldTime | null;
  /** The plan stands against what is known. */
  isHeld: boolean;
  /** The hold ended before this process began: its plan stands only until the broker has sent the values. */
  isPast?: true;
}

export const NOTHING_HELD: HoldMemory = { plan: null, running: null, isHeld: false };

interface HoldDecision {
  /** What is published. */
  timeline: Timeline;
  memory: HoldMemory;
}

/**
 * A change that a forecast or a value has caused counts at once, and begins a hold: then no other one turns the rule until the
 * hold is over, and the plan stands. It holds up no change that is sure, and none by the clock, which the plan has. If the rule is
 * sure for a while, the plan does not stand any more, but the hold goes on: what comes after it is held again.
 */
export function decideHold(
  { hold: length }: Rule,
  latest: Timeline,
  before: HoldMemory,
  at: Instant,
): HoldDecision {
  const now = spanAt(latest, at);
  if (now.failure) return { timeline: latest, memory: before };
  const isAwaited = now.by === "awaited";
  if (isAwaited && before.isHeld && before.plan) {
    // What was found last did not count. Neither does it now.
    const timeline = splice(latest, before.plan, NEVER, at).map((span): RuleSpan => {
      return span.start <= at && at < span.end ? { ...span, by: "awaited" } : span;
    });
    return { timeline, memory: before };
  }
  const running = before.running && isRunning(before.running, at, length) ? before.running : null;
  const plan = planOf(before, running, at);
  const follow = (next: HoldTime | null): HoldDecision => {
    const timeline = plan ? continueWith(plan, latest, at) : latest;
    return { timeline, memory: { plan: withoutWait(timeline), running: next, isHeld: false } };
  };
  if (isSure(now)) return follow(running);
  const planned = plan ? plannedAt(plan, at) : now.truth;
  if (!running || !plan || planned === null) {
    const isTurn = now.truth !== planned && now.truth !== null && !isAwaited;
    return follow(isTurn ? { turned: at, until: endOfHold(latest, plan, { at, length }) } : running);
  }
  const isSame = before.isHeld ? areEqual(latest, plan, at, running.until) : now.truth === planned;
  if (isSame) return follow(running);
  const standing = before.isHeld ? plan : lastingUntil(plan, running.until);
  return {
    timeline: splice(latest, standing, endOfStanding(latest, standing, running, at), at),
    memory: { plan: standing, running, isHeld: true },
  };
}

/** The plan of before, if it counts. If the clock was set back to before the turn, what the plan says of the turn counts already. */
function planOf(
  { plan, isHeld, isPast }: HoldMemory,
  running: HoldTime | null,
  at: Instant,
): Timeline | null {
  // After a sleep longer than the plan nobody knows what would have been.
  const isOver = !(running || isHeld) && at >= (plan?.at(-1)?.end ?? at);
  if (!plan || isPast || isOver) return null;
  const span = running && at < running.turned ? findSpan(plan, running.turned) : undefined;
  if (!span) return plan;
  return [...clip(plan, -NEVER, at), { ...span, start: at }, ...clip(plan, span.end, NEVER)];
}

/** Other rules may look back at this one by a lag: what it was published as stays. */
function continueWith(plan: Timeline, latest: Timeline, at: Instant): Timeline {
  if (plan.at(-1) === latest.at(-1)) return plan;
  const past = clip(plan, latest[0]?.start ?? at, at);
  const [now, ...later] = clip(latest, at, NEVER);
  const last = past.at(-1);
  if (!now || !last) return latest;
  const before = clip(latest, -NEVER, past[0]?.start ?? at);
  const isSame = last.truth === now.truth && last.by === now.by && last.state === now.state;
  if (!isSame) return [...before, ...past, now, ...later];
  // So a value that is heard each second adds no spans.
  return [...before, ...past.slice(0, -1), { ...now, start: last.start }, ...later];
}

/** A plan that is remembered awaits nothing: at the next look the broker may have sent all that it holds, and not this value. */
function withoutWait(plan: Timeline): Timeline {
  if (plan.every(({ by }) => by !== "awaited")) return plan;
  return plan.map((span) => (span.by === "awaited" ? { ...span, by: "value" } : span));
}

/** If the clock was set back by more than the hold, the turn lies too far ahead. */
function isRunning({ turned, until }: HoldTime, at: Instant, length: number): boolean {
  return at < until && turned - at <= length;
}

/** null also if the clock was set back to before the plan. After its end what it said last counts. */
function plannedAt(plan: Timeline, at: Instant): Truth {
  const last = plan.at(-1);
  const span = last && at >= last.end ? last : findSpan(plan, at);
  return span?.truth ?? null;
}

/** The plan ends with the days that are known. It says of the end of the hold what it says last. */
function lastingUntil(plan: Timeline, until: Instant): Timeline {
  const last = plan.at(-1);
  return last && last.end <= until ? [...plan.slice(0, -1), { ...last, end: until + 1 }] : plan;
}

/**
 * What a forecast says of the next day does not wait for one that changed its mind about this day. A rule is ON because of a day; it
 * is OFF because of all that it looks at: so the timeline counts by which it is ON, of before the turn or after it.
 */
function endOfHold(
  latest: Timeline,
  plan: Timeline | null,
  { at, length }: { at: Instant; length: number },
): Instant {
  const end = at + length;
  const on = spanAt(latest, at).truth === true || !plan ? latest : plan;
  const date = findSpan(on, at)?.date() ?? null;
  if (date === null) return end;
  const isOtherDay = (span: RuleSpan) =>
    span.start > at && span.start < end && (span.date() ?? date) !== date;
  return on.find(isOtherDay)?.start ?? end;
}

/** A pretended colour begins and ends no hold: what it turns counts at once. */
export function holdSimulated(
  pretended: Timeline,
  real: { latest: Timeline; memory: HoldMemory },
  at: Instant,
): HoldDecision {
  const { memory } = real;
  const { plan, running, isHeld } = memory;
  if (!plan) return { timeline: pretended, memory };
  const now = spanAt(pretended, at);
  const isTurned = isSure(now) || now.truth !== spanAt(real.latest, at).truth;
  if (!isHeld || isTurned)
    return { timeline: continueWith(plan, pretended, at), memory: { ...memory, isHeld: false } };
  const end = running ? endOfStanding(pretended, plan, running, at) : NEVER;
  return { timeline: splice(pretended, plan, end, at), memory };
}

function areEqual(one: Timeline, other: Timeline, from: Instant, to: Instant): boolean {
  const starts = [...clip(one, from, to), ...clip(other, from, to)].map(({ start }) => start);
  return starts.every((at) => findSpan(one, at)?.truth === findSpan(other, at)?.truth);
}

/**
 * Until when the plan is shown: to the end of the hold, or until what is known is sure, or the plan is unknown. If a value would
 * turn the rule now, it is shown throughout: what the value says now is not what it says when the hold is over.
 */
function endOfStanding(latest: Timeline, plan: Timeline, { until }: HoldTime, at: Instant): Instant {
  const isAhead = ({ start }: RuleSpan) => start > at;
  const sure = latest.find((span) => isAhead(span) && isSure(span))?.start ?? NEVER;
  const unknown = plan.find((span) => isAhead(span) && span.truth === null)?.start ?? NEVER;
  return isByValue(spanAt(latest, at)) ? NEVER : Math.min(until, sure, unknown);
}

/** The plan until an instant, and what is known by now after it, and before it. */
function splice(latest: Timeline, plan: Timeline, until: Instant, at: Instant): Timeline {
  const end = Math.min(until, plan.at(-1)?.end ?? at);
  const start = plan[0]?.start ?? end;
  const held = clip(plan, start, end).map((span): RuleSpan => {
    const isNow = span.start <= at && at < span.end;
    return isNow ? { ...span, seen: () => ({ date: span.seen().date, at: null }) } : span;
  });
  return [...clip(latest, -NEVER, start), ...held, ...clip(latest, end, NEVER)];
}

/** For the state file: only while a hold runs. */
export function keepHold({ plan, running, isHeld }: HoldMemory, identity: string): KeptHold | null {
  if (!running || !plan) return null;
  const spans: KeptSpan[] = [];
  for (const { start, end, truth, by, seen } of plan) {
    const date = truth === true ? seen().date : null;
    const last = spans.at(-1);
    if (last && last.truth === truth && last.by === by && last.date === date) last.end = end;
    else spans.push({ start, end, truth, by, date });
  }
  return { ...running, identity, isHeld, plan: spans };
}

export function readHold(
  { turned, until, isHeld, plan }: KeptHold,
  { when_unknown }: Rule,
  at: Instant,
): HoldMemory {
  const spans = plan.map(({ start, end, truth, by, date }): RuleSpan => {
    const state = withWhenUnknown(truth, when_unknown);
    const seen = () => ({ date, at: null });
    return { ...BARE_SPAN, start, end, truth, by, state, decided: { start, end }, seen, date: () => date };
  });
  return { plan: spans, running: { turned, until }, isHeld, ...(at >= until && { isPast: true }) };
}

const NEVER = Number.POSITIVE_INFINITY;
