import type { Clocks } from "../calendar/clocks.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { deriveFacts } from "../facts/derive-facts.ts";
import type { Facts, FactsInput } from "../facts/facts.ts";
import { tellTime } from "../facts/source-clocks.ts";
import { isShownAlike } from "../facts/source-record.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { isShownOtherwise } from "../outputs/outputs-part.ts";
import { evaluateRules, type Saving } from "../rules/evaluate-rules.ts";
import { createEvaluationInput, type EvaluationInput } from "../rules/evaluation-input.ts";
import { type MqttCondition, mqttConditionsIn } from "../rules/rule.ts";
import type { RulesState } from "../rules/rules-state.ts";
import {
  awaitValues,
  haveChanged,
  type Reading,
  type Readings,
  readingsFrom,
  readValues,
} from "../rules/value-readings.ts";
import type { Verdict } from "../rules/verdict.ts";
import { SOURCE_IDS } from "../sources/source.ts";
import { gatherFactsInput } from "./facts-input.ts";
import type { Known, Passing } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";

/** What follows at one instant from what is known: the facts and the verdicts, and what the next evaluation needs of them. */
export interface Evaluation {
  at: Clocks;
  known: FactsInput;
  facts: Facts;
  /** The facts of another instant, by what is known now. */
  factsAt: (at: Instant) => Facts;
  /** What the rules were evaluated with. */
  input: EvaluationInput;
  readings: Readings;
  verdicts: readonly Verdict[];
  /** Without the colour that is pretended. */
  real: { facts: Facts; factsAt: (at: Instant) => Facts; verdicts: readonly Verdict[] };
  next: RulesState;
  saving: Saving;
}

export function evaluate(
  known: Known,
  at: Clocks,
  config: LoopConfig,
  protect: Protect = UNPROTECTED,
): Evaluation {
  const { rules, tariff } = config;
  const { settings } = known.passing.commands;
  const factsInput = gatherFactsInput(known, at, config);
  const facts = deriveFacts(factsInput, tariff);
  const { simulation } = factsInput;
  const trueTime = factsInput.clock.at;
  const readings = readNow(known, { trueTime, steady: at.steady }, config, protect);
  const input = createEvaluationInput({
    at: trueTime,
    knownDays: known.kept.days,
    tariff,
    simulation,
    values: readingsFrom(readings),
  });
  const previous = known.kept.rules;
  const { verdicts, real, next, saving } = evaluateRules(rules, input, settings, previous, protect);
  const realInput = { ...factsInput, simulation: null };
  const withoutSimulation = facts.simulation === null ? facts : deriveFacts(realInput, tariff);
  return {
    at,
    known: factsInput,
    facts,
    factsAt: factsAround(factsInput, tariff),
    input,
    readings,
    verdicts,
    real: { facts: withoutSimulation, factsAt: factsAround(realInput, tariff), verdicts: real },
    next,
    saving,
  };
}

function factsAround(input: FactsInput, tariff: Tariff): (at: Instant) => Facts {
  return memoize((at: Instant) => deriveFacts({ ...input, clock: { ...input.clock, at } }, tariff));
}

/** What the conditions find in the values of other programs. */
function readNow(
  { kept, passing }: Known,
  { trueTime, steady }: { trueTime: Instant; steady: number },
  { rules, grace }: LoopConfig,
  protect: Protect,
): Readings {
  const { heard, awaitedSince, readings: before } = passing.values;
  const readings = new Map<MqttCondition, Reading>();
  for (const { id, when } of rules) {
    const conditions = mqttConditionsIn(when);
    if (conditions.length === 0) continue;
    protect(`values of rule ${id}`, () => {
      const known = { heard, kept: kept.values };
      const ofRule = readValues(conditions, known, trueTime, before, renewWithin(grace));
      for (const [condition, reading] of ofRule) readings.set(condition, reading);
    });
  }
  if (awaitedSince === null) return readings;
  const since = trueTime - (steady - awaitedSince);
  return awaitValues(readings, { heard, kept: kept.values, since }, trueTime);
}

/** Before the broker drops a topic of a rule that depends on a value, it is published again. */
export function renewWithin(grace: number): number {
  return Math.max(0, grace - RENEWED_BEFORE);
}

/**
 * Whether an evaluation may find something else than the last one, which found `shown`. Most answers say what the one before
 * said, and most values turn nothing.
 */
export function isEvaluationDue(
  before: Known,
  known: Known,
  at: Clocks,
  {
    shown,
    config,
    protect,
  }: { shown: Pick<Evaluation, "known" | "facts">; config: LoopConfig; protect: Protect },
): boolean {
  const [one, other] = [before.passing, known.passing];
  const { check_clock } = config;
  const clock = tellTime(other.clocks, known.kept.days, check_clock, at);
  return (
    before.kept.days !== known.kept.days ||
    before.kept.outputs !== known.kept.outputs ||
    isShownOtherwise(one.outputs, other.outputs) ||
    one.commands !== other.commands ||
    one.hasFailed !== other.hasFailed ||
    one.isPolled !== other.isPolled ||
    one.jumps !== other.jumps ||
    one.untoldSince !== other.untoldSince ||
    areSourcesShownOtherwise(one.sources, other.sources) ||
    isDownOver(one.sources, other.sources, shown) ||
    haveValuesChanged(before, known, at, { config, protect }) ||
    !clock.right ||
    isDoubted(clock) !== isDoubted(shown.known.clock) ||
    // By time alone, too: the newest known instant has passed.
    !shown.known.clock.right
  );
}

/** Whether it counts as right though nobody agrees with it. */
function isDoubted({ doubted_by }: FactsInput["clock"]): boolean {
  return doubted_by !== undefined;
}

/** Its time alone is published every few hours only. */
function isDownOver(
  one: Passing["sources"],
  other: Passing["sources"],
  { facts }: Pick<Evaluation, "facts">,
): boolean {
  if (facts.service.status !== "down") return false;
  return one.service?.record.last_success !== other.service?.record.last_success;
}

function areSourcesShownOtherwise(one: Passing["sources"], other: Passing["sources"]): boolean {
  if (one === other) return false;
  return SOURCE_IDS.some((id) => {
    const [before, after] = [one[id]?.record, other[id]?.record];
    return before !== after && !(before && after && isShownAlike(before, after));
  });
}

function haveValuesChanged(
  before: Known,
  known: Known,
  at: Clocks,
  { config, protect }: { config: LoopConfig; protect: Protect },
): boolean {
  const [one, other] = [before.passing.values, known.passing.values];
  if (one === other) return false;
  const { clocks } = known.passing;
  const trueTime = tellTime(clocks, known.kept.days, config.check_clock, at).at;
  const now = { trueTime, steady: at.steady };
  return (
    one.awaitedSince !== other.awaitedSince || haveChanged(one.readings, readNow(known, now, config, protect))
  );
}

const RENEWED_BEFORE = 60_000;
