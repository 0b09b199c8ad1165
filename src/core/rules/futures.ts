import type { Instant } from "../calendar/tariff.ts";
import type { Timeline } from "./condition-types.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import { isByValue, isSure, type Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** What the verdict of a rule will be, as far as the days are known. */
export interface Future {
  /** How far that is. */
  until: Instant;
  spans: readonly FutureSpan[];
  /**
   * When the rule next becomes ON, or OFF; null if it does not until then, and from `values_from` on: others act on
   * these instants when vigie is gone, and cannot look at values.
   */
  next_on: Instant | null;
  next_off: Instant | null;
  /** Until when the state stays as it is; null if time alone never changes it. */
  state_until: Instant | null;
  /** The next instant at which time alone can change the verdict or its reasons; null if there is none. */
  next_boundary: Instant | null;
  /** From when on values decide; null if none does. They are assumed to stay as they are. */
  values_from: Instant | null;
}

export interface FutureSpan {
  start: Instant;
  end: Instant;
  state: Truth;
  /** Neither a forecast nor a value decides. */
  sure: boolean;
  /** A day that nobody has named makes it ON, as the tariff's laws allow no other colour. */
  by_laws: boolean;
}

/** The future of each verdict, read off its timeline. */
export function futuresOf(verdicts: readonly Verdict[], input: EvaluationInput): Future[] {
  return verdicts.map((verdict) => futureOf(verdict, input));
}

function futureOf(verdict: Verdict, { at, until }: EvaluationInput): Future {
  const { reason, enabled_until, state, since, timeline } = verdict;
  const ahead = timeline.filter(({ start, end }) => end > at && start < until);
  const spans = joinSpans(ahead, Math.min(at, since), until);
  const byValue = ahead.find(isByValue);
  const valuesFrom = byValue ? Math.max(at, byValue.start) : null;
  const withoutValues = spans.filter(({ start }) => valuesFrom === null || start < valuesFrom);
  const change = spans.find((span) => span.state !== state);
  const hasFailed = ahead.some(({ failure }) => failure !== null);
  return {
    until,
    spans,
    next_on: nextChangeTo(true, withoutValues),
    next_off: nextChangeTo(false, withoutValues),
    state_until: change?.start ?? lastUntil(),
    next_boundary: nextBoundary(),
    values_from: valuesFrom,
  };

  /** A rule that throws now is tried again without a boundary. */
  function nextBoundary(): Instant | null {
    if (reason === "error") return null;
    if (reason === "disabled") return enabled_until;
    const retry = hasFailed ? at + RETRIED_AFTER : NEVER;
    const change = timeline.find(({ start }) => start > at)?.start ?? NEVER;
    return earliest([change, retry]);
  }

  /** A disabled rule is OFF whatever the days are. */
  function lastUntil(): Instant | null {
    if (reason !== "disabled") return until;
    return enabled_until === null ? null : Math.max(until, enabled_until);
  }
}

/** The earliest instant at which time alone can change any of these; null if there is none. */
export function nextRuleBoundary(futures: readonly Future[]): Instant | null {
  return earliest(futures.map(({ next_boundary }) => next_boundary ?? Number.POSITIVE_INFINITY));
}

/** `since`: the first span starts there, so that the payload does not change at each look. */
function joinSpans(ahead: Timeline, since: Instant, until: Instant): FutureSpan[] {
  const spans: FutureSpan[] = [];
  for (const span of ahead) {
    const { start, state } = span;
    const end = Math.min(span.end, until);
    const sure = isSure(span);
    const by_laws = state === true && span.by === "laws";
    const before = spans.at(-1);
    if (before && before.state === state && before.sure === sure) {
      before.end = end;
      before.by_laws ||= by_laws;
    } else spans.push({ start: before ? start : since, end, state, sure, by_laws });
  }
  return spans;
}

function nextChangeTo(state: boolean, spans: readonly FutureSpan[]): Instant | null {
  const isChange = (span: FutureSpan, index: number) =>
    index > 0 && span.state === state && spans[index - 1]?.state !== state;
  return spans.find(isChange)?.start ?? null;
}

/** null if there is none. */
export function earliest(instants: readonly Instant[]): Instant | null {
  const first = Math.min(...instants);
  return Number.isFinite(first) ? first : null;
}

/** What threw is tried again within this time. */
const RETRIED_AFTER = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
