import type { Instant } from "../calendar/tariff.ts";
import { boundariesAfter } from "./condition-boundaries.ts";
import { evaluateRuleBetween } from "./evaluate-rule.ts";
import { inputByForecasts } from "./evaluate-rules.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
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
  const inputOf = inputByForecasts(input);
  const { until } = input;
  return verdicts.map((verdict) => {
    const { since, held } = verdict;
    if (verdict.reason === "disabled") {
      const spans = [{ start: since, end: until, state: false, sure: true }];
      return { until, spans, next_on: null, next_off: null, state_until: null, next_boundary: null };
    }
    const spans = spansAhead(verdict, input, held ? inputOf(held.forecasts) : input);
    const change = spans.find(({ state }) => state !== verdict.state);
    return {
      until,
      spans,
      next_on: nextChangeTo(true, spans),
      next_off: nextChangeTo(false, spans),
      state_until: change?.start ?? until,
      next_boundary: nextBoundaryOf(verdict, input),
    };
  });
}

/** The earliest instant at which time alone can change any of these; null where there is none. */
export function nextRuleBoundary(forecasts: readonly VerdictForecast[]): Instant | null {
  return earliest(forecasts.map(({ next_boundary }) => next_boundary ?? Number.POSITIVE_INFINITY));
}

/** While a verdict is held the earlier forecasts decide, then the present ones. */
function spansAhead(
  { rule, threshold, since, held }: Verdict,
  input: EvaluationInput,
  earlier: EvaluationInput,
): VerdictSpan[] {
  const { at, until } = input;
  const release = held ? Math.min(held.until, until) : at;
  const results = [
    ...evaluateRuleBetween(rule, earlier, threshold, at, release),
    ...evaluateRuleBetween(rule, input, threshold, release, until),
  ];
  const changes = results.filter(({ state, sure }, index) => {
    const before = results[index - 1];
    return state !== before?.state || sure !== before.sure;
  });
  // The first span starts at `since`, so the payload does not change at each refresh.
  return changes.map(({ start, state, sure }, index) => ({
    start: index === 0 ? Math.min(start, since) : start,
    end: changes[index + 1]?.start ?? until,
    state,
    sure,
  }));
}

function nextChangeTo(state: boolean, spans: readonly VerdictSpan[]): Instant | null {
  const isChange = (span: VerdictSpan, index: number) =>
    index > 0 && span.state === state && spans[index - 1]?.state !== state;
  return spans.find(isChange)?.start ?? null;
}

/** A boundary of the conditions, or a lead before one, or a lag after one, or the end of the hold. */
function nextBoundaryOf(
  { rule: { when, lead, lag }, held }: Verdict,
  input: EvaluationInput,
): Instant | null {
  const instants = [...new Set([0, lead, -lag])].map((shift) => {
    const { value } = boundariesAfter(when, input, input.at + shift).next();
    return value ? value.at - shift : Number.POSITIVE_INFINITY;
  });
  return earliest(held ? [...instants, held.until] : instants);
}

function earliest(instants: readonly Instant[]): Instant | null {
  const first = Math.min(...instants);
  return Number.isFinite(first) ? first : null;
}
