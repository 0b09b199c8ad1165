import { describeMqtt } from "./compare-payload.ts";
import type { ConditionKind } from "./condition-types.ts";
import type { MqttCondition } from "./rule.ts";
import type { ValueProblem } from "./value-readings.ts";

/** Never certain: another value may arrive at any time. */
export const MQTT: ConditionKind<MqttCondition> = {
  evaluate: (condition, { values }) => {
    const { truth, problem: code, inOtherWords, found, awaitedUntil } = values.read(condition);
    const problem = code && (inOtherWords ?? describeProblem(code, condition));
    // What is published never contains the value.
    const describeFinding = () => problem ?? "by its value";
    const describeForOwner = () => {
      if (!found) return describeFinding();
      const value = `${JSON.stringify(found.value)}, heard ${describeAge(found.age)} ago`;
      return problem === null ? value : `${problem}: ${value}`;
    };
    const by = awaitedUntil === null ? "value" : "awaited";
    return { truth, by, describeFinding, describeForOwner, days: [] };
  },
  boundaries: () => ({ kinds: [], times: [] }),
  describe: (condition) => describeMqtt(condition),
};

function describeProblem(problem: ValueProblem, { path }: MqttCondition): string {
  return problem === "not in its JSON" ? `no ${path?.join(".")} in its JSON` : problem;
}

/** `5 min`. */
function describeAge(age: number): string {
  const [length, unit] = UNITS.find(([least]) => age >= 2 * least) ?? [1000, "s"];
  return `${Math.max(0, Math.floor(age / length))} ${unit}`;
}

const UNITS: [length: number, unit: string][] = [
  [24 * 3_600_000, "days"],
  [3_600_000, "h"],
  [60_000, "min"],
];
