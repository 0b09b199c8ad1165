import { memoizeByObject } from "../calendar/memoize.ts";
import type { Instant, IsoDate } from "../calendar/tariff.ts";
import { isEqual } from "../days/is-equal.ts";
import { type Boundary, boundariesAfter, sortedOnce } from "./condition-boundaries.ts";
import type { ConditionResult, RuleSpan, Stretch, Timeline } from "./condition-types.ts";
import { decidingConditions, decidingDay } from "./deciding-conditions.ts";
import { evaluateCondition } from "./evaluate-condition.ts";
import { type EvaluationInput, intervalAt, type Reach } from "./evaluation-input.ts";
import { mqttConditionsIn, type Rule, rulesReferredTo } from "./rule.ts";
import type { Switches } from "./rule-settings.ts";
import { NOTHING_SEEN, seenAround } from "./seen.ts";
import { anyOf, type Truth } from "./truth.ts";

interface TimelineOf {
  rule: Rule;
  /** The threshold in force, percent. */
  threshold: number | null;
  switches: Switches;
  input: EvaluationInput;
  /** The timelines of other rules, by id, as they are published. */
  referred: (id: string) => Timeline;
  /** How far other rules look back and ahead at this one. */
  reach: Reach;
}

/** From `input.from` to `input.until` inclusive, and as much further as other rules look. */
export function timelineOf(asked: TimelineOf): Timeline {
  const { rule, threshold, switches, input, reach } = asked;
  const referred = rulesReferredTo(rule.when).map(asked.referred);
  const kept = input.timelines.get(rule);
  const isSame =
    kept?.threshold === threshold &&
    kept.reach === reach &&
    isEqual(kept.switches, switches) &&
    kept.referred.every((one, index) => one === referred[index]);
  if (isSame) return kept.spans;
  const [from, to] = [input.from - reach.back, input.until + reach.ahead + 1];
  const stretches = evaluateStretches(asked, from - rule.lag, to + rule.lead);
  const spans = laySwitches(switches, widen(stretches, rule, from, to));
  const isKept = mqttConditionsIn(rule.when).length === 0 && spans.every(({ failure }) => failure === null);
  if (isKept) input.timelines.set(rule, { spans, threshold, switches, referred, reach });
  return spans;
}

/**
 * The conditions alone, without lead and lag, from the first instant to the last. An error of vigie itself leaves what comes after
 * it unknown: a day that cannot be evaluated does no harm before it.
 */
function evaluateStretches(
  { rule: { when }, threshold, input, referred }: TimelineOf,
  from: Instant,
  to: Instant,
): Stretch[] {
  const stretches: Stretch[] = [];
  const evaluate = ({ at, interval }: Boundary) =>
    evaluateCondition(when, {
      view: input.viewIn(interval),
      wallClock: interval.wallAtStart + (at - interval.start),
      threshold,
      referred: (id) => spanAt(referred(id), at),
      values: input.values,
    });
  const boundaries = [{ at: from, interval: intervalAt(input, from) }];
  for (const boundary of boundariesAfter(when, input.intervals, referred, from)) {
    if (boundary.at >= to) break;
    boundaries.push(boundary);
  }
  for (const [index, boundary] of boundaries.entries()) {
    const [start, end] = [boundary.at, boundaries[index + 1]?.at ?? to];
    try {
      const { truth, by } = evaluate(boundary);
      const conditions = once(() => evaluate(boundary));
      stretches.push({ start, end, truth, by, conditions, failure: null });
    } catch (error) {
      const conditions = notFound(when);
      const { truth, by } = conditions;
      stretches.push({ start, end: to, truth, by, conditions: () => conditions, failure: { error } });
      break;
    }
  }
  return stretches;
}

function once<Result extends object>(compute: () => Result): () => Result {
  let kept: Result | undefined;
  return () => {
    kept ??= compute();
    return kept;
  };
}

/** The conditions of a rule that throws. */
export function notFound(when: Rule["when"]): ConditionResult {
  return { condition: { kind: "all", parts: [when] }, truth: null, by: "forecast", parts: [] };
}

/** By its lead and its lag a rule is ON if the conditions are ON at any of these times; OFF if they are at all of them. */
function widen(
  stretches: readonly Stretch[],
  { lead, lag, when_unknown }: Rule,
  from: Instant,
  to: Instant,
): RuleSpan[] {
  if (lead === 0 && lag === 0) {
    // Named one by one: with `...one` 200 rules take a quarter more time.
    return stretches.map((one) => spanOf([one], one, { start: one.start, end: one.end, when_unknown }));
  }
  const changes = stretches.flatMap(({ start }) => [start - lead, start, start + lag]);
  const starts = sortedOnce([from, ...changes.filter((at) => at > from && at < to)]);
  let [first, past] = [0, 0];
  return starts.map((start, index) => {
    while (endOf(stretches[first]) <= start - lag) first += 1;
    while (startOf(stretches[past]) <= start + lead) past += 1;
    const near = stretches.slice(first, past);
    const { truth } = anyOf(near);
    // Take the condition in force; else one of the lag; else one of the lead.
    const decides = (one: Stretch) => one.truth === truth;
    const decisive = near.findLast((one) => one.start <= start && decides(one)) ?? near.find(decides);
    if (!decisive) throw new RangeError(`Expected conditions around ${start}, got none`);
    return spanOf(near, decisive, { start, end: starts[index + 1] ?? to, when_unknown });
  });
}

