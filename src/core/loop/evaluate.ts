import type { Clocks } from "../calendar/clocks.ts";
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
  haveChanged,
  NO_READINGS,
  type Reading,
  type Readings,
  readValues,
  settledReadings,
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
  /** What the rules were evaluated with. */
  input: EvaluationInput;
  readings: Readings;
  verdicts: readonly Verdict[];
  /** Without the colour that is pretended. */
  real: { facts: Facts; verdicts: readonly Verdict[] };
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
  const { values, commands } = known.passing;
  const factsInput = gatherFactsInput(known, at, config);
  const facts = deriveFacts(factsInput, tariff);
  const { simulation, settings } = commands;
  const trueTime = factsInput.clock.at;
  const readings = readNow(known, trueTime, config, protect);
  const input = createEvaluationInput({
    at: trueTime,
    knownDays: known.kept.days,
    tariff,
    simulation,
    values: values.isSettled ? settledReadings(readings) : NO_READINGS,
  });
  const previous = known.kept.rules;
  const { verdicts, real, next, saving } = evaluateRules(rules, input, settings, previous, protect);
  const withoutSimulation =
    facts.simulation === null ? facts : deriveFacts({ ...factsInput, simulation: null }, tariff);
  return {
    at,
    known: factsInput,
    facts,
    input,
    readings,
    verdicts,
    real: { facts: withoutSimulation, verdicts: real },
    next,
    saving,
  };
}

/** What the conditions find in the values of other programs. */
function readNow(known: Known, trueTime: number, { rules, grace }: LoopConfig, protect: Protect): Readings {
  const { heard, readings: before } = known.passing.values;
  const readings = new Map<MqttCondition, Reading>();
  for (const { id, when } of rules) {
    const conditions = mqttConditionsIn(when);
    if (conditions.length === 0) continue;
    protect(`values of rule ${id}`, () => {
      const ofRule = readValues(conditions, heard, trueTime, before, renewWithin(grace));
      for (const [condition, reading] of ofRule) readings.set(condition, reading);
    });
  }
  return readings;
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
  const isRight = tellTime(other.clocks, known.kept.days, check_clock, at).right;
  return (
    before.kept.days !== known.kept.days ||
    before.kept.outputs !== known.kept.outputs ||
    isShownOtherwise(one.outputs, other.outputs) ||
    one.commands !== other.commands ||
    one.hasFailed !== other.hasFailed ||
    one.isPolled !== other.isPolled ||
    one.jumps !== other.jumps ||
    areSourcesShownOtherwise(one.sources, other.sources) ||
    isDownOver(one.sources, other.sources, shown) ||
    haveValuesChanged(before, known, at, { config, protect }) ||
    !isRight ||
    // By time alone, too: the newest known instant has passed.
    !shown.known.clock.right
  );
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
  return (
    one.isSettled !== other.isSettled || haveChanged(one.readings, readNow(known, trueTime, config, protect))
  );
}

const RENEWED_BEFORE = 60_000;
