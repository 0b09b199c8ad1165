import { memoizeByObject } from "../calendar/memoize.ts";
import type { Instant } from "../calendar/tariff.ts";
import { keyOfMqtt } from "./compare-payload.ts";
import type { RuleSpan, Timeline } from "./condition-types.ts";
import type { EvaluationInput, Reach } from "./evaluation-input.ts";
import { earliest } from "./futures.ts";
import { decideHold, type HoldMemory, holdSimulated, NOTHING_HELD } from "./hold.ts";
import { LONGEST_SHIFT, mqttConditionsIn, type Rule, rulesReferredTo } from "./rule.ts";
import { type RuleSettings, type Switches, switchedBy, switchesOf } from "./rule-settings.ts";
import { entryOf, type RuleState, type RulesState } from "./rules-state.ts";
import { BARE_SPAN, laySwitches, notFound, spanAt, timelineOf } from "./timeline.ts";
import { isByValue, isSure } from "./truth.ts";
import { truthsOf, type ValueTruths } from "./value-readings.ts";
import type { Verdict } from "./verdict.ts";

/** A rule, and what commands and the evaluation before say of it. */
export interface RuleToEvaluate {
  rule: Rule;
  threshold: number | null;
  switches: Switches;
  before: RuleState | undefined;
  /** A hash of the rule, of those that it refers to, and of what commands have set. A hold of another identity does not count. */
  identity: string;
}

export interface EvaluatedRule {
  verdict: Verdict;
  /** By what is known now, whatever is held. */
  latest: Timeline;
  memory: HoldMemory;
  /** What each of its conditions on a value found. */
  truths: ValueTruths;
  /** It looks at a value, also through other rules, that the broker has not sent yet, and of which nothing is remembered. */
  lacksValues: boolean;
}

interface EvaluateContext {
  input: EvaluationInput;
  previous: RulesState;
  /** How far other rules look at this one. */
  reach: Reach;
  memory: HoldMemory;
  /** Those that it refers to, by id. */
  referred: (id: string) => EvaluatedRule;
  /** The same rule without the colour that is pretended; null: this is it. */
  real: EvaluatedRule | null;
}

/** `inOrder`: each after those that it refers to. */
export function gather(
  inOrder: readonly Rule[],
  settings: RuleSettings,
  previous: RulesState,
  at: Instant,
): RuleToEvaluate[] {
  const identities = new Map<string, string>();
  return inOrder.map((rule) => {
    const { id } = rule;
    // A rule without a threshold has none to move.
    const moved = rule.threshold === null ? null : entryOf(settings, id)?.threshold;
    const threshold = moved?.value ?? rule.threshold;
    const switches = switchesOf(settings, id, at);
    const switched = switchedBy(switches, at);
    const others = rulesReferredTo(rule.when).map((other) => identities.get(other));
    const identity = shortHash(JSON.stringify([ownIdentity(rule), threshold, switched, others]));
    identities.set(id, identity);
    return { rule, threshold, switches, before: entryOf(previous.rules, id), identity };
  });
}

const ownIdentity = memoizeByObject(({ when, when_unknown, lead, lag, hold }: Rule) =>
  shortHash(JSON.stringify([when, when_unknown, lead, lag, hold])),
);

