import type { Instant } from "../calendar/tariff.ts";
import type { Chain, Phase } from "./chain.ts";
import { evaluateRuleBetween, type RuleResult } from "./evaluate-rule.ts";
import type { Believed } from "./held-forecasts.ts";
import type { NonEmpty, Rule } from "./rule.ts";
import type { Switched } from "./rule-settings.ts";
import type { RuleState } from "./rules-state.ts";
import type { ValueTruths } from "./value-readings.ts";

/** A rule whose verdict is to be found; the rules that it refers to are in the chain. */
export interface RuleToDecide {
  rule: Rule;
  threshold: number | null;
  /** Whether commands have disabled it at an instant. */
  switchedAt: (at: Instant) => Switched;
  chain: Chain;
  /** Earlier values that decide in place of the present ones. */
  heldTruths: ValueTruths | null;
}

/** What decided a rule until now. */
export interface BeforeHold {
  believed: Believed;
  /** These forecasts were held. */
  isHolding: boolean;
  followedChangeAt: Instant | null;
}

/** What decides a rule at an instant. */
export interface HoldDecision {
  result: RuleResult;
  /** Set while a hold lets earlier forecasts decide. */
  held: { until: Instant; believed: Believed } | null;
  /** When the verdict last followed a forecast that had changed; null where it never did. */
  followedChangeAt: Instant | null;
}

/** A rule that is disabled holds nothing. */
export function decideRule(toDecide: RuleToDecide, before: BeforeHold, at: Instant): HoldDecision {
  if (toDecide.switchedAt(at).enabled) return decideHold(toDecide, before, at);
  return { result: resultAt(toDecide, at, null), held: null, followedChangeAt: null };
}

/**
 * 1. The same forecasts, or the same verdict by both and nothing held yet: the latest forecasts decide.
 * 2. Another verdict, and the last change is longer ago than `hold`: the latest decide, and the hold begins now.
 * 3. Another verdict within the hold, or held already: the held forecasts decide until the hold is over.
 *
 * A rule that it refers to may release its own hold at that instant: that is a change of forecasts, too.
 */
function decideHold(toDecide: RuleToDecide, before: BeforeHold, at: Instant): HoldDecision {
  const { rule, chain } = toDecide;
  const latest = resultAt(toDecide, at, null);
  if (rule.hold === 0) return { result: latest, held: null, followedChangeAt: null };
  const { believed, isHolding, followedChangeAt } = before;
  if (chain.isPresent(rule, believed, at)) return { result: latest, held: null, followedChangeAt };
  const earlier = resultAt(toDecide, at, believed);
  // After the clock was set back, the change may lie in the future. If by more than `hold`, ignore it.
  const isIgnored = followedChangeAt === null || followedChangeAt - at > rule.hold;
  const until = isIgnored ? at : followedChangeAt + rule.hold;
  const isChanged = earlier.state !== latest.state;
  if (at >= until) return { result: latest, held: null, followedChangeAt: isChanged ? at : followedChangeAt };
  if (!isHolding && !isChanged) return { result: latest, held: null, followedChangeAt };
  return { result: earlier, held: { until, believed }, followedChangeAt };
}

/** A value that turns a rule does so at once; then, for `hold`, no value turns it again: those of the turn decide. */
export function heldValuesOf(
  { hold }: Rule,
  { turned, values }: Partial<RuleState>,
  at: Instant,
): { heldUntil: Instant | null; heldTruths: ValueTruths | null } {
  // After the clock was set back, the turn may lie in the future. If by more than `hold`, ignore it.
  const isHeld = turned !== undefined && values !== undefined && at < turned + hold && turned - at <= hold;
  return isHeld ? { heldUntil: turned + hold, heldTruths: values } : { heldUntil: null, heldTruths: null };
}

/** What the conditions give by the latest forecasts, or by earlier ones. */
export function resultAt(
  { rule, threshold, chain, heldTruths }: RuleToDecide,
  at: Instant,
  believed: Believed | null,
): RuleResult {
  const deciding = heldTruths ? chain.withTruths(heldTruths) : chain;
  const [result] = evaluateRuleBetween(rule, deciding.inputAt(at, believed), threshold, at, at + 1);
  if (!result) throw new RangeError(`Expected a result at ${at}, got none`);
  return result;
}

/** The phases from an instant on, while no forecast changes: at each later one the rule is decided as it will be then. */
export function phasesAhead(toDecide: RuleToDecide, first: HoldDecision, at: Instant): NonEmpty<Phase> {
  const { rule, chain, heldTruths, switchedAt } = toDecide;
  const phaseOf = (start: Instant, { held }: Pick<HoldDecision, "held">): Phase => {
    const fixed = switchedAt(start).enabled ? null : DISABLED;
    // Earlier values decide to the end: what values say now is not what they say when the hold is over, and a plan that
    // followed them would flap with them.
    return { start, fixed, believed: held?.believed ?? null, heldTruths };
  };
  const later: Phase[] = [];
  let [decision, start] = [first, at];
  let change = nextChange(start);
  while (Number.isFinite(change)) {
    const { held, followedChangeAt } = decision;
    start = held ? Math.min(change, held.until) : change;
    const believed = held?.believed ?? chain.believedBefore(rule, start);
    decision = decideRule(toDecide, { believed, isHolding: held !== null, followedChangeAt }, start);
    later.push(phaseOf(start, decision));
    change = nextChange(start);
  }
  // Only its own hold can still end: then the latest forecasts decide.
  if (decision.held) later.push(phaseOf(decision.held.until, { held: null }));
  return [phaseOf(at, first), ...later];

  /** When another rule begins a phase, or a time ends for which this one is enabled or disabled. */
  function nextChange(after: Instant): Instant {
    return Math.min(chain.nextPhase(rule, after), switchedAt(after).until ?? Number.POSITIVE_INFINITY);
  }
}

export const DISABLED = { state: false, sure: true, conditions: null } satisfies Phase["fixed"];
