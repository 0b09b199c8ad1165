import { isoInstant } from "../calendar/dates.ts";
import { describeCondition, describeSight } from "./describe-condition.ts";
import type { Seen, SeenDay, SeenDays } from "./seen.ts";
import type { Verdict } from "./verdict.ts";
import type { World } from "./world.ts";

/** Why a verdict is as it is. */
export interface Reasons {
  /** The day that decides, as the rule names it; null where none does. */
  day: string | null;
  deciding: SeenDay | null;
  /** Every day that was looked at is known. */
  complete: boolean;
  because: string[];
}

export function reasonsOf(verdict: Verdict, { at }: Pick<World, "at">): Reasons {
  const { seen, enabled } = verdict;
  const leaves = decidingLeaves(seen);
  const days = leaves.find((leaf) => "days" in leaf);
  const named = enabled ? days : undefined;
  return {
    day: named?.condition.day ?? null,
    deciding: named ? decidingDay(named) : null,
    complete: daysOf(seen).every(({ facts }) => facts.color !== null),
    because: [...circumstances(verdict, at), ...(enabled ? leaves.map(describeLeaf) : [])],
  };
}

type SeenLeaf = Exclude<Seen, { parts: readonly Seen[] }>;

/** The conditions that make the verdict what it is: the others could be otherwise. */
function decidingLeaves(seen: Seen): SeenLeaf[] {
  if (!("parts" in seen)) return [seen];
  const { condition, parts, truth } = seen;
  if (condition.kind === "not") return parts.flatMap(decidingLeaves);
  const decided = parts.filter((part) => part.truth === truth);
  const needsAll = condition.kind === "all" ? truth === true : truth === false;
  return (needsAll || truth === null ? decided : decided.slice(0, 1)).flatMap(decidingLeaves);
}

/** Of a range the first day that is so, or could be. */
function decidingDay({ condition, days, truth }: SeenDays): SeenDay | null {
  const [first] = days;
  if (condition.range === null) return first ?? null;
  return days.find((day) => day.truth === truth && truth !== false) ?? null;
}

function daysOf(seen: Seen): readonly SeenDay[] {
  if ("parts" in seen) return seen.parts.flatMap(daysOf);
  return "days" in seen ? seen.days : [];
}

function describeLeaf(leaf: SeenLeaf): string {
  return `${leaf.truth === false ? "not so: " : ""}${describeCondition(leaf)} (${describeSight(leaf)})`;
}

/** What stands above the conditions. */
export function circumstances({ reason, ready, held, seen_at }: Verdict, at: number): string[] {
  if (reason === "disabled") return ["disabled"];
  const otherwise = ready.rule.when_unknown === "on" ? "ON" : "OFF";
  return [
    ...(reason === "when_unknown" ? [`not known, and when_unknown says ${otherwise}`] : []),
    ...(held ? [`held until ${isoInstant(held.until)}: a forecast changed its mind`] : []),
    ...(seen_at > at ? [`lead: as it will be at ${isoInstant(seen_at)}`] : []),
    ...(seen_at < at ? [`lag: as it was at ${isoInstant(seen_at)}`] : []),
  ];
}
