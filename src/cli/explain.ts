import { healthPath, readHealth } from "../app/health-file.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { didYouMean } from "../config/nearest-word.ts";
import { isoInstant, tariffDate, wallMinute } from "../core/calendar/dates.ts";
import type { Instant, IsoDate, Tariff } from "../core/calendar/tariff.ts";
import { parseJson } from "../core/contract/parse-json.ts";
import type { KnownDays } from "../core/days/known-days.ts";
import type { Simulation } from "../core/facts/facts.ts";
import { readSimulation } from "../core/facts/simulation.ts";
import type { Protect } from "../core/log/protect.ts";
import { readOutputs } from "../core/outputs/outputs-kept.ts";
import { evaluateRules } from "../core/rules/evaluate-rules.ts";
import { createEvaluationInput } from "../core/rules/evaluation-input.ts";
import { type Explanation, explainRule } from "../core/rules/explain-rule.ts";
import { futuresOf } from "../core/rules/futures.ts";
import { mqttConditionsIn, type Rule, rulesInChain, topicsOfRules } from "../core/rules/rule.ts";
import { readRuleSettings } from "../core/rules/rule-settings.ts";
import { NO_RULES_STATE, readRulesState } from "../core/rules/rules-state.ts";
import { nameTruth } from "../core/rules/truth.ts";
import { type HeardValues, type Reading, readingsFrom, readValues } from "../core/rules/value-readings.ts";
import { systemClock } from "../runtime/clock.ts";
import { listAt, valueAt } from "../runtime/value-at.ts";
import type { State } from "../state/state.ts";
import { CommandFailed, toExitCode } from "./exit-code.ts";
import { formatExplanation } from "./format-explanation.ts";
import { hearValues, tellUnheard } from "./hear-values.ts";
import type { Io } from "./io.ts";
import { type ExplainedRule, formatPreview, NO_RULES, previewDay, readPretended } from "./pretend.ts";
import { readKnownDays } from "./read-known-days.ts";
import { readTime } from "./read-time.ts";
import { readArgs, WrongUsage } from "./usage.ts";
import { findBroker } from "./visit-vigie.ts";

/**
 * `vigie explain [--at TIME] [--pretend COLOR[:next]] [RULE…]`: each rule's verdict as a tree with what each condition saw;
 * with a pretended colour also its plan, and what outputs would send. It only reads: a running vigie is not told.
 */
export function explain(args: string[], io: Io): Promise<number> {
  return toExitCode("explain", io, async () => {
    const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true });
    const { config } = await loadConfig({ file: values.config, env: io.env, cwd: io.cwd, signal: io.signal });
    const chosen = chooseRules(config.rules, positionals);
    const { state, knownDays } = await readKnownDays(config);
    const at = values.at === undefined ? systemClock.now() : readTime("--at", values.at, config.tariff);
    if (values.at !== undefined) refuseUncovered(at, knownDays, config.tariff);
    else if (!state) io.stderr.write(`vigie: there is no state in ${config.state} yet, so no day is known\n`);
    const { heard, published } = await hear(config, state, io);
    const { pretend } = values;
    const simulation = pretend === undefined ? null : readPretended(pretend, at, config.tariff);
    const isNow = values.at === undefined;
    const rules = explainAll({ config, knownDays, state, at, heard, isNow, simulation }, io);
    const shown = chosen.flatMap(({ id }) => rules.find(({ explanation }) => explanation.id === id) ?? []);
    const write = (answer: object, text: () => string) =>
      io.stdout.write(values.json ? `${JSON.stringify(answer, null, 2)}\n` : text());
    const { time_zone } = config.tariff;
    const local = (instant: string) => wallMinute(Date.parse(instant), time_zone);
    const heading = `${local(isoInstant(at))}, ${time_zone}\n`;
    if (simulation) {
      const sent = readOutputs({ outputs: state?.outputs, messages: state?.messages }).kept;
      const preview = previewDay({ simulation, config, knownDays, sent, at, rules, shown });
      write(preview, () => `${heading}${formatPreview(preview, local)}`);
    } else {
      const told = isNow && heard !== null ? tellRunning(config.rules, heard, published) : () => [];
      const explanations = shown.map(({ explanation }) => ({
        ...explanation,
        notes: [...explanation.notes, ...told(explanation.id)],
      }));
      write(explanations, () => `${heading}\n${format(explanations, local)}`);
    }
  });
}

