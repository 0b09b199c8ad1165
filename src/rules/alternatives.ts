import type { Condition } from "./rule.ts";
import type { Leaf } from "./ticks.ts";

/** A condition that must be so, or must not. */
export interface Demand {
  leaf: Leaf;
  wanted: boolean;
}

/** Every way in which a condition can become so (or not so), each as what must hold together; null where they are too many. */
export function alternatives(condition: Condition, wanted: boolean): Demand[][] | null {
  switch (condition.kind) {
    case "not":
      return alternatives(condition.part, !wanted);
    case "all":
    case "any": {
      const parts = condition.parts.map((part) => alternatives(part, wanted));
      return (condition.kind === "all") === wanted ? combine(parts) : collect(parts);
    }
    case "day":
    case "period":
    case "between":
    case "weekday":
    case "rate":
    case "days_remaining":
    case "remaining":
    case "left":
      return [[{ leaf: condition, wanted }]];
  }
}

type Ways = Demand[][] | null;

function collect(parts: readonly Ways[]): Ways {
  const ways: Demand[][] = [];
  for (const part of parts) {
    if (!part || ways.length + part.length > MANY) return null;
    ways.push(...part);
  }
  return ways;
}

function combine(parts: readonly Ways[]): Ways {
  let ways: Demand[][] = [[]];
  for (const part of parts) {
    if (!part || ways.length * part.length > MANY) return null;
    ways = ways.flatMap((way) => part.map((more) => [...way, ...more]));
  }
  return ways;
}

const MANY = 500;
