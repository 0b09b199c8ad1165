import { memoizeByObject } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { keyOfMqtt } from "./compare-payload.ts";
import type { RuleSpan } from "./condition-types.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import { type BeforeHold, decideHold, holdSimulated, NO_HOLD } from "./hold.ts";
import { LONGEST_SHIFT, mqttConditionsIn, type Rule, rulesReferredTo } from "./rule.ts";
import { type RuleSettings, type Switches, switchedAt, switchesOf } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import { NOTHING_SEEN } from "./seen.ts";
import { laySwitches, notFound, type Reach, spanAt, type Timeline, timelineOf } from "./timeline.ts";
import { isByValue, isSure } from "./truth.ts";
import { truthsOf, type ValueTruths } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/** A rule, and what commands and the evaluation before say of it. */
export interface RuleToEvaluate {
  rule: Rule;
  threshold: number | null;
  switches: Switches;
  enabledUntil: Instant | null;
  before: RuleState | undefined;
}

export interface EvaluatedRule {
  verdict: Verdict;
  /** By what is known now, whatever is held. */
  latest: Timeline;
  hold: BeforeHold;
  /** What each condition on a value found, also of the rules that it refers to. */
  truths: ValueTruths;
  /** Of these the broker has not sent some yet, and nothing was remembered of them. */
  lacksValues: boolean;
}

interface EvaluateContext {
  input: EvaluationInput;
  previous: RulesState;
  /** How far other rules look at this one. */
  reach: Reach;
  holdBefore: BeforeHold;
  /** Those that it refers to, by id. */
  referred: (id: string) => EvaluatedRule;
  /** The same rule without the colour that is pretended; null: this is it. */
  real: EvaluatedRule | null;
}

export function gather(
  rule: Rule,
  settings: RuleSettings,
  previous: RulesState,
  at: Instant,
): RuleToEvaluate {
  const { id } = rule;
  // A rule without a threshold has none to move.
  const moved = rule.threshold === null ? null : entryOf(settings, id)?.threshold;
  return {
    rule,
    threshold: moved?.value ?? rule.threshold,
    switches: switchesOf(settings, id, at),
    enabledUntil: switchedAt(settings, id, at).until,
    before: entryOf(previous.rules, id),
  };
}

export function evaluateRule(gathered: RuleToEvaluate, context: EvaluateContext): EvaluatedRule {
  const { rule, threshold, switches } = gathered;
  const { input, reach, previous } = context;
  const others = rulesReferredTo(rule.when).map(context.referred);
  const conditions = mqttConditionsIn(rule.when);
  const truths = Object.assign(
    {},
    ...others.map((one) => one.truths),
    truthsOf(conditions, input.values, previous.truths),
  );
  const lacksValues =
    conditions.some((condition) => !Object.hasOwn(truths, keyOfMqtt(condition))) ||
    others.some((one) => one.lacksValues);
  const latest = timelineOf({
    rule,
    threshold,
    switches,
    input,
    referred: (id) => context.referred(id).verdict.timeline,
    reach,
  });
  const { timeline, hold } = publish(gathered, latest, lacksValues, context);
  const ends = [
    ...conditions.map((condition) => input.values.read(condition).shownUntil),
    ...others.map((one) => one.verdict.values_until),
  ];
  const values_until = ends.reduce(
    (first, end) => (first === null || (end !== null && end < first) ? end : first),
    null,
  );
  const verdict = { ...verdictOf(gathered, { timeline, latest, hold }, context), values_until };
  return { verdict, latest, hold, truths, lacksValues };
}

/** The timeline as it is published, and what has to be remembered of it. */
function publish(
  { rule, before }: RuleToEvaluate,
  latest: Timeline,
  lacksValues: boolean,
  { input: { at }, real, holdBefore }: EvaluateContext,
): { timeline: Timeline; hold: BeforeHold } {
  const now = spanAt(latest, at);
  if (lacksValues && now.by === "awaited" && now.truth === null) {
    // A verdict that looks at a value for the first time stays as it was until the broker has sent that value.
    const state = before?.state ?? null;
    const timeline = latest.map((span): RuleSpan => ({ ...span, truth: state, state, by: "awaited" }));
    return { timeline, hold: holdBefore };
  }
  if (rule.hold === 0) return { timeline: latest, hold: NO_HOLD };
  return real
    ? { timeline: holdSimulated(latest, real, at), hold: real.hold }
    : decideHold(rule, latest, holdBefore, at);
}