const endOf = (stretch: Stretch | undefined) => stretch?.end ?? NEVER_AFTER;
const startOf = (stretch: Stretch | undefined) => stretch?.start ?? NEVER_AFTER;

function spanOf(
  near: readonly Stretch[],
  decisive: Stretch,
  { start, end, when_unknown }: { start: Instant; end: Instant; when_unknown: Rule["when_unknown"] },
): RuleSpan {
  const { conditions, failure } = decisive;
  const { truth, by } = near.length === 1 ? decisive : anyOf(near);
  return {
    start,
    end,
    truth,
    by,
    state: failure ? null : withWhenUnknown(truth, when_unknown),
    isDisabled: false,
    failure,
    conditions,
    decided: decisive,
    seen: () => seenAround(near, start),
    date: () => dateOf(conditions()),
  };
}

/** What the verdict counts as. */
export function withWhenUnknown(truth: Truth, whenUnknown: Rule["when_unknown"]): Truth {
  return truth === null && whenUnknown !== null ? whenUnknown === "on" : truth;
}

/** The first day that decides, also of a rule that this one refers to. */
function dateOf(conditions: ConditionResult): IsoDate | null {
  for (const simple of decidingConditions(conditions)) {
    const date = simple.condition.kind === "day" ? decidingDay(simple)?.facts.date : simple.date?.();
    if (date) return date;
  }
  return null;
}

/** While a command disables a rule it is OFF, whatever its conditions are. */
export function laySwitches({ before, until, after }: Switches, spans: Timeline): Timeline {
  const lay = (isEnabled: boolean, some: Timeline) =>
    isEnabled ? some : some.map((span): RuleSpan => ({ ...span, ...OFF_BY_COMMAND }));
  if (until === null) return lay(before, spans);
  return [...lay(before, clip(spans, NEVER_BEFORE, until)), ...lay(after, clip(spans, until, NEVER_AFTER))];
}

/** A span of which little is known. */
export const BARE_SPAN: Omit<RuleSpan, "start" | "end" | "decided"> = {
  truth: null,
  by: "forecast",
  state: null,
  isDisabled: false,
  failure: null,
  conditions: null,
  seen: () => NOTHING_SEEN,
  date: () => null,
};

const OFF_BY_COMMAND = {
  truth: false,
  state: false,
  by: "sure",
  isDisabled: true,
  seen: () => NOTHING_SEEN,
  date: () => null,
} as const;

/** Its part from an instant to before another. */
export function clip(spans: Timeline, from: Instant, to: Instant): RuleSpan[] {
  return spans.flatMap((span) => {
    if (span.end <= from || span.start >= to) return [];
    if (span.start >= from && span.end <= to) return [span];
    return [{ ...span, start: Math.max(span.start, from), end: Math.min(span.end, to) }];
  });
}

/** Throws if the timeline does not reach to this instant. */
export function spanAt(timeline: Timeline, at: Instant): RuleSpan {
  const span = findSpan(timeline, at);
  if (!span) throw new RangeError(`Expected an instant from ${timeline[0]?.start} on, got ${at}`);
  return span;
}

export function findSpan(timeline: Timeline, at: Instant): RuleSpan | undefined {
  return timeline.find(({ start, end }) => start <= at && at < end);
}

/** How far the rules that refer to each rule look at it, by the leads and lags along the chain. */
export const reachesOf = memoizeByObject((inOrder: readonly Rule[]): ReadonlyMap<string, Reach> => {
  const reaches = new Map(inOrder.map(({ id }): [string, Reach] => [id, { back: 0, ahead: 0 }]));
  for (const { id, lead, lag, when } of [...inOrder].reverse()) {
    const own = reaches.get(id) ?? { back: 0, ahead: 0 };
    for (const other of rulesReferredTo(when)) {
      const { back, ahead } = reaches.get(other) ?? own;
      reaches.set(other, { back: Math.max(back, own.back + lag), ahead: Math.max(ahead, own.ahead + lead) });
    }
  }
  return reaches;
});

const NEVER_BEFORE = Number.NEGATIVE_INFINITY;
const NEVER_AFTER = Number.POSITIVE_INFINITY;
