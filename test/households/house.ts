import { between, type Random } from "../../src/simulator/random.ts";
import type { Broker } from "./broker.ts";
import type { Machine } from "./machine.ts";
import type { Device, Series } from "./scenario.ts";

interface House {
  machine: Machine;
  broker: Broker;
}

/** Devices that hear their commands and report what they do. */
export function addDevices(devices: readonly Device[], { machine, broker }: House): void {
  const publish = (device: Device, payload: string) =>
    broker.publish("device", { topic: device.report, payload, retain: device.retain });
  const reports = new Map<Device, string>();
  const reportAgain = (device: Device, every: number) => {
    const report = reports.get(device);
    if (report !== undefined) publish(device, report);
    machine.later(every, () => reportAgain(device, every));
  };
  for (const device of devices) if (device.every !== undefined) reportAgain(device, device.every * 1000);
  broker.onMessage(({ topic, payload }) => {
    for (const device of devices) {
      if (device.topic !== topic || device.manner === "ignores") continue;
      const word = device.manner === "contradicts" ? "neither" : (device.words[payload] ?? payload);
      const report = device.path === undefined ? word : nest(device.path, word);
      const delay = device.manner === "answers late" ? LATE : SOON;
      machine.later(delay, () => {
        reports.set(device, report);
        publish(device, report);
      });
    }
  });
}

/** Publishes a value of the house again and again. */
export function followSeries(series: Series, { machine, broker, random }: House & { random: Random }): void {
  const { topic, retain, values } = series;
  const end = machine.steady() + series.for * 1000;
  let number = "low" in values ? between(values.low, values.high, random) : 0;
  const next = (): string => {
    if ("words" in values) return values.words[Math.floor(random() * values.words.length)] ?? "";
    const { low, high, path } = values;
    number = Math.min(high, Math.max(low, number + between(-1, 1, random) * ((high - low) / 5)));
    const shown = number.toFixed(1);
    return path === undefined ? shown : nest(path, Number(shown));
  };
  const publish = () => {
    if (machine.steady() > end) return;
    broker.publish("house", { topic, payload: next(), retain });
    // Never in step with a second of vigie's.
    machine.later(series.every * between(500, 1_500, random), publish);
  };
  publish();
}

/** `{"state":{"output":"on","other":1}}` for `state.output`. */
function nest(path: string, value: unknown): string {
  const nested = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner, other: 1 }), value);
  return JSON.stringify(nested);
}

const SOON = 300;
const LATE = 45_000;
