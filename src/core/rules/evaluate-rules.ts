import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import type { Simulation } from "../facts/facts.ts";
import { evaluateRuleBetween } from "./evaluate-rule.ts";
import { createEvaluationInput, type EvaluationInput, withKnownDays } from "./evaluation-input.ts";
import { forecastsOf, type HeldForecasts, withForecasts } from "./held-forecasts.ts";
import { LONGEST_SHIFT, type Rule } from "./rule.ts";
import type { RuleSettings } from "./rule-settings.ts";
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
  const inputOf = inputByForecasts(input);
  return rules.map((rule) => {
    const before = entryOf(previous.rules, rule.id);
    const setting = entryOf(settings, rule.id);
    // A rule without a threshold has none to move.
    const threshold = rule.threshold === null ? null : (setting?.threshold?.value ?? rule.threshold);
    let verdict = evaluateRule(rule, input, threshold);
    if (setting?.enabled === false) verdict = switchOff(verdict);
    else if (rule.hold > 0) {
      const heldForecasts = before?.believed ?? previous.heard;
      const heldInput = inputOf(heldForecasts);
      const heldVerdict = heldInput === input ? null : evaluateRule(rule, heldInput, threshold);
      verdict = withHold(verdict, heldVerdict, heldForecasts, before, input.at);
    }
    return { ...verdict, since: sinceOf(verdict, before, previous.at, input) };
  });
}

/** The input with earlier forecasts, or the same object where they are the present ones; shared by the rules that hold them. */
export function inputByForecasts(input: EvaluationInput): (forecasts: HeldForecasts) => EvaluationInput {
  const { knownDays, at, tariff } = input;
  return memoize((forecasts: HeldForecasts) => {
    const heldDays = withForecasts(knownDays, forecasts, at, tariff);
    return heldDays === knownDays ? input : withKnownDays(input, heldDays);
  });
}

function evaluateRule(rule: Rule, input: EvaluationInput, threshold: number | null): Verdict {
  const { at } = input;
  const [result] = evaluateRuleBetween(rule, input, threshold, at, at + 1);
  if (!result) throw new RangeError(`Expected a result at ${at}, got none`);
  const { state, truth, sure, conditions, decided_at } = result;
  return {
    rule,
    state,
    since: at,
    sure,
    reason: state === truth ? "conditions" : "when_unknown",
    threshold,
    conditions,
    decided_at,
    held: null,
    followedChangeAt: null,
  };
}

function switchOff(verdict: Verdict): Verdict {
  return { ...verdict, state: false, sure: true, reason: "disabled" };
}

/**
 * The verdict of a rule with a hold. `heldVerdict`: by the forecasts that it holds, or else by those of the last
 * evaluation; null where these are the latest ones.
 * 1. The same forecasts, or the same verdict by both and nothing held yet: the latest forecasts decide.
 * 2. Another verdict, and the last change is longer ago than `hold`: the latest decide, and the hold begins now.
 * 3. Another verdict within the hold, or held already: the held forecasts decide until the hold is over.
 */
function withHold(
  latest: Verdict,
  heldVerdict: Verdict | null,
  heldForecasts: HeldForecasts,
  before: RuleState | undefined,
  at: Instant,
): Verdict {
  const { hold } = latest.rule;
  const followedChangeAt = before?.moved ?? null;
  if (!heldVerdict) return { ...latest, followedChangeAt };
  // After the clock was set back, the change may lie in the future. If by more than `hold`, ignore it.
  const isIgnored = followedChangeAt === null || followedChangeAt - at > hold;
  const until = isIgnored ? at : followedChangeAt + hold;
  const isChanged = heldVerdict.state !== latest.state;
  if (at >= until) return { ...latest, followedChangeAt: isChanged ? at : followedChangeAt };
  const isHolding = before?.believed !== undefined;
  if (!isHolding && !isChanged) return { ...latest, followedChangeAt };
  return { ...heldVerdict, followedChangeAt, held: { until, forecasts: heldForecasts } };
}

/** If time changed the verdict: since that boundary, also when vigie did not run then. If new data did: since now. */
function sinceOf(
  { rule, state, threshold, reason }: Verdict,
  before: RuleState | undefined,
  last: Instant | null,
  input: EvaluationInput,
): Instant {
  const { at } = input;
  if (!before) return at;
  if (before.state === state && before.since <= at) return before.since;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT);
  if (from >= at || reason === "disabled") return at;
  const results = evaluateRuleBetween(rule, input, threshold, from, at + 1);
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
    ...(held && { believed: held.forecasts }),
  };
}
