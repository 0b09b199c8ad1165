import type { Instant } from "../calendar/tariff.ts";
import { evaluateRuleAt, evaluateRuleBetween } from "./evaluate-rule.ts";
import { type EvaluationInput, withKnownDays } from "./evaluation-input.ts";
import { areSame, forecastsOf, type HeldForecasts, withForecasts } from "./held-forecasts.ts";
import { LONGEST_SHIFT, type Rule } from "./rule.ts";
import type { RuleSettings } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import type { Truth } from "./truth.ts";
import type { Verdict } from "./verdict.ts";

/** The verdict of each rule, and what the next evaluation needs of them. */
export function evaluateRules(
  rules: readonly Rule[],
  input: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
): { verdicts: Verdict[]; next: RulesState } {
  const inputWith = inputsWithForecasts(input);
  const verdicts = rules.map((rule) => {
    const before = entryOf(previous.rules, rule.id);
    const forecasts = before?.believed ?? previous.heard;
    const setting = entryOf(settings, rule.id);
    // A rule without a threshold has none to move.
    const threshold = rule.threshold === null ? null : (setting?.threshold?.value ?? rule.threshold);
    let verdict = evaluateRule(rule, input, threshold);
    if (setting?.enabled === false) verdict = switchedOff(verdict);
    else if (rule.hold > 0) {
      verdict = { ...verdict, moved: before?.moved ?? null };
      const earlier = inputWith(forecasts);
      if (earlier)
        verdict = withHold(evaluateRule(rule, earlier, threshold), verdict, before, forecasts, input.at);
    }
    return { ...verdict, since: sinceOf(verdict, before, previous.at, input) };
  });
  return { verdicts, next: nextState(previous, verdicts, input) };
}

/** The input with earlier forecasts; null where they are the present ones. Rules that hold the same ones share it. */
export function inputsWithForecasts(
  input: EvaluationInput,
): (forecasts: HeldForecasts) => EvaluationInput | null {
  const made = new Map<HeldForecasts, EvaluationInput | null>();
  return (forecasts) => {
    const known = made.get(forecasts);
    if (known !== undefined) return known;
    const knownDays = withForecasts(input.knownDays, forecasts, input.at, input.tariff);
    const earlier = knownDays && withKnownDays(input, knownDays);
    made.set(forecasts, earlier);
    return earlier;
  };
}

/** What an unknown verdict counts as where its owner decided that. */
export function countAs({ when_unknown }: Rule, truth: Truth): Truth {
  return truth === null && when_unknown !== null ? when_unknown === "on" : truth;
}

function evaluateRule(rule: Rule, input: EvaluationInput, threshold: number | null): Verdict {
  const { truth, certain, result, decided_at } = evaluateRuleAt(rule, input, threshold, input.at);
  const state = countAs(rule, truth);
  return {
    rule,
    state,
    since: input.at,
    sure: truth !== null && truth === certain,
    reason: state === truth ? "conditions" : "when_unknown",
    enabled: true,
    threshold,
    result,
    decided_at,
    held: null,
    moved: null,
  };
}

function switchedOff(verdict: Verdict): Verdict {
  return { ...verdict, state: false, sure: true, reason: "disabled", enabled: false };
}

/** Earlier forecasts decide until the hold is over, where the present ones would change the verdict again. */
function withHold(
  earlier: Verdict,
  present: Verdict,
  previous: RuleState | undefined,
  forecasts: HeldForecasts,
  at: Instant,
): Verdict {
  const { moved } = present;
  const { hold } = present.rule;
  // A clock that was set back leaves a change in the future: no rule waits for that, unless it is a small correction.
  const until = moved === null || moved - at > hold ? at : moved + hold;
  if (at >= until) return earlier.state === present.state ? present : { ...present, moved: at };
  const isHolding = previous?.believed !== undefined;
  if (!isHolding && earlier.state === present.state) return present;
  return { ...earlier, moved, held: { until, forecasts } };
}

/** When the state of this verdict began. */
function sinceOf(
  verdict: Verdict,
  previous: RuleState | undefined,
  last: Instant | null,
  input: EvaluationInput,
): Instant {
  if (!previous) return input.at;
  if (previous.state === verdict.state && previous.since <= input.at) return previous.since;
  return changedAt(verdict, previous, last, input);
}

/** A change by the clock counts from its own instant, also when vigie did not run at that time; a change by news from now. */
function changedAt(
  { rule, state, threshold, enabled }: Verdict,
  previous: RuleState,
  last: Instant | null,
  input: EvaluationInput,
): Instant {
  const { at } = input;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT);
  if (from >= at || !enabled) return at;
  const results = evaluateRuleBetween(rule, input, threshold, from, at + 1);
  const states = results.map(({ truth }) => countAs(rule, truth));
  const before = states.findLastIndex((one) => one !== state);
  const change = results[before + 1];
  return change && before >= 0 && states[before] === previous.state ? change.start : at;
}

/** `rules` and `heard` are the same objects where nothing changed: then nothing has to be written. */
function nextState(previous: RulesState, verdicts: readonly Verdict[], input: EvaluationInput): RulesState {
  const entries = verdicts.map((verdict): [string, RuleState] => {
    const { id } = verdict.rule;
    return [id, nextRuleState(entryOf(previous.rules, id), verdict)];
  });
  const isSame =
    entries.length === Object.keys(previous.rules).length &&
    entries.every(([id, state]) => entryOf(previous.rules, id) === state);
  const isAnyHeld = verdicts.some(({ rule }) => rule.hold > 0);
  const forecasts = isAnyHeld ? forecastsOf(input.knownDays, input.at, input.tariff) : {};
  return {
    at: input.at,
    heard: areSame(previous.heard, forecasts) ? previous.heard : forecasts,
    rules: isSame ? previous.rules : Object.fromEntries(entries),
  };
}

function nextRuleState(previous: RuleState | undefined, { state, since, moved, held }: Verdict): RuleState {
  const isSame =
    previous?.state === state &&
    previous.since === since &&
    (previous.moved ?? null) === moved &&
    previous.believed === held?.forecasts;
  if (isSame) return previous;
  return { state, since, ...(moved !== null && { moved }), ...(held && { believed: held.forecasts }) };
}
