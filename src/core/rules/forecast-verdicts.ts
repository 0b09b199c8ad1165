import type { Instant } from "../calendar/tariff.ts";
import { type Chain, createChain } from "./chain.ts";
import { boundariesAfter } from "./condition-boundaries.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import { inOrderOfReference } from "./rule.ts";
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
  const chain = createChain(input);
  for (const verdict of verdicts) chain.add(verdict);
  const byId = new Map(verdicts.map((verdict) => [verdict.rule.id, verdict]));
  const forecasts = new Map<Verdict, VerdictForecast>();
  // In this order what a rule refers to is found already: a long chain needs no deep recursion.
  for (const { id } of inOrderOfReference(verdicts.map(({ rule }) => rule))) {
    const verdict = byId.get(id);
    if (verdict) forecasts.set(verdict, forecastVerdict(verdict, input, chain));
  }
  return verdicts.flatMap((verdict) => forecasts.get(verdict) ?? []);
}

function forecastVerdict(verdict: Verdict, input: EvaluationInput, chain: Chain): VerdictForecast {
  const { until } = input;
  const { reason, enabled_until } = verdict;
  const spans = spansAhead(verdict, input, chain);
  const change = spans.find(({ state }) => state !== verdict.state);
  return {
    until,
    spans,
    next_on: nextChangeTo(true, spans),
    next_off: nextChangeTo(false, spans),
    state_until: change?.start ?? lastUntil(),
    next_boundary:
      reason === "disabled" ? enabled_until : nextBoundaryOf(verdict, chain.inputAt(input.at, null)),
  };

  /** A disabled rule is OFF whatever the days are. */
  function lastUntil(): Instant | null {
    if (reason !== "disabled") return until;
    return enabled_until === null ? null : Math.max(until, enabled_until);
  }
}

/** The earliest instant at which time alone can change any of these; null where there is none. */
export function nextRuleBoundary(forecasts: readonly VerdictForecast[]): Instant | null {
  return earliest(forecasts.map(({ next_boundary }) => next_boundary ?? Number.POSITIVE_INFINITY));
}

function spansAhead(verdict: Verdict, { at, until }: EvaluationInput, chain: Chain): VerdictSpan[] {
  const results = chain.spans(verdict, at, until);
  const changes = results.filter(({ state, sure }, index) => {
    const before = results[index - 1];
    return state !== before?.state || sure !== before.sure;
  });
  // The first span starts at `since`, so the payload does not change at each refresh.
  return changes.map(({ start, state, sure }, index) => ({
    start: index === 0 ? Math.min(start, verdict.since) : start,
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

/** A boundary of the conditions, or a lead before one, or a lag after one, or the next phase. */
function nextBoundaryOf({ rule, phases }: Verdict, input: EvaluationInput): Instant | null {
  const { when, lead, lag } = rule;
  const instants = [...new Set([0, lead, -lag])].map((shift) => {
    const { value } = boundariesAfter(when, input, input.at + shift).next();
    return value ? value.at - shift : Number.POSITIVE_INFINITY;
  });
  return earliest([...instants, ...phases.slice(1, 2).map(({ start }) => start)]);
}

function earliest(instants: readonly Instant[]): Instant | null {
  const first = Math.min(...instants);
  return Number.isFinite(first) ? first : null;
}
