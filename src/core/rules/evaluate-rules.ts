import type { Instant } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import type { Simulation } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { createChain, type Phase } from "./chain.ts";
import { keyOfMqtt } from "./compare-payload.ts";
import type { ConditionResult } from "./condition-types.ts";
import { evaluateRuleBetween, type RuleResult } from "./evaluate-rule.ts";
import { createEvaluationInput, type EvaluationInput } from "./evaluation-input.ts";
import { type Believed, forecastsOf } from "./held-forecasts.ts";
import {
  type BeforeHold,
  DISABLED,
  decideRule,
  heldValuesOf,
  phasesAhead,
  type RuleToDecide,
  resultAt,
} from "./hold.ts";
import { inOrderOfReference, LONGEST_SHIFT, mqttConditionsIn, type Rule, rulesReferredTo } from "./rule.ts";
import { type RuleSettings, type Switched, switchedAt } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import { NOTHING_SEEN } from "./seen.ts";
import { truthsOf, type ValueReadings, type ValueTruths } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The verdict of each rule, and what the next evaluation needs of them. `real`: the verdicts without the colour that is
 * pretended. They alone begin and end a hold: after a simulation each hold is as if there had been none. `saving`: how soon
 * `next` has to be on the disk. A rule that throws is unknown, and each other one has its verdict.
 */
export function evaluateRules(
  rules: readonly Rule[],
  input: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
  protect: Protect = UNPROTECTED,
): { verdicts: Verdict[]; real: Verdict[]; next: RulesState; saving: Saving } {
  const protectRule = (id: string, run: () => void) => protect(`rule ${id}`, run);
  const verdicts = evaluateEach(rules, input, settings, previous, protectRule);
  const protectReal = (id: string, run: () => void) => protect(`rule ${id} without the simulation`, run);
  const real = canDecide(input.simulation, input.at)
    ? evaluateEach(
        rules,
        createEvaluationInput({ ...input, simulation: null }),
        settings,
        previous,
        protectReal,
      )
    : verdicts;
  const next = nextState(previous, { verdicts, real }, input);
  return { verdicts, real, next, saving: savingOf(previous, next, verdicts) };
}

/** By its lag a rule looks at a simulation that is over; by its lead at one that is ahead, after the clock was set back. */
function canDecide(simulation: Simulation | null, at: Instant): boolean {
  return simulation !== null && Math.max(simulation.begun - at, at - simulation.until) <= LONGEST_SHIFT;
}

/** `protect` gets the id of the rule. */
function evaluateEach(
  rules: readonly Rule[],
  input: EvaluationInput,
  settings: RuleSettings,
  previous: RulesState,
  protect: Protect,
): Verdict[] {
  const { at } = input;
  const chain = createChain(input);
  const verdicts = new Map<string, Verdict>();
  const believedById = new Map<string, Believed>();
  const evaluateOne = (
    rule: Rule,
    { threshold, switched }: Setting,
    before: RuleState | undefined,
  ): Verdict => {
    const { id } = rule;
    const believed = before?.believed
      ? { forecasts: before.believed, rules: before.believed_of ?? {} }
      : chain.join(previous.heard, rule, (referred) => getOf(believedById, referred));
    believedById.set(id, believed);
    const { heldUntil, heldTruths } = heldValuesOf(rule, before ?? {}, at);
    const toDecide: RuleToDecide = {
      rule,
      threshold,
      switchedAt: (instant) => switchedAt(settings, id, instant),
      chain,
      heldTruths: switched.enabled ? heldTruths : null,
    };
    const isHolding = before?.believed !== undefined;
    const beforeHold = { believed, isHolding, followedChangeAt: before?.moved ?? null };
    let verdict = evaluateRule(toDecide, beforeHold, at);
    const found = switched.enabled && truthsFor(rule, input.values, verdicts);
    if (found) verdict = followValues(verdict, toDecide, { ...found, heldUntil, before, beforeHold, at });
    chain.add(verdict);
    const since = sinceOf(verdict, before, previous.at, chain.inputAt(at, null), switched.since);
    return { ...verdict, since };
  };
  for (const rule of inOrderOfReference(rules)) {
    const { id } = rule;
    const setting = settingOf(rule, settings, at);
    const before = entryOf(previous.rules, id);
    const hasVerdict = protect(id, () => {
      verdicts.set(id, evaluateOne(rule, setting, before));
    });
    if (hasVerdict) continue;
    const failed = failedVerdict(rule, setting, before, at);
    verdicts.set(id, failed);
    chain.add(failed);
    if (!believedById.has(id)) believedById.set(id, { forecasts: previous.heard, rules: {} });
  }
  return rules.map(({ id }) => getOf(verdicts, id));
}

