import { sinceMidnight } from "../calendar/wall-clock.ts";
import { leavesOf } from "./condition-parts.ts";
import type { Condition } from "./rule.ts";

/** By which clocks a condition can turn. */
export interface Ticks {
  /** The tariff day: `now`, `next`, its price, its weekday, its season. */
  day: boolean;
  /** The civil date. */
  midnight: boolean;
  period: boolean;
  /** Times on the wall, in milliseconds since midnight. */
  times: readonly number[];
}

export function ticksOf(condition: Condition): Ticks {
  const leaves = leavesOf(condition);
  const kinds = new Set<Condition["kind"]>(leaves.map(({ kind }) => kind));
  const days = leaves.filter((leaf) => leaf.kind === "day");
  const times = new Set(leaves.flatMap((leaf) => (leaf.kind === "between" ? [leaf.from, leaf.to] : [])));
  const civil = days.filter(({ day, range }) => range === null && day !== "now" && day !== "next");
  return {
    // Also a civil day becomes final when it begins.
    day:
      civil.length < days.length ||
      civil.some(({ stage }) => stage !== null) ||
      BY_DAY.some((kind) => kinds.has(kind)),
    midnight: civil.length > 0,
    period: kinds.has("period") || kinds.has("rate"),
    times: [...times].map(sinceMidnight),
  };
}

const BY_DAY = ["weekday", "rate", "days_remaining", "remaining", "left"] as const;