/** FNV-1a. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

export function evaluateRule(gathered: RuleToEvaluate, context: EvaluateContext): EvaluatedRule {
  const { rule, threshold, switches } = gathered;
  const { input, reach, previous } = context;
  const others = rulesReferredTo(rule.when).map(context.referred);
  const conditions = mqttConditionsIn(rule.when);
  const truths = truthsOf(conditions, input.values, previous.truths);
  const lacksValues =
    conditions.some((condition) => !Object.hasOwn(truths, keyOfMqtt(condition))) ||
    others.some((one) => one.lacksValues);
  const referred = (id: string) => context.referred(id).verdict.timeline;
  const latest = timelineOf({ rule, threshold, switches, input, referred, reach });
  const { timeline, memory } = publish(gathered, latest, lacksValues, context);
  const ends = [
    ...conditions.map((condition) => input.values.read(condition).shownUntil),
    ...others.map((one) => one.verdict.values_until),
  ];
  const valuesUntil = earliest(ends.flatMap((end) => end ?? []));
  const verdict = verdictOf(gathered, { timeline, latest, memory, valuesUntil }, context);
  return { verdict, latest, memory, truths, lacksValues };
}

/**
 * | the rule | is published as | for the next evaluation |
 * |---|---|---|
 * | looks for the first time at a value that the broker has not sent | it was | what was remembered |
 * | has no hold | is known now | nothing |
 * | has a hold, and a colour is pretended | hold.ts says | as without that colour |
 * | has a hold | hold.ts says | what hold.ts says |
 */
function publish(
  { rule, before }: RuleToEvaluate,
  latest: Timeline,
  lacksValues: boolean,
  { input: { at }, real, memory }: EvaluateContext,
): { timeline: Timeline; memory: HoldMemory } {
  if (lacksValues && isAwaited(spanAt(latest, at))) {
    const state = before?.state ?? null;
    const asBefore = { truth: state, state, by: "awaited" } as const;
    const timeline = latest.map((span): RuleSpan => (isAwaited(span) ? { ...span, ...asBefore } : span));
    return { timeline, memory };
  }
  if (rule.hold === 0) return { timeline: latest, memory: NOTHING_HELD };
  return real ? holdSimulated(latest, real, at) : decideHold(rule, latest, memory, at);
}

function isAwaited({ truth, by }: RuleSpan): boolean {
  return truth === null && by === "awaited";
}

interface Published {
  timeline: Timeline;
  latest: Timeline;
  memory: HoldMemory;
  valuesUntil: Instant | null;
}

function verdictOf(
  { rule, threshold, switches, before }: RuleToEvaluate,
  { timeline, latest, memory: { running, isHeld }, valuesUntil }: Published,
  { input, previous, real }: Pick<EvaluateContext, "input" | "previous" | "real">,
): Verdict {
  const { at, simulation } = input;
  const span = spanAt(timeline, at);
  const now = spanAt(latest, at);
  // By its lead a rule would be ON before the command that pretends a colour.
  const from = Math.max(previous.at ?? at, at - LONGEST_SHIFT, simulation?.begun ?? 0);
  const isRunning = running !== null && at < running.until;
  return {
    rule,
    threshold,
    state: span.state,
    since: sinceOf(span, before, timeline, { from, at }),
    sure: isSure(span),
    reason: reasonOf(span),
    enabled_until: switchedBy(switches, at).until,
    conditions: now.conditions?.() ?? notFound(rule.when),
    decided_at: decidedAt(now, at),
    seen: span.seen,
    hold: isRunning
      ? {
          until: running.until,
          isOfValue: real?.verdict.hold?.isOfValue ?? isByValue(now),
          held: isHeld ? { conditions: span.conditions?.() ?? null, decided_at: decidedAt(span, at) } : null,
        }
      : null,
    values_until: valuesUntil,
    timeline,
  };
}

function decidedAt({ decided: { start, end } }: RuleSpan, at: Instant): Instant {
  return Math.min(Math.max(at, start), end - 1);
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
  context: Pick<EvaluateContext, "input" | "previous" | "real" | "memory">,
): EvaluatedRule {
  const { rule, switches } = gathered;
  const { from, until } = context.input;
  const span = { start: from - 2 * LONGEST_SHIFT, end: until + 2 * LONGEST_SHIFT };
  const conditions = () => notFound(rule.when);
  const failed: RuleSpan = { ...BARE_SPAN, ...span, decided: span, conditions, failure: { error: null } };
  const latest = laySwitches(switches, [failed]);
  const { memory, previous } = context;
  const verdict = verdictOf(gathered, { timeline: latest, latest, memory, valuesUntil: null }, context);
  return { verdict, latest, memory, truths: previous.truths, lacksValues: false };
}