const OPTIONS = {
  config: { type: "string" },
  at: { type: "string" },
  pretend: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

interface Asked {
  config: Config;
  knownDays: KnownDays;
  state: State | undefined;
  at: Instant;
  /** null: the broker could not be asked. */
  heard: HeardValues | null;
  isNow: boolean;
  /** The colour to pretend in place of the one that the running vigie pretends. */
  simulation: Simulation | null;
}

/** Where the broker does not answer, the days are explained all the same. */
async function hear(
  config: Config,
  state: State | undefined,
  io: Io,
): Promise<{ heard: HeardValues | null; published: ReadonlyMap<string, string> }> {
  if (topicsOfRules(config.rules).length === 0) return { heard: new Map(), published: new Map() };
  try {
    const health = await readHealth(await healthPath(config.state, io.env));
    const broker = { ...config.mqtt, url: findBroker(config, health) };
    const { values, published } = await hearValues({
      config,
      broker,
      state,
      signal: io.signal,
      withPublished: true,
    });
    tellUnheard(config.rules, values, io);
    return { heard: values, published };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    io.stderr.write(`vigie: no value of the house is known: ${error.message}\n`);
    return { heard: null, published: new Map() };
  }
}

/** Of a rule that looks at a value which only the running vigie can know: what that one has published of it. */
function tellRunning(
  rules: readonly Rule[],
  heard: HeardValues,
  published: ReadonlyMap<string, string>,
): (id: string) => string[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return (id) => {
    const isHeard = topicsOfRules(rulesInChain([id], byId)).every((topic) => heard.has(topic));
    const json = parseJson(published.get(`rules/${id}`) ?? "");
    const because = listAt(json, ["because"]).map(String).join("; ");
    if (isHeard || published.get("availability") !== "online" || because === "") return [];
    const state = valueAt(json, ["state"]);
    return [`the running vigie has ${nameTruth(typeof state === "boolean" ? state : null)}: ${because}`];
  };
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
function explainAll(
  { config, knownDays, state, at, heard, isNow, ...asked }: Asked,
  io: Io,
): ExplainedRule[] {
  const { tariff } = config;
  const simulation = asked.simulation ?? readSimulation(state?.simulation);
  const conditions = config.rules.flatMap(({ when }) => mqttConditionsIn(when));
  // Values are assumed to stay as they are now.
  const readings = readValues(
    conditions,
    { heard: heard ?? new Map(), kept: {} },
    systemClock.now(),
    new Map(),
    0,
  );
  const values = readingsFrom(
    new Map([...readings].map(([one, reading]) => [one, asFarAsKnown(reading, heard !== null)])),
  );
  // What a rule held to, and since when, is of now only.
  const previous = isNow ? readRulesState(state?.rules) : NO_RULES_STATE;
  const input = createEvaluationInput({ at, knownDays, tariff, simulation, values }, previous.at);
  const protect = writeErrors(io);
  const { verdicts } = evaluateRules(config.rules, input, readRuleSettings(state?.settings), previous, {
    protect,
  });
  const futures = futuresOf(verdicts, input);
  return verdicts.flatMap((verdict, index) => {
    const future = futures[index];
    return future
      ? [{ explanation: explainRule(verdict, future, input), future, timeline: verdict.timeline }]
      : [];
  });
}

/** A rule that throws is explained as such, and all others as usual. */
function writeErrors({ stderr }: Io): Protect {
  return (part, run) => {
    try {
      run();
      return true;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      stderr.write(`vigie: an error of vigie itself (${part}): ${stack}\n`);
      return false;
    }
  };
}

/** The running vigie may have heard since what is not retained, and what is the same as before. */
function asFarAsKnown(reading: Reading, isAsked: boolean): Reading {
  const { problem } = reading;
  if (problem === "never heard")
    return { ...reading, inOtherWords: isAsked ? NOT_RETAINED : "the broker could not be asked" };
  if (problem === "too old")
    return { ...reading, inOtherWords: "too old, if the running vigie has not heard it since" };
  return reading;
}

const NOT_RETAINED = "not retained, so only the running vigie may know it";

function format(explanations: readonly Explanation[], local: (instant: string) => string): string {
  if (explanations.length === 0) return NO_RULES;
  return explanations.map((one) => formatExplanation(one, local)).join("\n");
}