/**
 * After an error of vigie itself nothing is known of the rule, and what was remembered of it stays for the next evaluation. If it
 * is disabled, it is OFF all the same.
 */
function failedVerdict(
  rule: Rule,
  { threshold, switched }: Setting,
  before: RuleState | undefined,
  at: Instant,
): Verdict {
  const { enabled, until } = switched;
  const unknown = { state: null, sure: false, conditions: notFound(rule) };
  const failed: Verdict = {
    ...unknown,
    rule,
    since: at,
    reason: "error",
    enabled_until: until,
    threshold,
    decided_at: at,
    seen: () => NOTHING_SEEN,
    held: null,
    followedChangeAt: null,
    phases: [fixedPhase(at, unknown)],
    values: before?.values
      ? {
          truths: before.values,
          awaited: [],
          turnedAt: before.turned ?? null,
          heldUntil: null,
          isTurn: false,
        }
      : null,
  };
  if (enabled) return failed;
  const later = until === null ? [] : [fixedPhase(until, unknown)];
  return {
    ...failed,
    state: false,
    since: before?.state === false ? before.since : at,
    sure: true,
    reason: "disabled",
    phases: [fixedPhase(at, DISABLED), ...later],
    values: null,
  };
}

/** The conditions of a rule that throws. */
function notFound({ when }: Rule): ConditionResult {
  return { condition: { kind: "all", parts: [when] }, truth: null, certain: null, parts: [] };
}

/** What commands, or else the configuration, say of a rule. */
interface Setting {
  threshold: number | null;
  switched: Switched;
}

function settingOf({ id, threshold }: Rule, settings: RuleSettings, at: Instant): Setting {
  // A rule without a threshold has none to move.
  const moved = threshold === null ? null : entryOf(settings, id)?.threshold;
  return { threshold: moved?.value ?? threshold, switched: switchedAt(settings, id, at) };
}

function evaluateRule(toDecide: RuleToDecide, before: BeforeHold, at: Instant): Verdict {
  const { rule, threshold } = toDecide;
  const { enabled, until } = toDecide.switchedAt(at);
  const decision = decideRule(toDecide, before, at);
  const { result, held, followedChangeAt } = decision;
  const { state, truth, sure, conditions, decided_at, seen } = result;
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
    seen: held ? () => ({ ...seen(), at: null }) : seen,
    held,
    followedChangeAt,
    phases: phasesAhead(toDecide, decision, at),
    values: null,
  };
  return enabled ? verdict : { ...verdict, state: false, sure: true, reason: "disabled" };
}

/** From then on the rule is this, whatever its conditions are. */
export function fixedPhase(start: Instant, fixed: Phase["fixed"]): Phase {
  return { start, fixed, believed: null, heldTruths: null };
}

/** What decides of the values that a rule looks at, also through other rules; null where it looks at none. */
function truthsFor(
  rule: Rule,
  values: ValueReadings,
  verdicts: ReadonlyMap<string, Verdict>,
): Pick<FollowedValues, "found" | "awaited"> | null {
  const conditions = mqttConditionsIn(rule.when);
  const ofRules = rulesReferredTo(rule.when).flatMap((id) => getOf(verdicts, id).values ?? []);
  if (conditions.length === 0 && ofRules.length === 0) return null;
  const own = conditions.filter((condition) => values.read(condition).awaitedUntil !== null).map(keyOfMqtt);
  return {
    found: Object.assign({}, ...ofRules.map(({ truths }) => truths), truthsOf(conditions, values)),
    awaited: [...new Set([...own, ...ofRules.flatMap(({ awaited }) => awaited)])],
  };
}

/**
 * The verdict of a rule that looks at values, with what the next evaluation needs of them.
 * 1. The broker has not sent what it holds yet, and nothing else decides: what the values were before does.
 * 2. Values make the rule ON or OFF: that counts at once, and its hold begins. Where they make it unknown, no hold begins:
 *    what is known again counts at once.
 */
function followValues(verdict: Verdict, toDecide: RuleToDecide, following: FollowedValues): Verdict {
  const { state, held } = verdict;
  const { found, awaited, heldUntil, before, at } = following;
  const turnedAt = before?.turned ?? null;
  if (awaited.length > 0) return awaitBroker(verdict, toDecide, following);
  if (toDecide.heldTruths)
    return {
      ...verdict,
      values: { truths: toDecide.heldTruths, awaited, turnedAt, heldUntil, isTurn: false },
    };
  let isTurn = false;
  if (before?.values && before.state !== state && !isEqual(before.values, found)) {
    const byValuesBefore = resultAt({ ...toDecide, heldTruths: before.values }, at, held?.believed ?? null);
    isTurn = byValuesBefore.state !== state;
  }
  const values = { truths: found, awaited, turnedAt, heldUntil, isTurn };
  const beginsHold = isTurn && state !== null;
  if (!beginsHold) return { ...verdict, values };
  const { hold } = verdict.rule;
  return { ...verdict, values: { ...values, turnedAt: at, heldUntil: hold > 0 ? at + hold : null } };
}

