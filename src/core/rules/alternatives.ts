import type { Condition, Leaf } from "./rule.ts";

/** A condition that must be so, or must not. */
export interface Demand {
  leaf: Leaf;
  wanted: boolean;
}

/** Every way in which a condition can become so (or not so), each as what must hold together; null where they are too many. */
export function alternatives(condition: Condition, wanted: boolean): Demand[][] | null {
  if ("part" in condition) return alternatives(condition.part, !wanted);
  if (!("parts" in condition)) return [[{ leaf: condition, wanted }]];
  const parts = condition.parts.map((part) => alternatives(part, wanted));
  return (condition.kind === "all") === wanted ? combine(parts) : collect(parts);
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
