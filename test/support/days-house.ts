import { rulesOptions } from "../../src/config/rules-options.ts";
import type { KnownDay } from "../../src/core/days/known-days.ts";
import { deriveFacts } from "../../src/core/facts/derive-facts.ts";
import type { Simulation } from "../../src/core/facts/facts.ts";
import type { Choice, Output } from "../../src/core/outputs/output.ts";
import { NOTHING_SENT, type OutputsKept } from "../../src/core/outputs/outputs-kept.ts";

import { createEvaluationInput } from "../../src/core/rules/evaluation-input.ts";
import { NO_SETTINGS } from "../../src/core/rules/rule-settings.ts";
import { NO_RULES_STATE } from "../../src/core/rules/rules-state.ts";
import { NO_READINGS } from "../../src/core/rules/value-readings.ts";
import { knownDaysOf } from "./known-days.ts";
import { HOUR, house, MINUTE, PHONE, START } from "./outputs-house.ts";
import { evaluateNext } from "./rules.ts";
import { PARIS } from "./tariff.ts";

interface DaysHouseOptions {
  rules: readonly object[];
  choose: readonly Choice[];
  /** To which it is sent. */
  output?: Output;
  kept?: OutputsKept;
  /** When it begins. */
  from: string;
  /** Between two looks. */
  every?: number;
}

/** One output in virtual time, and rules that look at days. The test says which days are known. */
export function daysHouse({
  rules,
  choose,
  output = PHONE,
  kept = NOTHING_SENT,
  from,
  every = HOUR,
}: DaysHouseOptions) {
  const vigie = house({ ...output, choose }, { kept, at: Date.parse(from) - START, verdicts: null });
  const parsed = rulesOptions.parse(rules);
  let days: Record<string, KnownDay> = {};
  let simulation: Simulation | null = null;
  let state = NO_RULES_STATE;
  const look = () => {
    const at = START + vigie.now();
    const knownDays = knownDaysOf(days);
    const known = { at, knownDays, tariff: PARIS, simulation, values: NO_READINGS };
    const { verdicts, real, next } = evaluateNext(parsed, createEvaluationInput(known), state, NO_SETTINGS);
    state = next;
    const byId = (list: typeof verdicts) => new Map(list.map((verdict) => [verdict.rule.id, verdict]));
    const factsWith = (pretended: Simulation | null) => (instant: number) =>
      deriveFacts(
        {
          knownDays,
          service: null,
          official: null,
          clock: { at: instant, right: true },
          simulation: pretended,
          late_after: "12:00",
          isInvented: false,
          failed_outputs: [],
          vigie_failed: false,
        },
        PARIS,
      );
    const [factsAt, realFactsAt] = [factsWith(simulation), factsWith(null)];
    vigie.verdicts({
      withSimulation: { at, verdicts: byId(verdicts), factsAt },
      withoutSimulation: { at, verdicts: byId(real), factsAt: realFactsAt },
    });
  };
  look();
  return {
    vigie,
    /** From now on this is known of these days, beside what was known before. */
    know: (more: typeof days) => {
      days = { ...days, ...more };
      look();
    },
    forget: (date: string) => {
      const { [date]: _forgotten, ...others } = days;
      days = others;
      look();
    },
    pretend: (next: Simulation | null) => {
      simulation = next;
      look();
    },
    /** On the way vigie looks at each of the instants of `every`, and five minutes before it, when a rule with a lead may turn. */
    until: (instant: string) => {
      const end = Date.parse(instant) - START;
      while (vigie.now() < end) {
        const round = Math.floor((vigie.now() + 5 * MINUTE) / every) * every;
        const next = vigie.now() < round ? round : round + every - 5 * MINUTE;
        vigie.wait(Math.min(next, end) - vigie.now());
        look();
      }
    },
    texts: () => vigie.sent.map(({ payload }) => payload),
  };
}
