import { wallTime } from "../core/calendar/dates.ts";
import type { Instant, Tariff } from "../core/calendar/tariff.ts";
import type { PollOutcome } from "../core/facts/poll-record.ts";
import { type SimulationRequest, startSimulation } from "../core/facts/simulation.ts";
import type { Rule } from "../core/rules/rule.ts";
import { moveThreshold, switchedAt, switchRule, switchRuleFor } from "../core/rules/rule-settings.ts";
import type { Command } from "../mqtt/read-command.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Log } from "../runtime/log.ts";
import type { Source } from "../service/sources.ts";
import type { Loop } from "./loop.ts";
import type { LoopMemory } from "./loop-memory.ts";
import type { Polling } from "./polling.ts";

interface CommandOptions {
  rules: readonly Rule[];
  tariff: Tariff;
  memory: Pick<LoopMemory, "changeSettings" | "changeSimulation">;
  loop: Pick<Loop, "refresh" | "snapshot">;
  log: Pick<Log, "info" | "warn">;
  /** Asks the sources now, and tells once what came of each. */
  poll: Polling["pollNow"];
}

interface CommandHandler {
  onCommand: OnCommand;
  /** Resolves when all commands so far are done. A later command is saved, but this loop does not publish it. */
  stop: () => Promise<void>;
}

export function createCommandHandler(options: CommandOptions): CommandHandler {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const refresh = () => {
    if (!isStopped) options.loop.refresh();
  };
  return {
    onCommand: (topic, command) => {
      const handled = handleCommand(topic, command, { ...options, loop: { ...options.loop, refresh } });
      // Without the `then` each result would contain all earlier ones.
      running = Promise.all([running, handled]).then(() => undefined);
    },
    stop: async () => {
      await running;
      isStopped = true;
    },
  };
}

/** Carries out a command of the broker. What it changes is saved before it is logged and published. */
export async function handleCommand(topic: string, command: Command, options: CommandOptions): Promise<void> {
  switch (command.kind) {
    case "poll":
      options.log.info(`${topic}: vigie asks its sources as soon as its limits of requests allow it`);
      options.poll((source, outcome) => logOutcome(topic, source, outcome, options.log));
      break;
    case "enabled":
      await setEnabled(topic, command, options);
      break;
    case "threshold":
      await setThreshold(topic, command, options);
      break;
    case "simulation":
      await setSimulation(topic, command.request, options);
      break;
  }
}

function logOutcome(
  topic: string,
  { name }: Source,
  { answers, failures }: PollOutcome,
  log: CommandOptions["log"],
): void {
  const [failure] = failures;
  if (failure !== undefined) log.warn(`${topic}: ${failure}`);
  else if (answers > 0) log.info(`${topic}: the ${name} has answered`);
  else log.info(`${topic}: nothing was sent to the ${name}, as the requests of today are used up`);
}

type CommandOf<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

async function setEnabled(topic: string, command: CommandOf<"enabled">, options: CommandOptions) {
  const { memory, loop, log, tariff } = options;
  const { rule: id, enabled, for: length } = command;
  if (!findRule(topic, id, options)) return;
  const [state, opposite] = enabled ? ["enabled", "disabled"] : ["disabled", "enabled"];
  if (length === undefined) {
    await memory.changeSettings((settings) => switchRule(settings, id, enabled));
    log.info(`${topic}: rule ${id} is ${state} now`);
  } else {
    const from = trueTime(loop);
    const until = from + length;
    let hasEnd = false;
    await memory.changeSettings((settings) => {
      const changed = switchRuleFor(settings, id, enabled, { from, until });
      hasEnd = switchedAt(changed, id, from).until !== null;
      return changed;
    });
    const end = hasEnd
      ? `until ${describeEnd(until, tariff)}, then ${opposite} again`
      : `now, and stays so: no command had ${opposite} it before`;
    log.info(`${topic}: rule ${id} is ${state} ${end}`);
  }
  loop.refresh();
}

async function setThreshold(topic: string, command: CommandOf<"threshold">, options: CommandOptions) {
  const { memory, loop, log } = options;
  const { rule: id, threshold } = command;
  const rule = findRule(topic, id, options);
  if (!rule) return;
  if (rule.threshold === null) {
    log.warn(`${topic}: rule ${id} has no threshold in the configuration, so there is none to move`);
    return;
  }
  await memory.changeSettings((settings) => moveThreshold(settings, rule, threshold));
  log.info(
    `${topic}: the threshold of rule ${id} is ${threshold} % now; in the configuration it is ${rule.threshold} %`,
  );
  loop.refresh();
}

function findRule(topic: string, id: string, { rules, log }: CommandOptions): Rule | undefined {
  const rule = rules.find((one) => one.id === id);
  if (!rule) log.warn(`${topic}: there is no rule ${id} in the configuration`);
  return rule;
}

async function setSimulation(topic: string, request: SimulationRequest | null, options: CommandOptions) {
  const { memory, loop, log, tariff } = options;
  const simulation = request && startSimulation(request, trueTime(loop), tariff);
  await memory.changeSimulation(simulation);
  if (simulation) {
    const { color, date, until } = simulation;
    log.warn(
      `${topic}: ${color} is pretended for the tariff day ${date}, until ${describeEnd(until, tariff)}`,
    );
  } else log.info(`${topic}: no colour is pretended any more`);
  loop.refresh();
}

/** The snapshot may be hours old, so the loop refreshes first. */
function trueTime(loop: CommandOptions["loop"]): Instant {
  loop.refresh();
  return loop.snapshot().known.clock.at;
}

/** As local time. */
function describeEnd(until: Instant, { time_zone }: Tariff): string {
  return wallTime(until, time_zone).slice(0, -3).replace("T", " ");
}
