import { withoutRule } from "./generate-config.ts";
import { isAccepted } from "./generate-scenario.ts";
import type { Violation } from "./judges/judge.ts";
import type { ConditionText, HouseConfig, OutputText, Scenario } from "./scenario.ts";

/** What is wrong first in a household; undefined: nothing. */
type FindViolation = (scenario: Scenario) => Promise<Violation | undefined>;

/** The smallest household found in which the same judge says that something is wrong, and what it says there. */
export async function shrink(
  scenario: Scenario,
  violation: Violation,
  find: FindViolation,
  isTimeOver: () => boolean,
): Promise<{ scenario: Scenario; violation: Violation }> {
  let smallest = { scenario, violation };
  const tryOne = async (smaller: Scenario | undefined): Promise<boolean> => {
    if (!smaller || isTimeOver() || !(await areAccepted(smaller))) return false;
    const found = await find(smaller);
    if (found?.judge !== violation.judge) return false;
    smallest = { scenario: smaller, violation: found };
    return true;
  };
  for (let isSmaller = true; isSmaller && !isTimeOver(); ) {
    isSmaller = false;
    if (await tryOne(endSoonAfter(smallest.scenario, smallest.violation))) isSmaller = true;
    for (const step of [dropEvents, dropRules, dropOutputs, dropKeys, simplifyConditions, dropRest]) {
      if (await step(() => smallest.scenario, tryOne)) isSmaller = true;
    }
  }
  const { scenario: found } = smallest;
  return { ...smallest, scenario: withoutUnusedConfigs(found) };
}

type Step = (
  current: () => Scenario,
  tryOne: (smaller: Scenario | undefined) => Promise<boolean>,
) => Promise<boolean>;

async function areAccepted({ configs }: Scenario): Promise<boolean> {
  for (const config of configs) if (!(await isAccepted(config))) return false;
  return true;
}

/** undefined: it does so already. */
function endSoonAfter(scenario: Scenario, { at }: Violation): Scenario | undefined {
  const length = Math.ceil(at / 1000) + 120;
  if (length >= scenario.length) return undefined;
  return { ...scenario, length, events: scenario.events.filter((event) => event.at <= length) };
}

/** Half of the events, then a quarter, …, then one by one. */
const dropEvents: Step = async (current, tryOne) => {
  let isSmaller = false;
  for (
    let size = Math.ceil(current().events.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < current().events.length; ) {
      const events = current().events.filter((_, index) => index < from || index >= from + size);
      if (await tryOne({ ...current(), events })) isSmaller = true;
      else from += size;
    }
  }
  return isSmaller;
};

const dropRules: Step = (current, tryOne) =>
  dropEach(
    current,
    tryOne,
    ({ configs }) => [...new Set(configs.flatMap(({ rules }) => rules.map(({ id }) => id)))],
    withoutRule,
  );

const dropOutputs: Step = (current, tryOne) =>
  dropEach(
    current,
    tryOne,
    ({ configs }) => [...new Set(configs.flatMap(({ outputs }) => outputs.list.map(nameOf)))],
    (config, name) => ({
      ...config,
      outputs: { ...config.outputs, list: config.outputs.list.filter((output) => nameOf(output) !== name) },
    }),
  );

/** Keys of rules and outputs that may be left out, and parts of conditions. */
const dropKeys: Step = async (current, tryOne) => {
  let isSmaller = false;
  for (const key of [
    "lead",
    "lag",
    "hold",
    "when_unknown",
    "confirm",
    "else",
    "unknown",
    "qos",
    "retain",
    "threshold",
    "headers",
    "secret_file",
    "method",
    "content_type",
    "keep",
    "online",
    "every",
    "for",
    "path",
  ]) {
    const without = { ...current(), configs: current().configs.map((config) => withoutKey(config, key)) };
    if (JSON.stringify(without) !== JSON.stringify(current()) && (await tryOne(without))) isSmaller = true;
  }
  return isSmaller;
};

function withoutKey(config: HouseConfig, key: string): HouseConfig {
  const without = <T extends object>(group: T): T =>
    Object.fromEntries(Object.entries(group).filter(([name]) => name !== key)) as T;
  const withoutIn = (output: OutputText): OutputText => {
    const { confirm, ...rest } = without(output);
    return confirm ? { ...rest, confirm: without(confirm) } : rest;
  };
  return {
    ...config,
    rules: config.rules.map(without),
    outputs: { ...config.outputs, list: config.outputs.list.map(withoutIn) },
  };
}

function nameOf({ id, topic = "" }: OutputText): string {
  return id ?? topic;
}

/** One of its parts in the place of a condition. */
const simplifyConditions: Step = async (current, tryOne) => {
  let isSmaller = false;
  const ids = new Set(current().configs.flatMap(({ rules }) => rules.map(({ id }) => id)));
  for (const id of ids) {
    const simpler = current()
      .configs.flatMap(({ rules }) => rules)
      .filter((rule) => rule.id === id)
      .flatMap(({ when }) => partsOf(when));
    for (const when of simpler) {
      const configs = current().configs.map((config) => ({
        ...config,
        rules: config.rules.map((rule) => (rule.id === id ? { ...rule, when } : rule)),
      }));
      if (JSON.stringify(configs) === JSON.stringify(current().configs)) continue;
      if (!(await tryOne({ ...current(), configs }))) continue;
      isSmaller = true;
      break;
    }
  }
  return isSmaller;
};

function partsOf({ all, any, not, ...rest }: ConditionText): ConditionText[] {
  const parts = [...(all ?? []), ...(any ?? []), ...(not ? [not] : [])];
  const hasRest = Object.keys(rest).length > 0;
  return hasRest && parts.length > 0 ? [...parts, rest] : parts;
}

const dropRest: Step = async (current, tryOne) => {
  let isSmaller = false;
  for (const { id } of current().devices) {
    const devices = current().devices.filter((device) => device.id !== id);
    if (await tryOne({ ...current(), devices })) isSmaller = true;
  }
  for (const simple of [{ oldBroker: false }, { trouble: 0 }, { history: 3 }]) {
    const simpler = { ...current(), ...simple };
    if (JSON.stringify(simpler) !== JSON.stringify(current()) && (await tryOne(simpler))) isSmaller = true;
  }
  return isSmaller;
};

async function dropEach(
  current: () => Scenario,
  tryOne: (smaller: Scenario) => Promise<boolean>,
  names: (scenario: Scenario) => string[],
  without: (config: HouseConfig, name: string) => HouseConfig,
): Promise<boolean> {
  let isSmaller = false;
  for (const name of names(current())) {
    const configs = current().configs.map((config) => without(config, name));
    if (await tryOne({ ...current(), configs })) isSmaller = true;
  }
  return isSmaller;
}

/** The first one is always used. */
function withoutUnusedConfigs(scenario: Scenario): Scenario {
  const used = [0, ...scenario.events.flatMap((event) => (event.kind === "edit" ? [event.config] : []))];
  const kept = [...new Set(used)].sort((one, other) => one - other);
  return {
    ...scenario,
    configs: kept.map((index) => scenario.configs[index]!),
    events: scenario.events.map((event) =>
      event.kind === "edit" ? { ...event, config: kept.indexOf(event.config) } : event,
    ),
  };
}
