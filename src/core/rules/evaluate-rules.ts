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
      const forecasts = before?.believed ?? previous.heard;
      const earlierInput = inputOf(forecasts);
      const earlier = earlierInput === input ? null : evaluateRule(rule, earlierInput, threshold);
      verdict = withHold(verdict, earlier, forecasts, before, input.at);
    }
    return { ...verdict, since: sinceOf(verdict, before, previous.at, input) };
  });
}

/** The input with earlier forecasts, or the same object where they are the present ones; shared by the rules that hold them. */
export function inputByForecasts(input: EvaluationInput): (forecasts: HeldForecasts) => EvaluationInput {
  const { knownDays, at, tariff } = input;
  return memoize((forecasts: HeldForecasts) => {
    const earlier = withForecasts(knownDays, forecasts, at, tariff);
    return earlier === knownDays ? input : withKnownDays(input, earlier);
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
    enabled: true,
    threshold,
    conditions,
    decided_at,
    held: null,
    moved: null,
  };
}

function switchOff(verdict: Verdict): Verdict {
  return { ...verdict, state: false, sure: true, reason: "disabled", enabled: false };
}

/**
 * Earlier forecasts decide until the hold is over, where the present ones would change the verdict again. `earlier`:
 * the verdict by these forecasts; null where they are the present ones.
 */
function withHold(
  present: Verdict,
  earlier: Verdict | null,
  forecasts: HeldForecasts,
  before: RuleState | undefined,
  at: Instant,
): Verdict {
  const { hold } = present.rule;
  const moved = before?.moved ?? null;
  if (!earlier) return { ...present, moved };
  // After the clock was set back, the change may lie in the future. If by more than `hold`, ignore it.
  const until = moved === null || moved - at > hold ? at : moved + hold;
  const isChanged = earlier.state !== present.state;
  if (at >= until) return { ...present, moved: isChanged ? at : moved };
  const isHolding = before?.believed !== undefined;
  if (!isHolding && !isChanged) return { ...present, moved };
  return { ...earlier, moved, held: { until, forecasts } };
}

/** If time changed the verdict: since that boundary, also when vigie did not run then. If new data did: since now. */
function sinceOf(
  { rule, state, threshold, enabled }: Verdict,
  before: RuleState | undefined,
  last: Instant | null,
  input: EvaluationInput,
): Instant {
  const { at } = input;
  if (!before) return at;
  if (before.state === state && before.since <= at) return before.since;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT);
  if (from >= at || !enabled) return at;
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
  const heard = isAnyHeld ? forecastsOf(input.knownDays, input.at, input.tariff) : {};
  return {
    at: input.at,
    heard: isEqual(previous.heard, heard) ? previous.heard : heard,
    rules: isEqual(previous.rules, rules) ? previous.rules : rules,
  };
}

function stateOf({ state, since }: Verdict, { moved, held }: Verdict): RuleState {
  return { state, since, ...(moved !== null && { moved }), ...(held && { believed: held.forecasts }) };
}
