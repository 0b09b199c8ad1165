import type { Clocks } from "../calendar/clocks.ts";
import { memoize } from "../calendar/memoize.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import { deriveFacts } from "../facts/derive-facts.ts";
import type { Facts, FactsInput } from "../facts/facts.ts";
import { type Protect, UNPROTECTED } from "../log/protect.ts";
import { evaluateRules, type HoldMemories, type Saving } from "../rules/evaluate-rules.ts";
import { createEvaluationInput, type EvaluationInput } from "../rules/evaluation-input.ts";
import { type MqttCondition, mqttConditionsIn } from "../rules/rule.ts";
import type { RulesState } from "../rules/rules-state.ts";
import {
  awaitValues,
  type Reading,
  type Readings,
  readingsFrom,
  readValues,
} from "../rules/value-readings.ts";
import type { Verdict } from "../rules/verdict.ts";
import { gatherFactsInput } from "./facts-input.ts";
import type { Known } from "./known.ts";
import type { LoopConfig } from "./loop-config.ts";

/** What decides at one instant: the verdicts, and what the next evaluation needs of them. */
export interface Evaluation {
  at: Clocks;
  factsInput: FactsInput;
  /** The facts of an instant, by what is known now. They are derived when they are asked for, and decide no verdict. */
  factsAt: (at: Instant) => Facts;
  /** What the rules were evaluated with. */
  input: EvaluationInput;
  readings: Readings;
  verdicts: readonly Verdict[];
  /** Without the colour that is pretended; the same function while none is. */
  real: { factsAt: (at: Instant) => Facts; verdicts: readonly Verdict[] };
  next: RulesState;
  holds: HoldMemories;
  saving: Saving;
}

export function evaluate(
  known: Known,
  at: Clocks,
  config: LoopConfig,
  protect: Protect = UNPROTECTED,
): Evaluation {
  const { rules, tariff } = config;
  const factsInput = gatherFactsInput(known, at, config);
  const { simulation } = factsInput;
  const trueTime = factsInput.clock.at;
  const readings = readNow(known, { trueTime, steady: at.steady }, config, protect);
  const { days: knownDays, settings, rules: previous } = known.kept;
  const input = createEvaluationInput(
    { at: trueTime, knownDays, tariff, simulation, values: readingsFrom(readings) },
    previous.at,
  );
  const { holds } = known.passing;
  const evaluated = evaluateRules(rules, input, settings, previous, { protect, holds });
  const { verdicts, real } = evaluated;
  const factsAt = factsAround(factsInput, tariff, protect);
  const realFactsAt =
    simulation === null
      ? factsAt
      : factsAround({ ...factsInput, simulation: null }, tariff, (part, run) =>
          protect(`${part}, without the simulation`, run),
        );
  return {
    at,
    factsInput,
    factsAt,
    input,
    readings,
    verdicts,
    real: { factsAt: realFactsAt, verdicts: real },
    next: evaluated.next,
    holds: evaluated.holds,
    saving: evaluated.saving,
  };
}

/** Those of now are shown. Those of another instant are for one output, which has a guard of its own. */
function factsAround(input: FactsInput, tariff: Tariff, protect: Protect): (at: Instant) => Facts {
  return memoize((at: Instant) =>
    at === input.clock.at
      ? deriveFacts(input, tariff, protect)
      : deriveFacts({ ...input, clock: { ...input.clock, at } }, tariff),
  );
}

/** What the conditions find in the values of other programs. */
export function readNow(
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

const RENEWED_BEFORE = 60_000;
