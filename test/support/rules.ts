import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Tariff } from "../../src/core/calendar/tariff.ts";
import type { KnownDays } from "../../src/core/days/known-days.ts";
import { evaluateRules, type HoldMemories, NO_HOLDS } from "../../src/core/rules/evaluate-rules.ts";
import { createEvaluationInput, type EvaluationInput } from "../../src/core/rules/evaluation-input.ts";
import { type Future, futuresOf } from "../../src/core/rules/futures.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import type { RuleSettings } from "../../src/core/rules/rule-settings.ts";
import { NO_RULES_STATE, type RulesState } from "../../src/core/rules/rules-state.ts";
import { readingsFrom } from "../../src/core/rules/value-readings.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { PARIS } from "./tariff.ts";

/** One rule, as the configuration reads it. */
export function ruleOf(when: object, more: object = {}): Rule {
  const [rule] = rulesOptions.parse([{ id: "r", when, ...more }]);
  if (!rule) throw new Error("Expected a rule, got none");
  return rule;
}

/** Several rules, as the configuration reads them. */
export function rulesOf(...rules: { id: string; when: object; [key: string]: unknown }[]): Rule[] {
  return rulesOptions.parse(rules);
}

function instantOf(at: string | number): number {
  return typeof at === "number" ? at : Date.parse(at);
}

export function inputAt(
  at: string | number,
  knownDays: KnownDays,
  {
    tariff = PARIS,
    simulation = null,
    values = readingsFrom(new Map()),
  }: Partial<Pick<EvaluationInput, "tariff" | "simulation" | "values">> = {},
): EvaluationInput {
  return createEvaluationInput({ at: instantOf(at), knownDays, tariff, simulation, values });
}

/** What a process remembers beside a state. A state that is read anew is that of a new process. */
const holdsOf = new WeakMap<RulesState, HoldMemories>();

/** One evaluation after another: the state of the one before is all that it needs. */
export function evaluateNext(
  rules: readonly Rule[],
  given: EvaluationInput,
  previous: RulesState,
  settings: RuleSettings,
) {
  const input = createEvaluationInput(given, previous.at);
  const evaluated = evaluateRules(rules, input, settings, previous, {
    holds: holdsOf.get(previous) ?? NO_HOLDS,
  });
  holdsOf.set(evaluated.next, evaluated.holds);
  return { ...evaluated, futures: futuresOf(evaluated.verdicts, input) };
}

interface Refresh {
  verdict: Verdict;
  next: RulesState;
  future: Future;
  input: EvaluationInput;
}

/** One refresh with one rule. */
export function refresh(
  rule: Rule,
  input: EvaluationInput,
  previous: RulesState = NO_RULES_STATE,
  settings: RuleSettings = {},
): Refresh {
  const { verdicts, futures, next } = evaluateNext([rule], input, previous, settings);
  const [verdict] = verdicts;
  const [future] = futures;
  if (!verdict || !future) throw new Error("Expected a verdict and its future, got none");
  return { verdict, next, future, input };
}

/** One refresh with several rules; verdicts and futures by id. */
export function refreshAll(
  rules: readonly Rule[],
  input: EvaluationInput,
  previous: RulesState = NO_RULES_STATE,
  settings: RuleSettings = {},
) {
  const { verdicts, real, next, futures } = evaluateNext(rules, input, previous, settings);
  const byId = <T>(items: readonly T[]) => new Map(rules.map(({ id }, index) => [id, items[index]]));
  const [verdictsById, futuresById] = [byId(verdicts), byId(futures)];
  return {
    next,
    futures,
    verdict: (id: string) => required(verdictsById.get(id)),
    future: (id: string) => required(futuresById.get(id)),
    real: (id: string) => required(byId(real).get(id)),
  };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("Expected a rule with this id, got none");
  return value;
}

/** The verdict of a rule with this condition at an instant. */
export function stateAt(
  when: object,
  at: string | number,
  knownDays: KnownDays,
  tariff: Tariff = PARIS,
): boolean | null {
  return refresh(ruleOf(when), inputAt(at, knownDays, { tariff })).verdict.state;
}
