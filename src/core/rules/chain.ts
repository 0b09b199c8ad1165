import { memoize } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import type { RuleSpan } from "./condition-types.ts";
import { evaluateRuleBetween } from "./evaluate-rule.ts";
import { type EvaluationInput, LOOKING_BACK, withKnownDays, withValues } from "./evaluation-input.ts";
import { type Believed, forecastsOf, type HeldForecasts, withForecasts } from "./held-forecasts.ts";
import { LONGEST_SHIFT, type NonEmpty, type Rule, rulesReferredTo } from "./rule.ts";
import { entryOf } from "./rules-state.ts";
import { earlierReadings, type ValueTruths } from "./value-readings.ts";

/** A rule, and what decides it from now on. */
export interface PhasedRule {
  rule: Rule;
  /** The threshold in force, percent; null where the rule declares none. */
  threshold: number | null;
  /** In order, without a gap; the first begins now. */
  phases: NonEmpty<Phase>;
}

/** A time in which the same decides a rule. */
export interface Phase {
  start: Instant;
  /** Set where no condition decides: while the rule is disabled, and while it waits for values. */
  fixed: Omit<RuleSpan, "start"> | null;
  /** Set while a hold lets earlier forecasts decide; null: the present ones do, and other rules as they are published. */
  believed: Believed | null;
  /** Set while a hold lets earlier values decide; null: the present ones do. */
  heldTruths: ValueTruths | null;
}

/** Rules that may refer to each other, over one input. */
export interface Chain {
  /** A rule is added after those that it refers to. */
  add: (rule: PhasedRule) => void;
  /** What decides a rule at an instant, and around it by its lead and its lag. */
  inputAt: (asked: Instant, believed: Believed | null) => EvaluationInput;
  /** What the rule is published to be from an instant to before another, neither of them before now. */
  spans: (rule: PhasedRule, from: Instant, to: Instant) => RuleSpan[];
  /** When the next phase begins of a rule that this one refers to; infinite where none does. */
  nextPhase: (rule: Rule, after: Instant) => Instant;
  /** What decided a rule without a hold just before an instant. */
  believedBefore: (rule: Rule, instant: Instant) => Believed;
  /** Forecasts for a rule's own conditions, and for the rules that it refers to where these have others. */
  join: (forecasts: HeldForecasts, rule: Rule, believedOf: (id: string) => Believed) => Believed;
  /** Whether a rule would be decided by the same without a hold of its own. */
  isPresent: (rule: Rule, believed: Believed, asked: Instant) => boolean;
  /** The same rules, where these values decide in place of the present ones and of those that a rule holds. */
  withTruths: (truths: ValueTruths) => Chain;
}

/**
 * A rule that is asked later may be decided by another phase than now. So everything is asked at an instant (`asked`): what
 * comes before it is seen as the phase of that instant sees it, and each later phase counts from its start.
 */
export function createChain(input: EvaluationInput): Chain {
  return createChainOver(input, new Map(), false);
}