/** If one of the values that are awaited was not looked at before, the whole verdict stays as it was. */
function awaitBroker(
  verdict: Verdict,
  toDecide: RuleToDecide,
  { found, awaited, heldUntil, before, beforeHold, at }: FollowedValues,
): Verdict {
  const { state, reason, conditions } = verdict;
  const remembered = before?.values ?? {};
  const isRemembered = awaited.every((key) => Object.hasOwn(remembered, key));
  const standing = Object.fromEntries(awaited.map((key) => [key, remembered[key] ?? null]));
  const values = {
    truths: isRemembered ? { ...found, ...toDecide.heldTruths, ...standing } : remembered,
    awaited,
    turnedAt: before?.turned ?? null,
    heldUntil,
    isTurn: false,
  };
  if (state !== null && reason !== "when_unknown") return { ...verdict, values };
  if (isRemembered) {
    const heldTruths = { ...toDecide.heldTruths, ...standing };
    const asBefore = evaluateRule({ ...toDecide, heldTruths }, beforeHold, at);
    return { ...asBefore, reason: "waiting", values };
  }
  const fixed = { state: before?.state ?? null, sure: false, conditions };
  return { ...verdict, ...fixed, reason: "waiting", phases: [fixedPhase(at, fixed)], values };
}

interface FollowedValues {
  /** What each condition finds now. */
  found: ValueTruths;
  /** Those that the broker has not sent yet. */
  awaited: readonly string[];
  heldUntil: Instant | null;
  before: RuleState | undefined;
  beforeHold: BeforeHold;
  at: Instant;
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
  // By its lead a rule would be ON before the command that pretends a colour.
  const pretendedSince = input.simulation?.begun ?? 0;
  const from = Math.max(last ?? at, at - LONGEST_SHIFT, pretendedSince);
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
    verdicts.flatMap((verdict, index): [string, RuleState][] => {
      const { rule, reason, state, since } = verdict;
      const withoutSimulation = real[index] ?? verdict;
      const before = entryOf(previous.rules, rule.id);
      if (reason === "error") return before ? [[rule.id, before]] : [];
      // A rule that only waits for its first values has no verdict yet: the one that they give is its first, and no change.
      if (reason === "waiting" && !before) return [];
      if (withoutSimulation.reason === "error") return [[rule.id, { ...before, state, since }]];
      return [[rule.id, stateOf(verdict, withoutSimulation)]];
    }),
  );
  const isAnyHeld = verdicts.some(({ rule }) => rule.hold > 0);
  const latestForecasts = isAnyHeld ? forecastsOf(input.knownDays, input.at, input.tariff) : {};
  return {
    at: input.at,
    heard: isEqual(previous.heard, latestForecasts) ? previous.heard : latestForecasts,
    rules: isEqual(previous.rules, rules) ? previous.rules : rules,
  };
}

function stateOf({ state, since }: Verdict, { followedChangeAt, held, values }: Verdict): RuleState {
  return {
    state,
    since,
    ...(followedChangeAt !== null && { moved: followedChangeAt }),
    ...(held && believedState(held.believed)),
    ...(values && { values: values.truths }),
    ...(values && values.turnedAt !== null && { turned: values.turnedAt }),
  };
}

function believedState({ forecasts, rules }: Believed): Partial<RuleState> {
  return { believed: forecasts, ...(Object.keys(rules).length > 0 && { believed_of: rules }) };
}

/** Values turn rules often. That need not be on the disk at once: after a crash they turn them again. */
export type Saving = "now" | "soon" | "with the next write";

function savingOf(previous: RulesState, next: RulesState, verdicts: readonly Verdict[]): Saving {
  if (next.heard !== previous.heard) return "now";
  if (next.rules === previous.rules) return "with the next write";
  if (Object.keys(previous.rules).length !== Object.keys(next.rules).length) return "now";
  let saving: Saving = "with the next write";
  for (const { rule, values } of verdicts) {
    const before = entryOf(previous.rules, rule.id);
    const after = entryOf(next.rules, rule.id);
    if (isEqual(withoutValues(before), withoutValues(after))) continue;
    if (!values?.isTurn) return "now";
    saving = "soon";
  }
  return saving;
}

function withoutValues(state: RuleState | undefined): Partial<RuleState> {
  const { values, turned, ...rest } = state ?? {};
  return rest;
}
