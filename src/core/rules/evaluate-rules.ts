import type { Instant } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import type { Simulation } from "../facts/facts.ts";
import { createChain } from "./chain.ts";
import { evaluateRuleBetween, type RuleResult } from "./evaluate-rule.ts";
import { createEvaluationInput, type EvaluationInput } from "./evaluation-input.ts";
import { type Believed, forecastsOf } from "./held-forecasts.ts";
import { type BeforeHold, decideRule, phasesAhead, type RuleToDecide } from "./hold.ts";
import { inOrderOfReference, LONGEST_SHIFT, type Rule } from "./rule.ts";
import { type RuleSettings, switchedAt } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The verdict of each rule, and what the next evaluation needs of them. `real`: the verdicts without the colour that is
 * pretended. They alone begin and end a hold: after a simulation each hold is as if there had been none.
 */
export function evaluateRules(
  rules: readonly Rule[],
  input: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
): { verdicts: Verdict[]; real: Verdict[]; next: RulesState } {
  const verdicts = evaluateEach(rules, input, settings, previous);
  const real = canDecide(input.simulation, input.at)
    ? evaluateEach(rules, createEvaluationInput({ ...input, simulation: null }), settings, previous)
    : verdicts;
  return { verdicts, real, next: nextState(previous, { verdicts, real }, input) };
}

/** By its lag a rule looks at a simulation that is over; by its lead at one that is ahead, after the clock was set back. */
function canDecide(simulation: Simulation | null, at: Instant): boolean {
  return simulation !== null && Math.max(simulation.begun - at, at - simulation.until) <= LONGEST_SHIFT;
}

function evaluateEach(
  rules: readonly Rule[],
  input: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
): Verdict[] {
  const { at } = input;
  const chain = createChain(input);
  const verdicts = new Map<string, Verdict>();
  const believedById = new Map<string, Believed>();
  for (const rule of inOrderOfReference(rules)) {
    const { id } = rule;
    const before = entryOf(previous.rules, id);
    const believed = before?.believed
      ? { forecasts: before.believed, rules: before.believed_of ?? {} }
      : chain.join(previous.heard, rule, (referred) => getOf(believedById, referred));
    believedById.set(id, believed);
    // A rule without a threshold has none to move.
    const moved = rule.threshold === null ? null : entryOf(settings, id)?.threshold;
    const decide: RuleToDecide = {
      rule,
      threshold: moved?.value ?? rule.threshold,
      switchedAt: (instant) => switchedAt(settings, id, instant),
      chain,
    };
    const isHolding = before?.believed !== undefined;
    const verdict = evaluateRule(
      decide,
      { believed, isHolding, followedChangeAt: before?.moved ?? null },
      at,
    );
    chain.add(verdict);
    const since = sinceOf(verdict, before, previous.at, chain.inputAt(at, null), decide.switchedAt(at).since);
    verdicts.set(id, { ...verdict, since });
  }
  return rules.map(({ id }) => getOf(verdicts, id));
}

function evaluateRule(decide: RuleToDecide, before: BeforeHold, at: Instant): Verdict {
  const { rule, threshold } = decide;
  const { enabled, until } = decide.switchedAt(at);
  const decision = decideRule(decide, before, at);
  const { result, held, followedChangeAt } = decision;
  const { state, truth, sure, conditions, decided_at } = result;
  const verdict: Verdict = {
    rule,
    state,
    since: at,
    sure,
    reason: state === truth ? "conditions" : "when_unknown",
    enabled_until: until,
    threshold,
    conditions,
    decided_at,
    held,
    followedChangeAt,
    phases: phasesAhead(decide, decision, at),
  };
  return enabled ? verdict : { ...verdict, state: false, sure: true, reason: "disabled" };
}

function getOf<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new RangeError(`Expected a rule with the id ${id}, got none`);
  return value;
}

/**
 * If time changed the verdict: since that boundary, also when vigie did not run then. If new data or a command did: since
 * now. `switchedSince`: when a time was over for which the rule was the opposite of enabled or disabled.
 */
function sinceOf(
  { rule, state, threshold, reason }: Verdict,
  before: RuleState | undefined,
  last: Instant | null,
  input: EvaluationInput,
  switchedSince: Instant | null,
): Instant {
  const { at } = input;
  if (!before) return at;
  if (before.state === state && before.since <= at) return before.since;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT);
  const isSwitched = switchedSince !== null && switchedSince > from;
  if (reason === "disabled") return isSwitched ? switchedSince : at;
  if (from >= at) return at;
  const results: Pick<RuleResult, "start" | "state">[] = isSwitched
    ? [{ start: from, state: false }, ...evaluateRuleBetween(rule, input, threshold, switchedSince, at + 1)]
    : evaluateRuleBetween(rule, input, threshold, from, at + 1);
  const other = results.findLastIndex((result) => result.state !== state);
  const change = results[other + 1];
  return change && results[other]?.state === before.state ? change.start : at;
}

/** `rules` and `heard` are the same objects where nothing changed: then nothing has to be written. */
function nextState(
  previous: RulesState,
  { verdicts, real }: { verdicts: readonly Verdict[]; real: readonly Verdict[] },
  input: EvaluationInput,
): RulesState {
  const rules = Object.fromEntries(
    verdicts.map((verdict, index) => [verdict.rule.id, stateOf(verdict, real[index] ?? verdict)]),
  );
  const isAnyHeld = verdicts.some(({ rule }) => rule.hold > 0);
  const latestForecasts = isAnyHeld ? forecastsOf(input.knownDays, input.at, input.tariff) : {};
  return {
    at: input.at,
    heard: isEqual(previous.heard, latestForecasts) ? previous.heard : latestForecasts,
    rules: isEqual(previous.rules, rules) ? previous.rules : rules,
  };
}

function stateOf({ state, since }: Verdict, { followedChangeAt, held }: Verdict): RuleState {
  return {
    state,
    since,
    ...(followedChangeAt !== null && { moved: followedChangeAt }),
    ...(held && believedState(held.believed)),
  };
}

function believedState({ forecasts, rules }: Believed): Partial<RuleState> {
  return { believed: forecasts, ...(Object.keys(rules).length > 0 && { believed_of: rules }) };
}