/** `haveTruths`: the values of the input decide whatever a rule holds. */
function createChainOver(input: EvaluationInput, rules: Map<string, PhasedRule>, haveTruths: boolean): Chain {
  const inputOf = inputByForecasts(input);
  const presentForecasts = memoize((at: Instant) => forecastsOf(input.knownDays, at, input.tariff));
  const alone = memoize((forecasts: HeldForecasts): Believed => ({ forecasts, rules: {} }));

  function ruleOf(id: string): PhasedRule {
    const rule = rules.get(id);
    if (!rule) throw new RangeError(`Expected a rule with the id ${id}, got none`);
    return rule;
  }

  const inputAsPublished = memoize((asked: Instant): EvaluationInput => {
    return { ...input, referred: memoize((id: string) => spansOfReferred(id, asked, null)) };
  });
  const inputByBelieved = memoize((believed: Believed, asked: Instant): EvaluationInput => {
    const referred = memoize((id: string) => spansOfReferred(id, asked, partOf(believed, id)));
    return { ...inputOf(believed.forecasts), referred };
  });
  const partOf = ({ forecasts, rules }: Believed, id: string) => entryOf(rules, id) ?? alone(forecasts);
  const inputAt = (asked: Instant, believed: Believed | null) =>
    believed ? inputByBelieved(believed, asked) : inputAsPublished(asked);

  /** As far as the input reaches: the rules that refer to it look at it by their leads and lags. */
  function spansOfReferred(id: string, asked: Instant, believed: Believed | null): RuleSpan[] {
    const { back, ahead } = reachOf(id);
    const [from, to] = [input.at - LOOKING_BACK + back, input.until + LONGEST_SHIFT - ahead];
    return spansAsked(ruleOf(id), asked, from, to, believed);
  }

  /** How far a rule looks back and ahead by its lags and leads and those along its chain. */
  const reachOf = memoize((id: string): { back: number; ahead: number } => {
    const { lead, lag, when } = ruleOf(id).rule;
    const reaches = rulesReferredTo(when).map((referred) => reachOf(referred));
    return {
      back: lag + Math.max(0, ...reaches.map(({ back }) => back)),
      ahead: lead + Math.max(0, ...reaches.map(({ ahead }) => ahead)),
    };
  });

  /** `believed`: these forecasts decide in place of each phase's own. */
  function spansAsked(
    { rule, threshold, phases }: PhasedRule,
    asked: Instant,
    from: Instant,
    to: Instant,
    believed: Believed | null,
  ): RuleSpan[] {
    return phases.slice(phaseIndexAt(phases, asked)).flatMap((phase, index, rest): RuleSpan[] => {
      const start = index === 0 ? from : Math.max(from, phase.start);
      const end = Math.min(to, rest[index + 1]?.start ?? to);
      if (start >= end) return [];
      const { fixed, heldTruths } = phase;
      if (fixed) return [{ start, ...fixed }];
      const deciding = heldTruths && !haveTruths ? withTruths(heldTruths) : chain;
      const decisive = deciding.inputAt(Math.max(asked, phase.start), believed ?? phase.believed);
      return evaluateRuleBetween(rule, decisive, threshold, start, end);
    });
  }

  function nextPhase({ when }: Rule, after: Instant): Instant {
    const starts = rulesReferredTo(when).flatMap((id) => ruleOf(id).phases.map(({ start }) => start));
    return Math.min(...starts.filter((start) => start > after));
  }

  const believedBefore = memoize((rule: Rule, instant: Instant): Believed => {
    return join(presentForecasts(input.at), rule, (id) => {
      const { rule: referred, phases } = ruleOf(id);
      const phase = phases.findLast(({ start }) => start < instant);
      return phase?.believed ?? believedBefore(referred, instant);
    });
  });

  function join(forecasts: HeldForecasts, { when }: Rule, believedOf: (id: string) => Believed): Believed {
    const others = rulesReferredTo(when)
      .map((id): [string, Believed] => [id, believedOf(id)])
      .filter(([, believed]) => believed !== alone(forecasts));
    return others.length === 0 ? alone(forecasts) : { forecasts, rules: Object.fromEntries(others) };
  }

  const isPresent = (rule: Rule, believed: Believed, asked: Instant): boolean => {
    if (inputOf(believed.forecasts) !== input) return false;
    return rulesReferredTo(rule.when).every((id) => {
      const { rule: referred, phases } = ruleOf(id);
      const part = partOf(believed, id);
      const held = phases[phaseIndexAt(phases, asked)]?.believed;
      return held ? isEqual(held, part) : isPresent(referred, part, asked);
    });
  };

  const withTruths = memoize((truths: ValueTruths): Chain => {
    const earlier = withValues(input, earlierReadings(truths, input.values));
    return createChainOver(earlier, rules, true);
  });

  const chain: Chain = {
    add: (rule) => rules.set(rule.rule.id, rule),
    inputAt,
    spans: (rule, from, to) => spansAsked(rule, from, from, to, null),
    nextPhase,
    believedBefore,
    join,
    isPresent,
    withTruths,
  };
  return chain;
}

function phaseIndexAt(phases: readonly Phase[], at: Instant): number {
  const index = phases.findLastIndex(({ start }) => start <= at);
  return Math.max(0, index);
}

/** The input with earlier forecasts, or the same object where they are the present ones; shared by the rules that hold them. */
function inputByForecasts(input: EvaluationInput): (forecasts: HeldForecasts) => EvaluationInput {
  const { knownDays, at, tariff } = input;
  return memoize((forecasts: HeldForecasts) => {
    const heldDays = withForecasts(knownDays, forecasts, at, tariff);
    return heldDays === knownDays ? input : withKnownDays(input, heldDays);
  });
}
