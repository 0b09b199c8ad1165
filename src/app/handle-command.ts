import { isoInstant } from "../core/calendar/dates.ts";
import type { SimulationWish } from "../core/facts/simulation.ts";
import type { Rule } from "../core/rules/rule.ts";
import { moveThreshold, switchRule } from "../core/rules/rule-settings.ts";
import type { Command } from "../mqtt/read-command.ts";
import type { OnCommand } from "../mqtt/watch-base.ts";
import type { Log } from "../runtime/log.ts";
import type { Cycle } from "./cycle.ts";
import type { Rulebook } from "./rulebook.ts";

export interface OrdersOptions {
  rules: readonly Rule[];
  rulebook: Rulebook;
  cycle: Pick<Cycle, "refresh" | "seen">;
  log: Pick<Log, "info" | "warn">;
  /** Asks the service. */
  ask: () => void;
}

interface Orders {
  command: OnCommand;
  /** When the commands that came so far are done. */
  settled: () => Promise<unknown>;
}

/** Takes commands as they come. After `signal` they are only saved: what to publish is no longer this loop's to say. */
export function openOrders(options: OrdersOptions, signal: AbortSignal): Orders {
  const { cycle } = options;
  const refresh = () => {
    if (!signal.aborted) cycle.refresh();
  };
  let obeying: Promise<unknown> = Promise.resolve();
  return {
    command: (topic, _payload, command) => {
      const obeyed = obey(topic, command, { ...options, cycle: { ...cycle, refresh } });
      obeying = Promise.all([obeying, obeyed]);
    },
    settled: () => obeying,
  };
}

/** Does what was asked over the broker; what cannot be done is said. What was done is saved before it is confirmed. */
export async function obey(topic: string, command: Command, options: OrdersOptions): Promise<void> {
  switch (command.kind) {
    case "refresh":
      options.log.info(`${topic}: the service is asked, as soon as politeness allows`);
      options.ask();
      break;
    case "enabled":
      await switchOne(topic, command, options);
      break;
    case "threshold":
      await moveOne(topic, command, options);
      break;
    case "simulation":
      await pretend(topic, command.wish, options);
      break;
  }
}

async function switchOne(
  topic: string,
  { rule: id, enabled }: Extract<Command, { kind: "enabled" }>,
  options: OrdersOptions,
): Promise<void> {
  const { rulebook, cycle, log } = options;
  const rule = findRule(topic, id, options);
  if (!rule) return;
  await rulebook.set(switchRule(rulebook.settings(), id, enabled));
  log.info(`${topic}: the rule is switched ${enabled ? "on" : "off"}`);
  cycle.refresh();
}

async function moveOne(
  topic: string,
  { rule: id, threshold }: Extract<Command, { kind: "threshold" }>,
  options: OrdersOptions,
): Promise<void> {
  const { rulebook, cycle, log } = options;
  const rule = findRule(topic, id, options);
  if (!rule) return;
  if (rule.threshold === null) {
    log.warn(`${topic}: ${id} has no threshold that could be moved`);
    return;
  }
  await rulebook.set(moveThreshold(rulebook.settings(), rule, threshold));
  log.info(`${topic}: the threshold is ${threshold} %; configured are ${rule.threshold} %`);
  cycle.refresh();
}

function findRule(topic: string, id: string, { rules, log }: OrdersOptions): Rule | undefined {
  const rule = rules.find((one) => one.id === id);
  if (!rule) log.warn(`${topic}: there is no rule ${id} in the configuration`);
  return rule;
}

async function pretend(
  topic: string,
  wish: SimulationWish | null,
  { rulebook, cycle, log }: OrdersOptions,
): Promise<void> {
  // By the clock as it is now.
  cycle.refresh();
  const simulation = await rulebook.pretend(wish, cycle.seen().known.clock.at);
  if (simulation) {
    const { color, date, until } = simulation;
    log.warn(`${topic}: ${color} is PRETENDED for ${date} until ${isoInstant(until)}`);
  } else log.info(`${topic}: nothing is pretended any more`);
  cycle.refresh();
}
