import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import { deriveFacts } from "../core/facts/derive-facts.ts";
import type { Facts, FactsInput, Simulation } from "../core/facts/facts.ts";
import {
  beginSimulation,
  readSimulation,
  runningSimulation,
  type SimulationWish,
} from "../core/facts/simulation.ts";
import { evaluateRules } from "../core/rules/evaluate-rules.ts";
import { planRules } from "../core/rules/forecast-verdicts.ts";
import { readyRules } from "../core/rules/ready.ts";
import type { Rule } from "../core/rules/rule.ts";
import { readSettings, type Settings, settingsInForce, settleSettings } from "../core/rules/rule-settings.ts";
import { type RulesMemory, readRulesMemory } from "../core/rules/rules-memory.ts";
import { stepRules } from "../core/rules/step.ts";
import { nextRuleTurn } from "../core/rules/turn.ts";
import type { Verdict } from "../core/rules/verdict.ts";
import { findTurns, type RuleTurn } from "../core/rules/verdict-changes.ts";
import { openShownWorld, type World } from "../core/rules/world.ts";
import { ruleTopics } from "../core/topics/rule-topics.ts";
import type { Topic } from "../core/topics/topic.ts";
import type { Log } from "../runtime/log.ts";
import type { Store } from "../state/store.ts";

export interface RulebookOptions {
  rules: readonly Rule[];
  tariff: Tariff;
  /** `mqtt.grace`. */
  grace: number;
  store: Pick<Store, "state" | "save">;
  log: Pick<Log, "info" | "warn">;
  turned: (turn: RuleTurn) => void;
}

/** The rules, and what has to be remembered of them: what they said, how their owner set them, what is pretended. */
export interface Rulebook {
  /** What the rules say now, which is remembered; `telling`: each turn is told, once. */
  read: (known: FactsInput, telling: boolean) => Reading;
  /** The same without the colour that is pretended; undefined where none is. Nothing is remembered. */
  truth: (known: FactsInput) => RulesOutlook | undefined;
  simulation: () => Simulation | null;
  /** null: nothing is pretended any more. Takes effect once it is saved, as far as the disk lets it. */
  pretend: (wish: SimulationWish | null, at: Instant) => Promise<Simulation | null>;
  /** As they were set last, saved or not. */
  settings: () => Settings;
  /** Takes effect once they are saved, as far as the disk lets them. */
  set: (settings: Settings) => Promise<void>;
}

/** What the rules say at one instant. */
export interface Reading {
  /** None of them while the clock is known to be wrong. */
  verdicts: readonly Verdict[];
  /** By topic below the base. */
  topics: readonly [string, Topic][];
  /** When time alone can turn a rule next; infinite where it can turn none. */
  turn: Instant;
}

interface RulesOutlook {
  verdicts: readonly Verdict[];
  facts: Facts;
}

export function openRulebook(options: RulebookOptions): Rulebook {
  const { rules, tariff, grace, turned } = options;
  const ready = readyRules(rules);
  const kept = recall(options);
  const evaluate = (world: World) => evaluateRules(ready, world, settingsInForce(kept.settings), kept.memory);
  const remember = (verdicts: readonly Verdict[], world: World, telling: boolean) => {
    const before = kept.memory;
    kept.memory = stepRules(before, verdicts, world);
    // When they were evaluated last is no reason to write (SD cards).
    if (kept.memory.rules === before.rules && kept.memory.heard === before.heard) return;
    if (telling) for (const turn of findTurns(before, verdicts, world)) turned(turn);
    void kept.save({ rules: kept.memory });
  };
  return {
    read: (known, telling) => {
      // A world is costly to open: not for nobody to look at.
      if (ready.length === 0 && Object.keys(kept.memory.rules).length === 0) return NO_RULES;
      const world = worldOf(known, tariff, kept.simulation);
      const verdicts = evaluate(world);
      const clockRight = known.clock.right;
      if (clockRight) remember(verdicts, world, telling);
      const futures = planRules(verdicts, world, kept.memory);
      const topics = ruleTopics({ verdicts, futures, memory: kept.memory, world, grace, clockRight });
      if (!clockRight) return { verdicts: [], topics, turn: NEVER };
      return { verdicts, topics, turn: nextRuleTurn(verdicts, world) ?? NEVER };
    },
    truth: (known) => {
      if (!runningSimulation(kept.simulation, known.clock.at)) return undefined;
      const facts = deriveFacts({ ...known, simulation: null }, tariff);
      return { verdicts: known.clock.right ? evaluate(worldOf(known, tariff, null)) : [], facts };
    },
    simulation: () => kept.simulation,
    pretend: async (wish, at) => {
      const simulation = wish && beginSimulation(wish, at, tariff);
      await kept.save({ simulation });
      kept.simulation = simulation;
      return simulation;
    },
    settings: () => kept.newestSettings,
    set: async (settings) => {
      kept.newestSettings = settings;
      await kept.save({ settings });
      kept.settings = settings;
    },
  };
}

const NEVER = Number.POSITIVE_INFINITY;
const NO_RULES: Reading = { verdicts: [], topics: [], turn: NEVER };

interface Kept {
  memory: RulesMemory;
  settings: Settings;
  /** Not in force before they are saved: what is published must outlive a sudden death. */
  newestSettings: Settings;
  simulation: Simulation | null;
  save: (part: Pick<ReturnType<Store["state"]>, "rules" | "settings" | "simulation">) => Promise<void>;
}

/** As the state file kept it; a configuration that was edited counts more than what was set while vigie ran. */
function recall({ rules, store, log }: RulebookOptions): Kept {
  // What cannot be written is said by the store, and kept in memory.
  const save: Kept["save"] = (part) => store.save({ ...store.state(), ...part });
  const state = store.state();
  const found = readSettings(state.settings);
  const { settings, lines } = settleSettings(found, rules);
  for (const line of lines) log.warn(line);
  if (JSON.stringify(settings) !== JSON.stringify(found)) void save({ settings });
  return {
    memory: readRulesMemory(state.rules),
    settings,
    newestSettings: settings,
    simulation: readSimulation(state.simulation),
    save,
  };
}

function worldOf(
  { knownDays, clock: { at } }: FactsInput,
  tariff: Tariff,
  simulation: Simulation | null,
): World {
  return openShownWorld({ at, knownDays, tariff, simulation });
}
