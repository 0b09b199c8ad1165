import type { Broker } from "./broker.ts";
import type { Machine } from "./machine.ts";
import { nest } from "./nest.ts";
import { between, type Random } from "./random.ts";
import type { Series } from "./scenario.ts";

interface House {
  machine: Machine;
  broker: Broker;
  random: Random;
}

/** Publishes a value of the house again and again. */
export function followSeries(series: Series, { machine, broker, random }: House): void {
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
