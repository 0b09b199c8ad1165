import type { ConditionResult, Seen, SimpleResult, Stretch } from "./condition-types.ts";

/**
 * What a rule saw that is ON at an instant. By its lead or its lag it looks at several stretches: of those that make it ON, the one
 * with the latest day counts, and of two with the same day the one in force. With `lead: 12h` and two rouge days in a row, the rule
 * sees the second one from 18:00 of the first on.
 */
export function seenAround(stretches: readonly Stretch[], at: number): Seen {
  const begun = stretches.filter(({ start }) => start <= at).reverse();
  const ahead = stretches.filter(({ start }) => start > at);
  const seen = [...begun, ...ahead]
    .filter(({ truth }) => truth === true)
    .map(({ start, end, conditions }): Seen => {
      const inside = latestOf(seenIn(conditions()));
      return { date: inside.date, at: inside.at ?? shifted({ start, end }, at) };
    });
  return latestOf(seen);
}

/** By a lead the first instant of the stretch; by a lag the last; null if the stretch is in force. */
function shifted({ start, end }: Pick<Stretch, "start" | "end">, at: number): number | null {
  if (start > at) return start;
  return end <= at ? end - 1 : null;
}

/** What each condition saw that makes the rule ON, and looks at one day or at another rule. */
function seenIn(result: ConditionResult): Seen[] {
  if (result.truth !== true) return [];
  if (!("parts" in result)) return seenBySimple(result);
  return result.condition.kind === "not" ? [] : result.parts.flatMap(seenIn);
}

function seenBySimple({ condition, days: [day], seen }: SimpleResult): Seen[] {
  if (condition.kind === "day" && condition.range === null && day)
    return [{ date: day.facts.date, at: null }];
  return seen ? [seen()] : [];
}

/** The one with the latest day; of several with it, one of now, or else the first. */
function latestOf(all: readonly Seen[]): Seen {
  const latest = all.reduce((date, one) => (one.date !== null && one.date > date ? one.date : date), "");
  const withIt = all.filter(({ date }) => (date ?? "") === latest);
  return withIt.find(({ at }) => at === null) ?? withIt[0] ?? NOTHING_SEEN;
}

export const NOTHING_SEEN: Seen = { date: null, at: null };
