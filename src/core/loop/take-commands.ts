import { wallMinute } from "../calendar/dates.ts";
import type { Instant, Tariff } from "../calendar/tariff.ts";
import type { Simulation } from "../facts/facts.ts";
import { startSimulation } from "../facts/simulation.ts";
import type { LogLine } from "../log/log-line.ts";
import type { Rule } from "../rules/rule.ts";
import {
  moveThreshold,
  type RuleSettings,
  switchedAt,
  switchRule,
  switchRuleFor,
} from "../rules/rule-settings.ts";
import type { Command, ReceivedCommand } from "./command.ts";

/** What commands change. */
export interface Commanded {
  settings: RuleSettings;
  simulation: Simulation | null;
  lines: readonly LogLine[];
}

interface CommandContext {
  /** The true time. */
  at: Instant;
  rules: readonly Rule[];
  tariff: Tariff;
}

/** After these commands, in their order. That vigie is to ask its sources is none of these. */
export function carryOut(
  before: Commanded,
  commands: readonly ReceivedCommand[],
  context: CommandContext,
): Commanded {
  return commands.reduce((commanded, one) => carryOutOne(commanded, one, context), before);
}

function carryOutOne(
  before: Commanded,
  { topic, command }: ReceivedCommand,
  context: CommandContext,
): Commanded {
  switch (command.kind) {
    case "poll":
      return before;
    case "enabled":
      return setEnabled(before, topic, command, context);
    case "threshold":
      return setThreshold(before, topic, command, context);
    case "simulation":
      return setSimulation(before, topic, command, context);
  }
}

type CommandOf<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

function setEnabled(
  before: Commanded,
  topic: string,
  { rule: id, enabled, for: length }: CommandOf<"enabled">,
  { rules, tariff, at: from }: CommandContext,
): Commanded {
  if (!rules.some((rule) => rule.id === id)) return say(before, noRule(topic, id));
  const [state, opposite] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  if (length === undefined) {
    const settings = switchRule(before.settings, id, enabled);
    return say({ ...before, settings }, info(`${topic}: rule ${id} is ${state} now`));
  }
  const until = from + length;
  const settings = switchRuleFor(before.settings, id, enabled, { from, until });
  const hasEnd = switchedAt(settings, id, from).until !== null;
  const end = hasEnd
    ? `until ${describeEnd(until, tariff)}, then ${opposite} again`
    : `now, and stays so: no command had ${opposite} it before`;
  return say({ ...before, settings }, info(`${topic}: rule ${id} is ${state} ${end}`));
}

function setThreshold(
  before: Commanded,
  topic: string,
  { rule: id, threshold }: CommandOf<"threshold">,
  { rules }: CommandContext,
): Commanded {
  const rule = rules.find((one) => one.id === id);
  if (!rule) return say(before, noRule(topic, id));
  if (rule.threshold === null) {
    const none = `${topic}: rule ${id} has no threshold in the configuration, so there is none to move`;
    return say(before, warn(none));
  }
  const settings = moveThreshold(before.settings, rule, threshold);
  const moved = `${topic}: the threshold of rule ${id} is ${threshold} % now; in the configuration it is ${rule.threshold} %`;
  return say({ ...before, settings }, info(moved));
}

function setSimulation(
  before: Commanded,
  topic: string,
  { request }: CommandOf<"simulation">,
  { tariff, at }: CommandContext,
): Commanded {
  const simulation = request && startSimulation(request, at, tariff);
  const changed = { ...before, simulation };
  if (!simulation) return say(changed, info(`${topic}: no colour is pretended any more`));
  const { color, date, until } = simulation;
  const pretended = `${topic}: ${color} is pretended for the tariff day ${date}, until ${describeEnd(until, tariff)}`;
  return say(changed, warn(pretended));
}

function say(commanded: Commanded, line: LogLine): Commanded {
  return { ...commanded, lines: [...commanded.lines, line] };
}

function noRule(topic: string, id: string): LogLine {
  return warn(`${topic}: there is no rule ${id} in the configuration`);
}

function info(sentence: string): LogLine {
  return { level: "info", sentence, isOfCommand: true };
}

function warn(sentence: string): LogLine {
  return { level: "warn", sentence, isOfCommand: true };
}

/** As local time. */
function describeEnd(until: Instant, { time_zone }: Tariff): string {
  return wallMinute(until, time_zone);
}
