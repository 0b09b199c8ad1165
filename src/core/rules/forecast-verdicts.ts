import type { Instant } from "../calendar/tariff.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { type Chain, createChain, type Phase } from "./chain.ts";
import { boundariesAfter } from "./condition-boundaries.ts";
import type { ConditionResult, Seen } from "./condition-types.ts";
import { fixedPhase } from "./evaluate-rules.ts";
import { type EvaluationInput, withValues } from "./evaluation-input.ts";
import { decidingConditions } from "./reasons.ts";
import { inOrderOfReference, mqttConditionsIn, type NonEmpty, type Rule, rulesReferredTo } from "./rule.ts";
import type { Truth } from "./truth.ts";
import { NO_READINGS } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/** What the verdict of a rule will be, as far as the days are known. */
export interface VerdictForecast {
  /** How far that is. */
  until: Instant;
  spans: readonly VerdictSpan[];
  /** From when on it sees what, while it is ON. */
  looks: readonly { start: Instant; seen: () => Seen }[];
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
  /** A day that nobody has named makes it ON, as the tariff's laws allow no other colour. */
  by_laws: boolean;
}

/**
 * The forecast of each verdict: the same evaluation, at every later instant at which the verdict can change. One that throws
 * ends at the next try, and is unknown from then on, also for the rules that refer to it.
 */
export function forecastVerdicts(
  verdicts: readonly Verdict[],
  input: EvaluationInput,
  protect: Protect = UNPROTECTED,
): VerdictForecast[] {
  const chain = createChain(input);
  for (const verdict of verdicts) chain.add(verdict);
  const valuesFrom = findValuesFrom(verdicts, input, protect);
  const valuesUntil = new Map<string, Instant | null>();
  const byId = new Map(verdicts.map((verdict) => [verdict.rule.id, verdict]));
  const forecasts = new Map<Verdict, VerdictForecast>();
  // In this order what a rule refers to is found already: a long chain needs no deep recursion.
  for (const { id } of inOrderOfReference(verdicts.map(({ rule }) => rule))) {
    const verdict = byId.get(id);
    if (!verdict) continue;
    const { when } = verdict.rule;
    const hasForecast = protect(`what rule ${id} will be`, () => {
      const ends = [
        ...mqttConditionsIn(when).map((condition) => input.values.read(condition).shownUntil),
        ...rulesReferredTo(when).map((referred) => valuesUntil.get(referred) ?? null),
      ];
      valuesUntil.set(id, earliest(ends.flatMap((end) => end ?? [])));
      const values = { from: valuesFrom.get(id) ?? null, until: valuesUntil.get(id) ?? null };
      forecasts.set(verdict, forecastVerdict(verdict, input, chain, values));
    });
    if (hasForecast) continue;
    const unknown = unknownAhead(verdict, input.at);
    chain.add(unknown);
    forecasts.set(verdict, failedForecast(unknown, input, chain));
  }
  return verdicts.flatMap((verdict) => forecasts.get(verdict) ?? []);
}

/** A verdict that is known now, and not later: after an error of vigie itself. */
function unknownAhead(verdict: Verdict, at: Instant): Verdict {
  const { state, sure, conditions } = verdict;
  const now = fixedPhase(at, { state, sure, conditions });
  const later = fixedPhase(at + RETRIED_AFTER, { state: null, sure: false, conditions });
  return { ...verdict, phases: [now, later] };
}

function failedForecast(verdict: Verdict, input: EvaluationInput, chain: Chain): VerdictForecast {
  const end = input.at + RETRIED_AFTER;
  return {
    until: input.until,
    spans: spansAhead(verdict, input, chain).spans,
    looks: [],
    next_on: null,
    next_off: null,
    state_until: end,
    next_boundary: end,
    values_from: null,
    values_until: null,
  };
}

function forecastVerdict(
  verdict: Verdict,
  input: EvaluationInput,
  chain: Chain,
  values: { from: Instant | null; until: Instant | null },
): VerdictForecast {
  const { until } = input;
  const { reason, enabled_until } = verdict;
  const { spans, looks } = spansAhead(verdict, input, chain);
  const change = spans.find(({ state }) => state !== verdict.state);
  const spansWithoutValues = spans.filter(({ start }) => values.from === null || start < values.from);
  return {
    until,
    spans,
    looks,
    next_on: nextChangeTo(true, spansWithoutValues),
    next_off: nextChangeTo(false, spansWithoutValues),
    state_until: change?.start ?? lastUntil(),
    next_boundary: nextBoundary(),
    values_from: values.from,
    values_until: values.until,
  };

  /** A rule that throws is tried again without a boundary. */
  function nextBoundary(): Instant | null {
    if (reason === "error") return null;
    return reason === "disabled" ? enabled_until : nextBoundaryOf(verdict, chain.inputAt(input.at, null));
  }

  /** A disabled rule is OFF whatever the days are. */
  function lastUntil(): Instant | null {
    if (reason !== "disabled") return until;
    return enabled_until === null ? null : Math.max(until, enabled_until);
  }
}

/** From when on each rule is undecided where no value is known, by its id. */
function findValuesFrom(
  verdicts: readonly Verdict[],
  input: EvaluationInput,
  protect: Protect,
): Map<string, Instant> {
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
    const { id } = rule.rule;
    if (!onValues.has(id)) continue;
    const isFound = protect(`what rule ${id} will be without values`, () => {
      const span = chain.spans(rule, input.at, input.until).find(({ state }) => state === null);
      if (span) found.set(id, span.start);
    });
    // No later change is told then.
    if (!isFound) found.set(id, input.at);
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

function spansAhead(
  verdict: Verdict,
  { at, until }: EvaluationInput,
  chain: Chain,
): { spans: VerdictSpan[]; looks: VerdictForecast["looks"] } {
  const results = chain.spans(verdict, at, until);
  const spans: VerdictSpan[] = [];
  for (const { start, state, sure, conditions } of results) {
    const by_laws = state === true && conditions !== null && isByLaws(conditions);
    const before = spans.at(-1);
    if (before && before.state === state && before.sure === sure) {
      before.by_laws ||= by_laws;
      continue;
    }
    if (before) before.end = start;
    // The first span starts at `since`, so the payload does not change at each refresh.
    spans.push({ start: before ? start : Math.min(start, verdict.since), end: until, state, sure, by_laws });
  }
  return { spans, looks: results.flatMap(({ start, seen }) => (seen ? [{ start, seen }] : [])) };
}

function isByLaws(conditions: ConditionResult): boolean {
  const days = decidingConditions(conditions).filter(
    ({ condition, truth }) => truth === true && condition.kind === "day" && condition.color !== null,
  );
  return days.some((simple) =>
    simple.days.some(({ truth, facts }) => truth === true && facts.color === null),
  );
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

/** What threw is tried again within this time. */
const RETRIED_AFTER = 60_000;
