import { rulesOptions } from "../../src/config/rules-options.ts";
import type { Tariff } from "../../src/core/calendar/tariff.ts";
import type { KnownDays } from "../../src/core/days/known-days.ts";
import type { Simulation } from "../../src/core/facts/facts.ts";
import { evaluateRules } from "../../src/core/rules/evaluate-rules.ts";
import { type Future, planRules } from "../../src/core/rules/forecast-verdicts.ts";
import { readyRules } from "../../src/core/rules/ready.ts";
import type { Rule } from "../../src/core/rules/rule.ts";
import { EMPTY_MEMORY, type RuleSettings, type RulesMemory } from "../../src/core/rules/rules-memory.ts";
import type { ReadyRule } from "../../src/core/rules/spans.ts";
import { stepRules } from "../../src/core/rules/step.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { openShownWorld, type World } from "../../src/core/rules/world.ts";
import { PARIS } from "./tariff.ts";

/** One rule, as the configuration reads it. */
export function ruleOf(when: object, more: object = {}): Rule {
  const [rule] = rulesOptions.parse([{ id: "r", when, ...more }]);
  if (!rule) throw new Error("Expected a rule, got none");
  return rule;
}

export function readyOf(when: object, more: object = {}): ReadyRule[] {
  return readyRules([ruleOf(when, more)]);
}

export function instantOf(at: string | number): number {
  return typeof at === "number" ? at : Date.parse(at);
}

export function worldAt(
  at: string | number,
  knownDays: KnownDays,
  { tariff = PARIS, simulation = null }: { tariff?: Tariff; simulation?: Simulation | null } = {},
): World {
  return openShownWorld({ at: instantOf(at), knownDays, tariff, simulation });
}

interface Round {
  verdict: Verdict;
  memory: RulesMemory;
  future: Future;
  world: World;
}

/** One refresh with one rule. */
export function refresh(
  ready: readonly ReadyRule[],
  world: World,
  memory: RulesMemory = EMPTY_MEMORY,
  settings: RuleSettings = {},
): Round {
  const verdicts = evaluateRules(ready, world, settings, memory);
  const after = stepRules(memory, verdicts, world);
  const [verdict] = verdicts;
  const [future] = planRules(verdicts, world, after);
  if (!verdict || !future) throw new Error("Expected a verdict and its future, got none");
  return { verdict, memory: after, future, world };
}

/** What a condition says at an instant. */
export function stateAt(
  when: object,
  at: string | number,
  knownDays: KnownDays,
  tariff: Tariff = PARIS,
): boolean | null {
  return refresh(readyOf(when), worldAt(at, knownDays, { tariff })).verdict.state;
}
