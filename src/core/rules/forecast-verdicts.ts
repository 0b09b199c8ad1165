import type { Instant } from "../calendar/tariff.ts";
import { type Chain, createChain, type Phase } from "./chain.ts";
import { boundariesAfter } from "./condition-boundaries.ts";
import { type EvaluationInput, withValues } from "./evaluation-input.ts";
import { inOrderOfReference, mqttConditionsIn, type NonEmpty, type Rule, rulesReferredTo } from "./rule.ts";
import type { Truth } from "./truth.ts";
import { NO_READINGS } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/** What the verdict of a rule will be, as far as the days are known. */
export interface VerdictForecast {
  /** How far that is. */
  until: Instant;
  spans: readonly VerdictSpan[];
  /**
   * When the rule next becomes ON, or OFF; null where it does not until then, and from `values_from` on: others act on
   * these instants when vigie is gone, and cannot look at values.
   */
  next_on: Instant | null;
  next_off: Instant | null;
  /** Until when the state stays as it is; null where time alone never changes it. */
  state_until: Instant | null;
  /** The next instant at which time alone can change the verdict or its reasons; null where there is none. */
  next_boundary: Instant | null;
  /** From when on values decide; null where none does. They are assumed to stay as they are. */
  values_from: Instant | null;
  /** When the first of these values is too old, as published topics have it; null: never. */
  values_until: Instant | null;
}

export interface VerdictSpan {
  start: Instant;
  end: Instant;
  state: Truth;
  /** Neither a forecast nor a value decides. */
  sure: boolean;
}

/** The forecast of each verdict: the same evaluation, at every later instant at which the verdict can change. */
export function forecastVerdicts(verdicts: readonly Verdict[], input: EvaluationInput): VerdictForecast[] {
  const chain = createChain(input);
  for (const verdict of verdicts) chain.add(verdict);
  const valuesFrom = findValuesFrom(verdicts, input);
  const valuesUntil = new Map<string, Instant | null>();
  const byId = new Map(verdicts.map((verdict) => [verdict.rule.id, verdict]));
  const forecasts = new Map<Verdict, VerdictForecast>();
  // In this order what a rule refers to is found already: a long chain needs no deep recursion.
  for (const { id } of inOrderOfReference(verdicts.map(({ rule }) => rule))) {
    const verdict = byId.get(id);
    if (!verdict) continue;
    const { when } = verdict.rule;
    const ends = [
      ...mqttConditionsIn(when).map((condition) => input.values.read(condition).shownUntil),
      ...rulesReferredTo(when).map((referred) => valuesUntil.get(referred) ?? null),
    ];
    valuesUntil.set(id, earliest(ends.flatMap((end) => end ?? [])));
    const values = { from: valuesFrom.get(id) ?? null, until: valuesUntil.get(id) ?? null };
    forecasts.set(verdict, forecastVerdict(verdict, input, chain, values));
  }
  return verdicts.flatMap((verdict) => forecasts.get(verdict) ?? []);
}

function forecastVerdict(
  verdict: Verdict,
  input: EvaluationInput,
  chain: Chain,
  values: { from: Instant | null; until: Instant | null },
): VerdictForecast {
  const { until } = input;
  const { reason, enabled_until } = verdict;
  const spans = spansAhead(verdict, input, chain);
  const change = spans.find(({ state }) => state !== verdict.state);
  const spansWithoutValues = spans.filter(({ start }) => values.from === null || start < values.from);
  return {
    until,
    spans,
    next_on: nextChangeTo(true, spansWithoutValues),
    next_off: nextChangeTo(false, spansWithoutValues),
    state_until: change?.start ?? lastUntil(),
    next_boundary:
      reason === "disabled" ? enabled_until : nextBoundaryOf(verdict, chain.inputAt(input.at, null)),
    values_from: values.from,
    values_until: values.until,
  };

  /** A disabled rule is OFF whatever the days are. */
  function lastUntil(): Instant | null {
    if (reason !== "disabled") return until;
    return enabled_until === null ? null : Math.max(until, enabled_until);
  }
}

/** From when on each rule is undecided where no value is known, by its id. */
function findValuesFrom(verdicts: readonly Verdict[], input: EvaluationInput): Map<string, Instant> {
  const found = new Map<string, Instant>();
  const onValues = idsOfRulesOnValues(verdicts.map(({ rule }) => rule));
  if (onValues.size === 0) return found;
  const chain = createChain(withValues(input, NO_READINGS));
  const rules = verdicts.map(({ rule, threshold, phases: [first, ...later], reason }) => {
    const withoutValues = (phase: Phase): Phase => ({
      ...phase,
      heldTruths: null,
      fixed: phase.fixed && reason === "waiting" ? { ...phase.fixed, state: null } : phase.fixed,
    });
    const phases: NonEmpty<Phase> = [withoutValues(first), ...later.map(withoutValues)];
    return { rule: onValues.has(rule.id) ? { ...rule, when_unknown: null } : rule, threshold, phases };
  });
  for (const rule of rules) chain.add(rule);
  for (const rule of rules) {
    if (!onValues.has(rule.rule.id)) continue;
    const span = chain.spans(rule, input.at, input.until).find(({ state }) => state === null);
    if (span) found.set(rule.rule.id, span.start);
  }
  return found;
}

/** Also those that are disabled for a time, and those that look at a value through other rules. */
function idsOfRulesOnValues(rules: readonly Rule[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { id, when } of inOrderOfReference(rules)) {
    const isOnValues = mqttConditionsIn(when).length > 0;
    if (isOnValues || rulesReferredTo(when).some((referred) => found.has(referred))) found.add(id);
  }
  return found;
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
