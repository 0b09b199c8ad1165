import type { Instant } from "../calendar/tariff.ts";
import { boundariesAfter } from "./condition-boundaries.ts";
import { evaluateRuleBetween } from "./evaluate-rule.ts";
import { countAs, inputsWithForecasts } from "./evaluate-rules.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import type { Rule } from "./rule.ts";
import type { Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** What the verdict of a rule will be, as far as the days are known. */
export interface VerdictForecast {
  /** How far that is. */
  until: Instant;
  spans: readonly VerdictSpan[];
  /** When the rule next becomes ON, or OFF; null where it does not until then. */
  next_on: Instant | null;
  next_off: Instant | null;
  /** Until when the state stays as it is; null where time alone never changes it. */
  state_until: Instant | null;
  /** The next instant at which time alone can change the verdict or its reasons; null where there is none. */
  next_boundary: Instant | null;
}

export interface VerdictSpan {
  start: Instant;
  end: Instant;
  state: Truth;
  /** No forecast decides. */
  sure: boolean;
}

/** The forecast of each verdict: the same evaluation, at every later instant at which the verdict can change. */
export function forecastVerdicts(verdicts: readonly Verdict[], input: EvaluationInput): VerdictForecast[] {
  const inputWith = inputsWithForecasts(input);
  return verdicts.map((verdict) => {
    if (!verdict.enabled) return forecastSwitchedOff(verdict, input);
    const earlier = verdict.held && inputWith(verdict.held.forecasts);
    const spans = spansAhead(verdict, input, earlier);
    // The present state began when it began: the forecast stays the same until something changes.
    if (spans[0]) spans[0].start = Math.min(spans[0].start, verdict.since);
    return {
      until: input.until,
      spans,
      next_on: nextChangeTo(true, spans),
      next_off: nextChangeTo(false, spans),
      state_until: spans.find(({ state }) => state !== spans[0]?.state)?.start ?? input.until,
      next_boundary: nextBoundaryOf(verdict, input),
    };
  });
}

/** The earliest instant at which time alone can change any of these; null where there is none. */
export function nextRuleBoundary(forecasts: readonly VerdictForecast[]): Instant | null {
  const boundaries = forecasts.flatMap(({ next_boundary }) => next_boundary ?? []);
  return boundaries.length === 0 ? null : Math.min(...boundaries);
}

function forecastSwitchedOff({ since }: Verdict, { until }: EvaluationInput): VerdictForecast {
  const spans = [{ start: since, end: until, state: false, sure: true }];
  return { until, spans, next_on: null, next_off: null, state_until: null, next_boundary: null };
}

/** While a verdict is held the earlier forecasts decide, then the present ones. */
function spansAhead(
  verdict: Verdict,
  input: EvaluationInput,
  earlier: EvaluationInput | null,
): VerdictSpan[] {
  const { at, until } = input;
  const release = earlier && verdict.held ? Math.min(verdict.held.until, until) : at;
  const spans: VerdictSpan[] = [];
  if (earlier && release > at) addSpans(spans, verdict, earlier, at, release);
  if (until > release) addSpans(spans, verdict, input, release, until);
  return spans;
}

function addSpans(
  spans: VerdictSpan[],
  { rule, threshold }: Verdict,
  input: EvaluationInput,
  from: Instant,
  to: Instant,
): void {
  for (const { start, truth, certain } of evaluateRuleBetween(rule, input, threshold, from, to)) {
    const state = countAs(rule, truth);
    const sure = truth !== null && truth === certain;
    const last = spans.at(-1);
    if (last?.state === state && last.sure === sure) last.end = to;
    else {
      if (last) last.end = start;
      spans.push({ start, end: to, state, sure });
    }
  }
}

function nextChangeTo(state: boolean, spans: readonly VerdictSpan[]): Instant | null {
  const change = spans.find(
    (span, index) => index > 0 && span.state === state && spans[index - 1]?.state !== state,
  );
  return change?.start ?? null;
}

/** A boundary of the conditions, or a lead before one, or a lag after one, or the end of the hold. */
function nextBoundaryOf({ rule, held }: Verdict, input: EvaluationInput): Instant | null {
  const next = Math.min(
    ...[0, rule.lead, -rule.lag].map((shift) => firstBoundary(rule, input, input.at + shift) - shift),
    held?.until ?? Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(next) ? next : null;
}

function firstBoundary({ when }: Rule, input: EvaluationInput, after: Instant): Instant {
  for (const { at } of boundariesAfter(when, input, after)) return at;
  return Number.POSITIVE_INFINITY;
}
