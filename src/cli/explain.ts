import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { didYouMean } from "../config/nearest-word.ts";
import { tariffDate, wallTime } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { type KnownDays, NO_KNOWN_DAYS } from "../core/days/known-days.ts";
import { readSimulation } from "../core/facts/simulation.ts";
import { evaluateRules } from "../core/rules/evaluate-rules.ts";
import { createEvaluationInput } from "../core/rules/evaluation-input.ts";
import { type Explanation, explainRule } from "../core/rules/explain-rule.ts";
import { forecastVerdicts } from "../core/rules/forecast-verdicts.ts";
import type { Rule } from "../core/rules/rule.ts";
import { readRuleSettings } from "../core/rules/rule-settings.ts";
import { NO_RULES_STATE, readRulesState } from "../core/rules/rules-state.ts";
import { systemClock } from "../runtime/clock.ts";
import { describeDiskError } from "../runtime/disk-errors.ts";
import { knownDaysOf, type State } from "../state/state.ts";
import { DamagedState, NewerState } from "../state/state-format.ts";
import { readState } from "../state/store.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import { formatExplanation } from "./format-explanation.ts";
import type { Io } from "./io.ts";
import { readTime } from "./read-time.ts";
import { readArgs, WrongUsage } from "./usage.ts";

/** `vigie explain [--at TIME] [RULE…]`: each rule's verdict as a tree with what each condition saw. */
export function explain(args: string[], io: Io): Promise<number> {
  return toExitCode("explain", io, async () => {
    const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd });
    const rules = chooseRules(config.rules, positionals);
    const state = await readStateOf(config.state);
    const knownDays = state ? knownDaysOf(state, config.service.base_url) : NO_KNOWN_DAYS;
    const at = values.at === undefined ? systemClock.now() : readTime("--at", values.at, config.tariff);
    if (values.at !== undefined) refuseUncovered(at, knownDays, config.tariff);
    else if (!state) io.stderr.write(`vigie: there is no state in ${config.state} yet, so no day is known\n`);
    const asked = { rules, config, knownDays, state, at, isNow: values.at === undefined };
    const explained = explainAll(asked);
    io.stdout.write(values.json ? `${JSON.stringify(explained, null, 2)}\n` : format(explained, asked));
  });
}

const OPTIONS = {
  config: { type: "string" },
  at: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

interface Asked {
  rules: readonly Rule[];
  config: Config;
  knownDays: KnownDays;
  state: State | undefined;
  at: Instant;
  isNow: boolean;
}

function chooseRules(rules: readonly Rule[], ids: readonly string[]): readonly Rule[] {
  if (ids.length === 0) return rules;
  return ids.map((id) => {
    const rule = rules.find((one) => one.id === id);
    if (rule) return rule;
    const ids = rules.map((one) => one.id);
    if (ids.length === 0) throw new WrongUsage(`Expected no rule, for the configuration has none, got ${id}`);
    const meant = didYouMean(id, ids);
    throw new WrongUsage(`Expected the id of a rule (${ids.join(", ")}), got ${id}${meant}`);
  });
}

async function readStateOf(folder: string): Promise<State | undefined> {
  try {
    return await readState(folder);
  } catch (error) {
    if (error instanceof NewerState) throw error;
    const why = error instanceof DamagedState ? `it is damaged: ${error.message}` : describeDiskError(error);
    throw new CommandFailed(`The state in ${folder} cannot be read: ${why}`, { cause: error });
  }
}

function refuseUncovered(at: Instant, knownDays: KnownDays, tariff: Tariff): void {
  const dates: IsoDate[] = Object.keys(knownDays.days).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  const date = tariffDate(at, tariff);
  if (first === undefined || last === undefined)
    throw new CommandFailed("No day is known yet: vigie has not run here");
  if (date >= first && date <= last) return;
  throw new CommandFailed(
    `Expected --at to be within the days that are known, ${first} to ${last}, got ${date}`,
  );
}

/** Each rule is evaluated, for those that are asked for may refer to others. */
function explainAll({ rules, config, knownDays, state, at, isNow }: Asked): Explanation[] {
  const { tariff } = config;
  const simulation = readSimulation(state?.simulation);
  const input = createEvaluationInput({ at, knownDays, tariff, simulation });
  // What a rule held to, and since when, is of now only.
  const previous = isNow ? readRulesState(state?.rules) : NO_RULES_STATE;
  const { verdicts } = evaluateRules(config.rules, input, readRuleSettings(state?.settings), previous);
  const forecasts = forecastVerdicts(verdicts, input);
  return rules.flatMap((rule) => {
    const index = config.rules.indexOf(rule);
    const [verdict, forecast] = [verdicts[index], forecasts[index]];
    return verdict && forecast ? [explainRule(verdict, forecast, input)] : [];
  });
}

function format(explained: readonly Explanation[], { at, config: { tariff } }: Asked): string {
  const local = (instant: Instant) => wallTime(instant, tariff.time_zone).slice(0, -3).replace("T", " ");
  const trees = explained.map((one) => formatExplanation(one, (instant) => local(Date.parse(instant))));
  const none = explained.length === 0 ? "There are no rules in the configuration.\n" : "";
  return `${local(at)}, ${tariff.time_zone}\n\n${none}${trees.join("\n")}`;
}