function verdictOf(
  { rule, threshold, enabledUntil, before }: RuleToEvaluate,
  {
    timeline,
    latest,
    hold: { hold, isHeld },
  }: Pick<EvaluatedRule, "latest" | "hold"> & { timeline: Timeline },
  { input, previous }: Pick<EvaluateContext, "input" | "previous">,
): Verdict {
  const { at, simulation } = input;
  const span = spanAt(timeline, at);
  const now = spanAt(latest, at);
  const { start, end } = span.decided;
  const conditions = now.conditions ?? notFound(rule.when);
  // By its lead a rule would be ON before the command that pretends a colour.
  const from = Math.max(previous.at ?? at, at - LONGEST_SHIFT, simulation?.begun ?? 0);
  return {
    rule,
    threshold,
    state: span.state,
    since: sinceOf(span, before, timeline, { from, at }),
    sure: isSure(span),
    reason: reasonOf(span),
    enabled_until: enabledUntil,
    conditions,
    deciding: span.conditions,
    decided_at: Math.min(Math.max(at, start), end - 1),
    seen: span.seen,
    hold: hold && at < hold.until ? { until: hold.until, isHeld, isOfValue: isByValue(now) } : null,
    values_until: null,
    timeline,
  };
}

function reasonOf({ isDisabled, failure, by, truth, state }: RuleSpan): Verdict["reason"] {
  if (isDisabled) return "disabled";
  if (failure) return "error";
  if (by === "awaited") return "waiting";
  return state === truth ? "conditions" : "when_unknown";
}

/** If time changed the verdict: since that instant, also when vigie did not run then. If new data or a command did: since now. */
function sinceOf(
  { state, failure }: RuleSpan,
  before: RuleState | undefined,
  timeline: Timeline,
  { from, at }: { from: Instant; at: Instant },
): Instant {
  if (!before || failure) return at;
  if (before.state === state && before.since <= at) return before.since;
  const passed = timeline.filter(({ start, end }) => end > from && start <= at);
  const other = passed.findLastIndex((span) => span.state !== state);
  const change = passed[other + 1];
  return change && passed[other]?.state === before.state ? change.start : at;
}

/**
 * After an error of vigie itself nothing is known of the rule, and what was remembered of it stays for the next evaluation. If it
 * is disabled, it is OFF all the same.
 */
export function failedRule(
  gathered: RuleToEvaluate,
  context: Pick<EvaluateContext, "input" | "previous" | "holdBefore">,
): EvaluatedRule {
  const { rule, switches } = gathered;
  const { from, until } = context.input;
  const [start, end] = [from - 2 * LONGEST_SHIFT, until + 2 * LONGEST_SHIFT];
  const failed: RuleSpan = {
    start,
    end,
    truth: null,
    by: "forecast",
    state: null,
    isDisabled: false,
    failure: { error: null },
    conditions: notFound(rule.when),
    decided: { start, end },
    seen: () => NOTHING_SEEN,
    date: () => null,
  };
  const latest = laySwitches(switches, [failed]);
  const { holdBefore: hold, previous } = context;
  const verdict = verdictOf(gathered, { timeline: latest, latest, hold }, context);
  return { verdict, latest, hold, truths: previous.truths, lacksValues: false };
}

/** A hold of another rule, or of before a command, does not count. */
export function identityOf({ rule, threshold, switches }: RuleToEvaluate): string {
  return `${ownIdentity(rule)} ${threshold} ${JSON.stringify(switches)}`;
}

const ownIdentity = memoizeByObject(({ when, when_unknown, lead, lag, hold }: Rule) =>
  JSON.stringify([when, when_unknown, lead, lag, hold]),
);
