import type { Instant } from "../calendar/tariff.ts";
import type { RuleSpan } from "./condition-types.ts";
import type { Rule } from "./rule.ts";
import type { KeptHold, KeptSpan } from "./rules-state.ts";
import { clip, findSpan, settle, spanAt, type Timeline } from "./timeline.ts";
import { isByValue, isSure } from "./truth.ts";

/** What a forecast or a value of before has to do with a rule. */
export interface Hold {
  /** When one last turned the rule. */
  turned: Instant;
  /** Until then none turns it again: `hold` after that, or sooner, if another day decides by then. */
  until: Instant;
}

/** What the evaluation before knew of a rule with a hold. */
export interface BeforeHold {
  /** What the rule was to be from then on, if nothing but time changed it; null: none counts. */
  plan: Timeline | null;
  hold: Hold | null;
  /** The plan stands against what is known. */
  isHeld: boolean;
}

export const NO_HOLD: BeforeHold = { plan: null, hold: null, isHeld: false };

interface HoldDecision {
  /** What is published. */
  timeline: Timeline;
  /** For the next evaluation. */
  hold: BeforeHold;
}

/**
 * A change that a forecast or a value has caused counts at once, and begins a hold: then no other one turns the rule until the
 * hold is over, and the plan of before stands. It holds up no change that is sure, and none by the clock, which the plan has.
 */
export function decideHold(
  { hold: length }: Rule,
  latest: Timeline,
  before: BeforeHold,
  at: Instant,
): HoldDecision {
  const now = spanAt(latest, at);
  const { plan } = before;
  // If the clock was set back by more than the hold, the turn lies too far ahead.
  const isRunning = before.hold !== null && at < before.hold.until && before.hold.turned - at <= length;
  const hold = isRunning ? before.hold : null;
  const follow = (next: Hold | null): HoldDecision => ({
    timeline: latest,
    hold: { plan: latest, hold: next, isHeld: false },
  });
  if (now.failure) return { timeline: latest, hold: before };
  if (isSure(now)) return follow(hold);
  const expected = plan ? (findSpan(plan, at)?.truth ?? null) : now.truth;
  const isChange = now.truth !== expected;
  if (!hold || !plan || expected === null) {
    const isTurn = isChange && now.truth !== null;
    return follow(isTurn ? { turned: at, until: endOfHold(latest, at, length) } : hold);
  }
  const isSame = before.isHeld ? areEqual(latest, plan, at, hold.until) : !isChange;
  if (isSame) return follow(hold);
  return { timeline: splice(latest, plan, hold, at), hold: { plan, hold, isHeld: true } };
}

/** What a forecast says of the next day does not wait for one that changed its mind about this day. */
function endOfHold(latest: Timeline, at: Instant, length: number): Instant {
  const end = at + length;
  const date = spanAt(latest, at).date();
  if (date === null) return end;
  const ofOtherDay = latest.find(
    (span) => span.start > at && span.start < end && (span.date() ?? date) !== date,
  );
  return ofOtherDay?.start ?? end;
}

/** A pretended colour begins and ends no hold: what it turns counts at once. */
export function holdSimulated(
  pretended: Timeline,
  real: { latest: Timeline; hold: BeforeHold },
  at: Instant,
): Timeline {
  const { plan, hold, isHeld } = real.hold;
  const now = spanAt(pretended, at);
  const isTurned = isSure(now) || now.truth !== spanAt(real.latest, at).truth;
  return isHeld && plan && hold && !isTurned ? splice(pretended, plan, hold, at) : pretended;
}

function areEqual(one: Timeline, other: Timeline, from: Instant, to: Instant): boolean {
  const starts = [...clip(one, from, to), ...clip(other, from, to)].map(({ start }) => start);
  return starts.every((at) => findSpan(one, at)?.truth === findSpan(other, at)?.truth);
}

/**
 * The plan until the hold ends, and what is known by now before and after it. If a value would turn the rule now, the plan goes on:
 * what the value says now is not what it says when the hold is over.
 */
function splice(latest: Timeline, plan: Timeline, { until }: Hold, at: Instant): Timeline {
  const sure = latest.find((span) => span.start > at && isSure(span))?.start ?? until;
  const end = Math.min(isByValue(spanAt(latest, at)) ? NEVER : Math.min(until, sure), plan.at(-1)?.end ?? at);
  const start = plan[0]?.start ?? end;
  const held = clip(plan, start, end).map((span): RuleSpan => {
    return span.start > at || span.end <= at
      ? span
      : { ...span, seen: () => ({ date: span.seen().date, at: null }) };
  });
  return [...clip(latest, -NEVER, start), ...held, ...clip(latest, end, NEVER)];
}

/** For the state file: only while a hold runs. */
export function keepHold({ plan, hold, isHeld }: BeforeHold, of: string, at: Instant): KeptHold | null {
  if (!hold || !plan) return null;
  const from = Math.min(at, hold.turned);
  const spans: KeptSpan[] = [];
  for (const { start, end, truth, by, seen } of clip(plan, from, NEVER)) {
    const date = truth === true ? seen().date : null;
    const last = spans.at(-1);
    if (last && last.truth === truth && last.by === by && last.date === date) last.end = end;
    // What began before the hold is the same in each evaluation.
    else spans.push({ start: last ? start : from, end, truth, by, date });
  }
  return { ...hold, of, isHeld, plan: spans };
}

export function readHold({ turned, until, isHeld, plan }: KeptHold, { when_unknown }: Rule): BeforeHold {
  const spans = plan.map(
    ({ start, end, truth, by, date }): RuleSpan => ({
      start,
      end,
      truth,
      by,
      state: settle(truth, when_unknown),
      isDisabled: false,
      failure: null,
      conditions: null,
      decided: { start, end },
      seen: () => ({ date, at: null }),
      date: () => date,
    }),
  );
  return { plan: spans, hold: { turned, until }, isHeld };
}

const NEVER = Number.POSITIVE_INFINITY;
