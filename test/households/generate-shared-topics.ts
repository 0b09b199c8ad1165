import { drawFrom } from "./draw.ts";
import { randomFrom } from "./random.ts";
import type { Device, HouseConfig, OutputText, Scenario, ScriptEvent } from "./scenario.ts";

/**
 * In some households the topics of two outputs have to do with each other, by draws of their own: they move no other household. What is
 * so of two outputs is so in each configuration that has both.
 */
export function withSharedTopics(scenario: Scenario): Scenario {
  const { chance, one } = drawFrom(randomFrom(`shared topics/${scenario.seed}`));
  const ids = idsOverMqtt(scenario.configs);
  const [first, ...others] = ids.flatMap((id) =>
    ids.filter((other) => other !== id).map((other) => [id, other]),
  );
  if (!first || !chance(0.25)) return scenario;
  const [id = "", other = ""] = one([first, ...others]);
  const change = one([below, below, confirmedBySame, confirmedByTopic, gatewayOf])(id, other);
  return {
    ...scenario,
    configs: scenario.configs.map((config) => changeOutput(config, other, change.output)),
    devices: scenario.devices.map((device) => (device.id === other ? change.device(device) : device)),
    events: scenario.events.map(change.event ?? ((event) => event)),
  };
}

interface Change {
  output: (output: OutputText) => OutputText;
  device: (device: Device) => Device;
  event?: (event: ScriptEvent) => ScriptEvent;
}

/** The topic of one is below that of the other. */
function below(id: string, other: string): Change {
  const [from, to] = [`${other}/set`, `${id}/set/${other}`];
  return {
    output: (output) => (output.topic === from ? { ...output, topic: to } : output),
    device: (device) => ({ ...device, hears: to }),
    event: (event) => (event.kind === "refuse" && event.topic === from ? { ...event, topic: to } : event),
  };
}

/** Both devices report on one topic. */
function confirmedBySame(id: string, _other: string): Change {
  return reportingOn(`${id}/state`);
}

/** What one device is told is what the other one is said to do: vigie hears its own payload there. */
function confirmedByTopic(id: string, _other: string): Change {
  const { output } = reportingOn(`${id}/set`);
  return { output, device: ({ report: _, ...device }) => device };
}

function reportingOn(topic: string): Change {
  return {
    output: (output) =>
      output.confirm?.topic === undefined ? output : { ...output, confirm: { ...output.confirm, topic } },
    device: (device) => (device.report ? { ...device, report: { ...device.report, topic } } : device),
  };
}

/** Both are there while their gateway is. */
function gatewayOf(id: string, _other: string): Change {
  const topic = `${id}/online`;
  return {
    output: (output) =>
      output.confirm?.online === undefined
        ? output
        : { ...output, confirm: { ...output.confirm, online: { ...output.confirm.online, topic } } },
    device: (device) => (device.online ? { ...device, online: { ...device.online, topic } } : device),
  };
}

function changeOutput(
  config: HouseConfig,
  id: string,
  change: (output: OutputText) => OutputText,
): HouseConfig {
  const { list } = config.outputs;
  return {
    ...config,
    outputs: { ...config.outputs, list: list.map((output) => (output.id === id ? change(output) : output)) },
  };
}

/** Those that some configuration tells over MQTT. */
function idsOverMqtt(configs: readonly HouseConfig[]): string[] {
  const all = configs.flatMap(({ outputs }) => outputs.list);
  return [...new Set(all.flatMap(({ id, topic }) => (id === undefined || topic === undefined ? [] : [id])))];
}
